#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "core/engine/engine.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

EngineOptions with_threads(int32_t threads) {
  EngineOptions options;
  options.devices = "cpu:0";
  options.threads = threads;
  return options;
}

TEST_CASE("after a fork the child's engine says so and can be let go of, while the parent's works on") {
  auto engine = make_test_engine(with_threads(3));
  REQUIRE(engine.ok());
  CHECK((*engine)->check_usable().ok());
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Status status = (*engine)->check_usable();
    bool right = status.code() == Code::kFailedPrecondition && status.message().substr(0, 6) == "forked";
    // Must not wait for threads that exist only in the parent.
    engine = Status(Code::kUnknown, "released");
    const auto own = make_test_engine(with_threads(2));
    right = right && own.ok() && (*own)->check_usable().ok();
    _exit(right ? 0 : 1);
  }
  int how = -1;
  alarm(30);  // a child that hangs must not hang the test
  REQUIRE(waitpid(child, &how, 0) == child);
  alarm(0);
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
  CHECK((*engine)->check_usable().ok());
  std::atomic<int> pieces{0};
  (*engine)->threads().parallel()(int64_t{10}, [&](int64_t) { ++pieces; });
  CHECK(pieces == 10);
}

}  // namespace
}  // namespace percale
