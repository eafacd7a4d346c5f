#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "core/train/shards/replicas.h"
#include "tests/support/forked_child.h"

namespace percale {

TEST_CASE("a forked child can release replicas whose threads sleep in the parent") {
  auto replicas = std::make_unique<Replicas>(2, 1);
  for (const size_t replica : {0U, 1U}) REQUIRE(replicas->place(replica, true).ok());
  std::atomic<int> loops{0};
  const auto run = [&] { replicas->run_apart([&](size_t) { ++loops; }, [] {}); };
  run();
  usleep(50'000);  // until both sleep
  check_child([&] {
    replicas = nullptr;
    return true;
  });
  run();
  CHECK(loops == 4);
}

}  // namespace percale
