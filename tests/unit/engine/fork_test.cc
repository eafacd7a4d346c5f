#include <doctest/doctest.h>

#include <atomic>

#include "core/engine/engine.h"
#include "tests/support/engine.h"
#include "tests/support/forked_child.h"

namespace percale {
namespace {

EngineOptions with_threads(int32_t threads) {
  EngineOptions options;
  options.devices = "cpu:0";
  options.threads = threads;
  return options;
}

TEST_CASE("after a fork the child's engine says so and can be released, while the parent's works on") {
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

}  // namespace
}  // namespace percale
