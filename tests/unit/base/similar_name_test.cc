#include "core/base/similar_name.h"

#include <doctest/doctest.h>

#include "core/base/status.h"

namespace percale {

TEST_CASE("a name is suggested only if one is similar") {
  const std::vector<std::string> known = {"adam", "adamw", "sgd", "rmsprop", "decay_steps", "x"};
  CHECK(similar_name("adma", known) == "adam");  // swapped
  CHECK(similar_name("Adam", known) == "adam");  // letter case is ignored
  CHECK(similar_name("rmsprob", known) == "rmsprop");
  CHECK(similar_name("sdg", known) == "sgd");
  CHECK(similar_name("decay_step", known) == "decay_steps");
  CHECK(similar_name("decay", known) == "decay_steps");  // a prefix
  CHECK(similar_name("lr", known).empty());
  CHECK(similar_name("y", known).empty());
  CHECK(similar_name("momentum", known).empty());
  CHECK(similar_name("", known).empty());
  CHECK(similar_name(std::string(100000, 'a'), known).empty());
}

TEST_CASE("where none is similar, all are listed unless they are many") {
  CHECK(did_you_mean("adma", {"adam", "sgd"}) == ", did you mean 'adam'?");
  CHECK(did_you_mean("momentum", {"adam", "sgd"}) == "; there are adam, sgd");
  CHECK(did_you_mean("momentum", std::vector<std::string>(100, "adam")).empty());
  CHECK(did_you_mean("momentum", {}).empty());
}

TEST_CASE("of keys all are listed, however many, also if one is similar") {
  CHECK(did_you_mean_key("unit", {"units", "use_bias"}) == ", did you mean 'units'? There are units, use_bias");
  CHECK(did_you_mean_key("rate", {"units", "use_bias"}) == "; there are units, use_bias");
  CHECK(did_you_mean_key("rate", {}).empty());
  std::vector<std::string> keys;
  for (int64_t i = 0; i < 100; ++i) keys.push_back(str_cat("key_number_", i));
  for (const char* wanted : {"key_number_100", "momentum"}) {
    const std::string end = did_you_mean_key(wanted, keys);
    for (const std::string& key : keys) CHECK(end.find(key) != std::string::npos);
  }
}

}  // namespace percale
