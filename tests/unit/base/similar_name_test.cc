#include "core/base/similar_name.h"

#include <doctest/doctest.h>

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

}  // namespace percale
