#include "core/train/report/axis.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

namespace percale {
namespace {

std::vector<std::string> labels(const Axis& axis, double distance) {
  std::vector<std::string> out;
  for (const Axis::Tick& tick : axis.ticks(distance)) out.push_back(tick.label);
  return out;
}

}  // namespace

TEST_CASE("an axis begins at 0, or is logarithmic where numbers differ by more than a factor of 20") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const Axis plain = axis_of({0.5, nan, 2, infinite}, 100, 0);
  CHECK(plain.low == 0);
  CHECK(plain.high == 2);
  CHECK_FALSE(plain.logarithmic);
  CHECK(plain(0) == 100);
  CHECK(plain(1) == 50);
  CHECK(plain(3) == 0);
  const Axis wide = axis_of({0.01, 1}, 100, 0);
  CHECK(wide.logarithmic);
  CHECK(wide(0.1) == doctest::Approx(50));
  CHECK(axis_of({-2, 50}, 0, 1).low == -2);
  CHECK_FALSE(axis_of({-2, 50}, 0, 1).logarithmic);
  CHECK(axis_of({}, 0, 1).high == 1);
  CHECK(axis_of({7, 7}, 0, 1).low == 0);
}

TEST_CASE("ticks are round numbers, far enough apart, with labels that differ") {
  CHECK(labels({0, 1, 0, 300, false}, 50) == std::vector<std::string>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels({0, 20000, 0, 300, false}, 80) == std::vector<std::string>{"0", "10k", "20k"});
  CHECK(labels({0.01, 1, 0, 300, true}, 30) ==
        std::vector<std::string>{"0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"});
  CHECK(labels({1e-6, 1e6, 0, 120, true}, 30) == std::vector<std::string>{"1e-06", "0.001", "1", "1000", "1M"});
  const std::vector<Axis> axes = {
      {0, 938, 0, 660, false},      {1, 1e9, 0, 660, false},         {0.9999, 1.0001, 0, 330, false},
      {-3e-7, 5e-7, 330, 0, false}, {1e16, 1e16 + 4, 0, 660, false}, {-1e308, 1e308, 0, 660, false},
      {3, 70, 330, 0, true},        {1e-300, 1e300, 330, 0, true},   {1e-310, 1, 330, 0, true}};
  for (const Axis& axis : axes) {
    CAPTURE(axis.low);
    CAPTURE(axis.high);
    for (const double distance : {20.0, 80.0}) {
      const auto ticks = axis.ticks(distance);
      CHECK(ticks.size() >= 1);
      std::set<std::string> different;
      for (size_t i = 0; i < ticks.size(); ++i) {
        CHECK(different.insert(ticks[i].label).second);
        CHECK(ticks[i].label.size() <= 12);
        if (i > 0) CHECK(std::abs(axis(ticks[i].value) - axis(ticks[i - 1].value)) >= distance * 0.999);
      }
    }
  }
}

}  // namespace percale
