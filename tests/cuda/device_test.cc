// Tests the device "cuda" on the emulated driver: memory, streams, errors, and resources that are
// left behind.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/graph/builder.h"
#include "core/session/session.h"
#include "tests/cuda/emulated.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

// Functions that the emulator has in addition to those of a driver.
struct Emulator {
  uint64_t (*problems)() = nullptr;
  void (*configure)(const char*) = nullptr;
  uint64_t (*launches)() = nullptr;

  Emulator() {
    problems = emulator_function<uint64_t()>("libcuda.so.1", "percale_emulator_problems");
    configure = emulator_function<void(const char*)>("libcuda.so.1", "percale_emulator_configure");
    launches = emulator_function<uint64_t()>("libcuda.so.1", "percale_emulator_launches");
    REQUIRE(!!launches);
  }
};

const percale_plugin_api* cuda_plugin() {
  const auto plugin = open_plugin(PERCALE_CUDA_PLUGIN);
  REQUIRE_MESSAGE(plugin.ok(), plugin.status().to_string());
  return *plugin;
}

std::shared_ptr<Engine> engine_of(const std::string& devices, int64_t device_memory_limit = 0) {
  EngineOptions options;
  options.threads = 2;
  options.devices = devices;
  options.device_memory_limit = device_memory_limit;
  const auto engine = make_test_engine(options, {cuda_plugin()});
  REQUIRE_MESSAGE(engine.ok(), engine.status().to_string());
  return *engine;
}

// Makes the emulator inject these faults during its lifetime. Its destructor checks that the
// emulator has noted no problem.
class Faults {
 public:
  explicit Faults(const char* text) {
    emulator_.problems();
    emulator_.configure(text);
  }
  ~Faults() {
    emulator_.configure(nullptr);
    CHECK(emulator_.problems() == 0);
  }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  const Emulator& emulator() const { return emulator_; }

 private:
  Emulator emulator_;
};

Tensor input(int64_t rows = 7) {
  std::vector<float> x(static_cast<size_t>(rows * 5));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) * 0.1f - 0.4f;
  return Tensor::of<float>(Shape{rows, 5}, x);
}

