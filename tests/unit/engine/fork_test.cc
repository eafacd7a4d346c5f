#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "core/engine/engine.h"
#include "core/train/shards/replicas.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

EngineOptions with_threads(int32_t threads) {
  EngineOptions options;
  options.devices = "cpu:0";
  options.threads = threads;
  return options;
}

// Checks that `body` returns true in a forked child.
template <typename Body>
void check_child(const Body& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(30);  // a child that hangs must not hang the test
    _exit(body() ? 0 : 1);
  }
  int how = -1;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
}

TEST_CASE("after a fork the child's engine says so and can be let go of, while the parent's works on") {
  auto engine = make_test_engine(with_threads(3));
  REQUIRE(engine.ok());
  CHECK((*engine)->check_usable().ok());
  check_child([&] {
    const Status status = (*engine)->check_usable();
    const bool right = status.code() == Code::kFailedPrecondition && status.message().substr(0, 6) == "forked";
    // Must not wait for threads that exist only in the parent.
    engine = Status(Code::kUnknown, "released");
    // QEMU 7 starts no thread in a forked child. In tests/hosts/forked.c the child has threads.
    const auto own = make_test_engine(with_threads(1));
    return right && own.ok() && (*own)->check_usable().ok();
  });
  CHECK((*engine)->check_usable().ok());
  std::atomic<int> pieces{0};
  (*engine)->threads().parallel()(int64_t{10}, [&](int64_t) { ++pieces; });
  CHECK(pieces == 10);
}

TEST_CASE("a forked child can let go of replicas whose threads sleep in the parent") {
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

}  // namespace
}  // namespace percale
