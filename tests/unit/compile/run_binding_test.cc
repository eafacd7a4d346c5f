// The combinations that a RunBinding can have, and what it is made of inside a run.
#include "core/compile/run_binding.h"

#include <doctest/doctest.h>

#include <set>

namespace percale {
namespace {

ResidentSlots slots(bool keep_on_device) {
  return {.feeds = {{}, StoreKey::resident(1)}, .fetches = {StoreKey::variable(2)}, .keep_on_device = keep_on_device};
}

TEST_CASE("each named constructor has one way to see variables") {
  CHECK(RunBinding().precomputes_variables());
  CHECK(RunBinding::shared().precomputes_variables());
  const RunBinding others[] = {RunBinding::changing(), RunBinding::changing_with_slices(), RunBinding::exclusive()};
  for (const RunBinding& binding : others) CHECK_FALSE(binding.precomputes_variables());
  CHECK(RunBinding::changing_with_slices().precomputes_slices());
  CHECK_FALSE(RunBinding::changing().precomputes_slices());
  CHECK(RunBinding::exclusive().is_exclusive());
  CHECK_FALSE(RunBinding::shared().is_exclusive());
}

TEST_CASE("a feed has a key only where one was given") {
  const RunBinding binding = RunBinding::shared(slots(true));
  CHECK_FALSE(binding.feed_key(0).defined());
  CHECK(binding.feed_key(1) == StoreKey::resident(1));
  CHECK_FALSE(binding.feed_key(2).defined());  // a precomputed value behind the feeds
}

TEST_CASE("variables that change take the place of shared ones alone, and residents stay") {
  const RunBinding changing = RunBinding::shared(slots(false)).as_changing();
  CHECK_FALSE(changing.precomputes_variables());
  CHECK(changing.slots().fetches.size() == 1);
  CHECK(RunBinding::exclusive().as_changing().is_exclusive());
  CHECK(RunBinding::changing_with_slices().as_changing().precomputes_slices());
}

TEST_CASE("an inner function sees the same variables and no resident values") {
  const RunBinding inner = RunBinding::changing(slots(true)).for_inner_function();
  CHECK_FALSE(inner.precomputes_variables());
  CHECK(inner.slots().feeds.empty());
  CHECK(inner.slots().fetches.empty());
  CHECK(RunBinding::exclusive().for_inner_function().is_exclusive());
}

TEST_CASE("different bindings have different keys") {
  std::set<std::string> keys;
  const RunBinding all[] = {RunBinding::shared(),
                            RunBinding::changing(),
                            RunBinding::changing_with_slices(),
                            RunBinding::exclusive(),
                            RunBinding::shared(slots(false)),
                            RunBinding::shared(slots(true)),
                            RunBinding::changing(slots(true)),
                            RunBinding::shared({.feeds = {StoreKey::resident(1)}}),
                            RunBinding::shared({.fetches = {StoreKey::resident(1)}}),
                            RunBinding::shared({.fetches = {StoreKey::variable(1)}})};
  for (const RunBinding& binding : all) keys.insert(binding.key());
  CHECK(keys.size() == std::size(all));
  CHECK(RunBinding().key() == RunBinding::shared().key());
}

}  // namespace
}  // namespace percale