// Builds x -> `count` times Tanh, on these devices in turn -> y.
std::shared_ptr<const Graph> chain(const Engine& engine, int count, const std::vector<std::string>& devices,
                                   int64_t rows = 7) {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  ValueId v = *builder.main().add_input("x", DType::kF32, Shape{rows, 5});
  for (int i = 0; i < count; ++i) {
    builder.main().set_device(devices[static_cast<size_t>(i) % devices.size()]);
    v = e.emit("Tanh", {v}, {}, i + 1 == count ? std::string("y") : "t" + std::to_string(i));
  }
  builder.main().set_device("");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs({v}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

const RunSpec kRun{.feeds = {"x"}, .fetches = {"y"}};

double difference(const Tensor& a, const Tensor& b) {
  double most = 0;
  const auto x = a.span<float>(), y = b.span<float>();
  for (size_t i = 0; i < x.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
  return most;
}

Tensor on_cpu(int count, int64_t rows = 7) {
  const auto engine = engine_of("cpu:0");
  const auto session = *Session::create(engine, chain(*engine, count, {"cpu:0"}, rows), nullptr);
  auto out = session->run(kRun, std::vector{input(rows)});
  REQUIRE(out.ok());
  return (*out)[0];
}

TEST_CASE("a graph runs on the CPU and on two logical devices of one GPU, and leaves nothing behind") {
  const Faults none(nullptr);
  const Tensor want = on_cpu(6);
  const auto engine = engine_of("cpu:0,cuda:0/0,cuda:0/1");
  const auto session = *Session::create(engine, chain(*engine, 6, {"cuda:0/0", "cpu:0", "cuda:0/1"}), nullptr);
  for (int i = 0; i < 3; ++i) {
    const auto got = session->run(kRun, std::vector{input()});
    REQUIRE_MESSAGE(got.ok(), got.status().to_string());
    CHECK(difference((*got)[0], want) < 1e-6);
  }
}

TEST_CASE("an engine of a GPU alone has cpu:0 as the home of variables, which computes nothing") {
  const Faults none(nullptr);
  const auto engine = engine_of("cuda:0");
  REQUIRE(engine->devices().size() == 2);
  CHECK(engine->devices()[1]->is_home());
  const auto session = *Session::create(engine, chain(*engine, 3, {""}), nullptr);
  const auto before = none.emulator().launches();
  REQUIRE(session->run(kRun, std::vector{input()}).ok());
  CHECK(none.emulator().launches() == before + 1);  // one launch for a group of three
}

TEST_CASE("values larger than what copies pass through arrive whole, on many threads at once") {
  const Faults none(nullptr);
  const int64_t rows = 1'000'000;  // 20 MB
  const Tensor want = on_cpu(1, rows);
  const auto engine = engine_of("cpu:0,cuda:0");
  const auto session = *Session::create(engine, chain(*engine, 1, {"cuda:0"}, rows), nullptr);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      const auto got = session->run(kRun, std::vector{input(rows)});
      if (!got.ok() || difference((*got)[0], want) > 1e-6) ++wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("the limit of a device's memory is held, and its blocks are used again") {
  const Faults none(nullptr);
  const auto engine = engine_of("cpu:0,cuda:0", 8 << 20);
  const Device& device = *engine->find_device("cuda:0");
  void *first = nullptr, *second = nullptr;
  REQUIRE(from_c(device.api().allocate(device.handle(), 5 << 20, &first)).ok());
  const Status refused = from_c(device.api().allocate(device.handle(), 5 << 20, &second));
  CHECK(refused.code() == Code::kResourceExhausted);
  CHECK(refused.message().find("device_memory_limit") != std::string_view::npos);
  device.api().free(device.handle(), first);
  // Freed memory is cached, and is released when another size is requested.
  REQUIRE(from_c(device.api().allocate(device.handle(), 7 << 20, &second)).ok());
  device.api().free(device.handle(), second);
  REQUIRE(from_c(device.api().allocate(device.handle(), 7 << 20, &first)).ok());
  CHECK(first == second);
  device.api().free(device.handle(), first);
}

TEST_CASE("each allocation that the driver refuses is an error, or is made up for, and the next run succeeds") {
  for (int n = 1; n < 12; ++n) {
    CAPTURE(n);
    const Faults faults(("fail_allocation=" + std::to_string(n)).c_str());
    EngineOptions options;
    options.threads = 2;
    options.devices = "cpu:0,cuda:0";
    const auto engine = make_test_engine(options, {cuda_plugin()});
    REQUIRE(engine.ok());
    const auto session = *Session::create(*engine, chain(**engine, 3, {"cuda:0"}), nullptr);
    const auto got = session->run(kRun, std::vector{input()});
    if (!got.ok()) CHECK(got.status().code() == Code::kResourceExhausted);
    CHECK(session->run(kRun, std::vector{input()}).ok());
  }
}

TEST_CASE(
    "an error that ends the GPU's context makes the device lost, at whichever launch or copy, and the CPU goes on") {
  for (const char* fault :
       {"sticky_launch=1", "sticky_launch=2", "sticky_launch=3", "sticky_copy=1", "sticky_copy=2"}) {
    CAPTURE(fault);
    Emulator emulator;
    emulator.configure(nullptr);
    const auto engine = engine_of("cpu:0,cuda:0");
    const auto on_gpu = *Session::create(engine, chain(*engine, 3, {"cuda:0", "cpu:0", "cuda:0"}), nullptr);
    const auto beside = *Session::create(engine, chain(*engine, 3, {"cpu:0"}), nullptr);
    REQUIRE(on_gpu->run(kRun, std::vector{input()}).ok());
    emulator.configure(fault);
    // A run after the fault may be the first that reports it.
    Status failed;
    for (int i = 0; i < 3 && failed.ok(); ++i) {
      auto got = on_gpu->run(kRun, std::vector{input()});
      failed = got.ok() ? Status() : got.status();
    }
    CHECK(failed.code() == Code::kUnavailable);
    CHECK(engine->find_device("cuda:0")->lost());
    CHECK_FALSE(on_gpu->run(kRun, std::vector{input()}).ok());
    CHECK(beside->run(kRun, std::vector{input()}).ok());
  }
  // The host has released the context with the engine, so the next engine starts with a new one.
  Emulator().configure(nullptr);
  const auto engine = engine_of("cpu:0,cuda:0");
  const auto session = *Session::create(engine, chain(*engine, 2, {"cuda:0"}), nullptr);
  CHECK(session->run(kRun, std::vector{input()}).ok());
}

TEST_CASE("what the driver cannot keep goes piece by piece, and the next piece is kept again") {
  for (const char* fault : {"fail_capture=1", "fail_capture=2"}) {
    CAPTURE(fault);
    const Faults faults(fault);
    const auto engine = engine_of("cpu:0,cuda:0");
    // Two segments, with one node on the CPU between them.
    const auto graph = chain(*engine, 13, {"cuda:0", "cuda:0", "cuda:0", "cuda:0", "cuda:0", "cuda:0", "cpu:0"});
    const auto session =
        *Session::create(engine, graph, nullptr, {.compile = {.disabled_passes = {"fuse_elementwise"}}});
    const uint64_t before = emulator_count("replayed");
    for (int i = 0; i < 8; ++i) {
      const auto got = session->run(kRun, std::vector{input()});
      REQUIRE_MESSAGE(got.ok(), got.status().to_string());
      CHECK(difference((*got)[0], on_cpu(13)) < 1e-6);
    }
    CHECK(emulator_count("replayed") - before >= 5);
  }
}

TEST_CASE("an index out of range names its node, and the run after it is whole again") {
  const Faults none(nullptr);
  const auto engine = engine_of("cpu:0,cuda:0");
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{2, 3});
  const ValueId labels = *builder.main().add_input("labels", DType::kI64, Shape{2});
  builder.main().set_device("cuda:0");
  const ValueId twice = e.emit("Add", {x, x}, {}, "twice");
  const ValueId loss = e.emit("SoftmaxCrossEntropyLoss", {twice, labels}, {}, "loss");
  const ValueId last = e.emit("Neg", {loss}, {}, "y");
  REQUIRE(builder.main().set_outputs({last}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto session = *Session::create(engine, *graph, nullptr);
  const RunSpec spec{.feeds = {"x", "labels"}, .fetches = {"y"}};
  const Tensor scores = Tensor::of<float>(Shape{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto run = [&](int64_t label) {
    return session->run(spec, std::vector{scores, Tensor::of<int64_t>(Shape{2}, std::vector<int64_t>{0, label})});
  };
  REQUIRE(run(1).ok());
  for (int i = 0; i < 2; ++i) {
    const auto failed = run(7);
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.status().code() == Code::kOutOfRange);
    CHECK(std::string(failed.status().message()).find("SoftmaxCrossEntropyLoss 'loss': index 7 is out of range") !=
          std::string::npos);
    CHECK(run(2).ok());
  }
}

TEST_CASE("several engines share the GPU, and one that ends leaves the others alone") {
  const Faults none(nullptr);
  const Tensor want = on_cpu(4);
  auto first = engine_of("cuda:0"), second = engine_of("cpu:0,cuda:0");
  const auto one = *Session::create(first, chain(*first, 4, {"cuda:0"}), nullptr);
  auto other = *Session::create(second, chain(*second, 4, {"cuda:0"}), nullptr);
  REQUIRE(one->run(kRun, std::vector{input()}).ok());
  REQUIRE(other->run(kRun, std::vector{input()}).ok());
  other.reset();
  second.reset();
  const auto got = one->run(kRun, std::vector{input()});
  REQUIRE(got.ok());
  CHECK(difference((*got)[0], want) < 1e-6);
}

TEST_CASE("the same bits come out of every run") {
  const Faults none(nullptr);
  const auto engine = engine_of("cpu:0,cuda:0");
  const auto session = *Session::create(engine, chain(*engine, 5, {"cuda:0"}), nullptr);
  const auto first = session->run(kRun, std::vector{input()});
  REQUIRE(first.ok());
  for (int i = 0; i < 5; ++i) {
    const auto again = session->run(kRun, std::vector{input()});
    REQUIRE(again.ok());
    CHECK(std::memcmp((*again)[0].data(), (*first)[0].data(), static_cast<size_t>((*first)[0].bytes())) == 0);
  }
}

}  // namespace
}  // namespace percale
