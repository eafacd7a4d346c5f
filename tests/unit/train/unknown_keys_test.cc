// An unknown key in any object of a SPEC is refused with all keys of the object, and with the one
// that is similar.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/train/method/optimizer.h"
#include "core/train/method/schedule.h"
#include "core/train/spec.h"

namespace percale {
namespace {

// Returns the error of a SPEC with an Adam optimizer and further members. `optimizer`: further
// members of the optimizer.
std::string refused(const std::string& more, const std::string& optimizer = "") {
  const Status status =
      parse_spec(str_cat(R"({"model": [{"layer": "Dense", "units": 1}], "loss": "mean_squared_error", )",
                         R"("optimizer": {"name": "adam")", optimizer, "}", more, "}"))
          .status();
  CHECK(status.code() == Code::kInvalidArgument);
  return std::string(status.message());
}

void contains(const std::string& text, std::string_view part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK(text.find(part) != std::string::npos);
}

// Checks that the message lists each of these keys as a whole name.
void lists(const std::string& text, const std::vector<KeyFacts>& keys) {
  REQUIRE_FALSE(keys.empty());
  constexpr std::string_view kBefore = "here are ";  // begins a sentence, or continues one
  const size_t list = text.find(kBefore);
  REQUIRE_MESSAGE(list != std::string::npos, text);
  const std::string names = str_cat(", ", text.substr(list + kBefore.size()), ", ");
  for (const KeyFacts& key : keys) contains(names, str_cat(", ", key.name, ", "));
}

std::vector<KeyFacts> keys_of(const std::vector<NamedFacts>& facts, std::string_view name) {
  for (const NamedFacts& named : facts) {
    if (named.name == name) return named.keys;
  }
  return {};
}

std::vector<KeyFacts> keys_within(const std::vector<KeyFacts>& facts, std::string_view object) {
  for (const KeyFacts& key : facts) {
    if (key.name == object) return key.keys;
  }
  return {};
}

}  // namespace

TEST_CASE("a key with a typing error is refused with the key that was meant, in each object of a SPEC") {
  contains(refused(R"(, "epoch": 3)"), "'epoch': unknown key in SPEC, did you mean 'epochs'?");
  contains(refused("", R"(, "learning_rte": 1)"),
           "'learning_rte': unknown key in optimizer 'adam', did you mean 'learning_rate'?");
  contains(refused(R"(, "schedule": {"name": "cosine", "decaysteps": 9})"),
           "'decaysteps': unknown key in schedule 'cosine', did you mean 'decay_steps'?");
  contains(refused(R"(, "schedule": [{"name": "warm_up", "step": 4}, "cosine"])"),
           "'step': unknown key in schedule 'warm_up', did you mean 'steps'?");
  contains(refused(R"(, "checkpoints": {"keeplast": 2})"),
           "'keeplast': unknown key in checkpoints, did you mean 'keep_last'?");
  contains(refused(R"(, "early_stopping": {"patients": 2})"),
           "'patients': unknown key in early_stopping, did you mean 'patience'?");
}

TEST_CASE("a key is refused with all keys of its object, whether it resembles one or not") {
  const std::vector<KeyFacts> spec = spec_facts();
  lists(refused(R"(, "zzz": 3)"), spec);
  lists(refused(R"(, "epoch": 3)"), spec);
  lists(refused("", R"(, "learning_rte": 1)"), keys_of(optimizer_facts(), "adam"));
  lists(refused("", R"(, "zzz": 3)"), keys_of(optimizer_facts(), "adam"));
  for (const char* name : {"step", "cosine", "warm_up", "one_cycle", "plateau"}) {
    CAPTURE(name);
    lists(refused(str_cat(R"(, "schedule": {"zzz": 3, "name": ")", name, "\"}")), keys_of(schedule_facts(), name));
  }
  for (const char* object : {"checkpoints", "early_stopping"}) {
    CAPTURE(object);
    lists(refused(str_cat(", \"", object, R"(": {"zzz": 3})")), keys_within(spec, object));
  }
  // A key of another schedule is unknown here.
  contains(refused(R"(, "schedule": {"name": "constant", "gamma": 0.5})"),
           "'gamma': unknown key in schedule 'constant'; there are name, duration");
}

}  // namespace percale
