// A run with the option `alone` uses the threads of all devices; another run uses those of its
// device.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

std::atomic<bool> met{false};
std::atomic<int> patience_ms{0};

// Runs two pieces that wait a while for each other. If they run one after the other, they never
// meet.
void run_meet(const int64_t&, const Launch& l) {
  std::atomic<int> here{0};
  l.parallel()(int64_t{2}, [&](int64_t) {
    ++here;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
    while (here < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (here == 2) {
      met = true;
    } else {
      --here;
    }
  });
  l.out<float>(0)[0] = -l.in<float>(0)[0];
}
Status accepts_meet(const NodeView&) { return {}; }
Result<int64_t> plan_meet(const NodeView&, KernelPlan&) { return 0; }

TEST_CASE("a run that is alone has the threads of all devices") {
  static const Kernel meet = make_kernel<accepts_meet, plan_meet, run_meet>("test.Meet", "Neg");
  static const Kernel* const kernels[] = {&meet};
  percale_plugin_api plugin{};
  plugin.kernels = kernels;
  plugin.kernel_count = 1;
  EngineOptions options;
  options.devices = "cpu=2x1";
  options.threads = 2;
  const auto engine = make_test_engine(options, {&plugin});
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  Builder builder((*engine)->registry());
  Emitter e(builder.main());
  const auto x = builder.main().add_input("x", DType::kF32, Shape{1});
  REQUIRE(x.ok());
  const ValueId y = e.emit("Neg", {*x});
  REQUIRE(builder.main().rename(y, "y").ok());
  REQUIRE(builder.main().set_outputs({y}).ok());
  const auto graph = builder.finish();
  REQUIRE(graph.ok());
  const auto session = Session::create(*engine, *graph, nullptr);
  REQUIRE_MESSAGE(session.ok(), session.status().to_string());
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  const std::vector<Tensor> feeds{Tensor::of<float>(Shape{1}, std::vector<float>{3})};
  for (const bool alone : {true, false}) {
    met = false;
    patience_ms = alone ? 20000 : 100;
    RunOptions run;
    run.alone = alone;
    const auto result = (*session)->run(spec, feeds, run);
    REQUIRE_MESSAGE(result.ok(), result.status().to_string());
    CHECK((*result)[0].span<float>()[0] == -3);
    CHECK(met == alone);
  }
}

}  // namespace
}  // namespace percale
