#include "core/draw/picture/repeats.h"

#include <doctest/doctest.h>

#include <string>

namespace percale {
namespace {

// A chain of steps; steps with the same letter are alike. A step whose letter is in `far` also uses
// step 0.
std::vector<Step> chain(std::string_view letters, std::string_view far = {}) {
  std::vector<Step> out;
  for (size_t i = 0; i < letters.size(); ++i) {
    Step step{letters[i] == '?' ? -1 : letters[i], 1, {static_cast<int32_t>(i) - 1}};
    if (far.find(letters[i]) != std::string_view::npos) step.sources.push_back(0);
    out.push_back(step);
  }
  return out;
}

std::string text(const std::vector<Repeat>& repeats) {
  std::string out;
  for (const Repeat& r : repeats) {
    out += std::to_string(r.begin) + ":" + std::to_string(r.period) + "x" + std::to_string(r.count) + " ";
  }
  return out;
}

}  // namespace

TEST_CASE("equal stretches that follow each other are found, by their shortest period") {
  CHECK(text(find_repeats(chain("sabcabcabcabcz"))) == "1:3x4 ");
  CHECK(text(find_repeats(chain("aaaaa"))) == "0:1x5 ");
  CHECK(text(find_repeats(chain("ababab..cdcdcd"))) == "0:2x3 8:2x3 ");
  CHECK(text(find_repeats(chain("abcdefgh"))).empty());
  CHECK(text(find_repeats(chain("abab"))).empty());  // saves too little
  CHECK(text(find_repeats(chain("????????"))).empty());
  CHECK(find_repeats({}).empty());
}

TEST_CASE("stretches must be wired alike; what comes from far away may be anything") {
  std::vector<Step> steps = chain("sabcdabcdabcd");
  steps[4].sources = {1};  // d uses a in the first range, b in the others
  steps[8].sources = {6};
  steps[12].sources = {10};
  // The period that begins after the irregular step still repeats.
  CHECK(text(find_repeats(steps)) == "5:4x2 ");
  CHECK(text(find_repeats(chain("sabcdabcdabcd", "c"))) == "1:4x3 ");
}

TEST_CASE("a repeat begins where few values cross") {
  // Each range is b c a. Both b and c read the result of a, so that two values are live between b
  // and c.
  std::vector<Step> steps = chain("xxcabcabcabcay");
  for (size_t i = 2; i < steps.size(); ++i) {
    if (steps[i].likeness == 'c') steps[i].sources = {static_cast<int32_t>(i) - 1, static_cast<int32_t>(i) - 2};
  }
  const std::vector<Repeat> repeats = find_repeats(steps);
  REQUIRE(repeats.size() == 1);
  CHECK(steps[static_cast<size_t>(repeats[0].begin)].likeness != 'c');
}

TEST_CASE("ten thousand steps take no noticeable time") {
  std::vector<Step> steps;
  for (int32_t i = 0; i < 10000; ++i) steps.push_back({i % 100 == 0 ? i : i % 7, 1, {i - 1}});
  CHECK(!find_repeats(steps).empty());
}

}  // namespace percale
