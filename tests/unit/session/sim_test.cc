// Devices with memory and streams of their own. Values reach them only by copies, results have the
// CPU's bits, and an error on one device ends the run on all.

#include <doctest/doctest.h>

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "core/graph/builder.h"
#include "core/session/executor/executor.h"
#include "core/session/session.h"
#include "tests/support/sim_engine.h"

namespace percale {
namespace {

constexpr const char* kDevices = "cpu:0,cpu:1,sim:0,sim:1";

percale_sim_faults slow_launches(uint64_t milliseconds) {
  percale_sim_faults out{};
  out.launch_ns = milliseconds * 1'000'000;
  return out;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Tensor input() {
  std::vector<float> x(35);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) * 0.1f - 0.4f;
  return Tensor::of<float>(Shape{7, 5}, x);
}

// Builds x -> `count` times Tanh on `device` -> y.
std::shared_ptr<const Graph> chain(const Engine& engine, int count, const std::vector<std::string>& devices) {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  ValueId v = *builder.main().add_input("x", DType::kF32, Shape{7, 5});
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

const SessionOptions& unfused() {
  static const SessionOptions options{.compile = {.disabled_passes = {"fuse_elementwise"}}};
  return options;
}

TEST_CASE("many threads run one plan on a sim device at once, each with a queue of its own") {
  const auto engine = sim_engine(2, kDevices);
  const auto session = *Session::create(engine, chain(*engine, 6, {"sim:0", "cpu:0", "sim:1"}), nullptr, unfused());
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  const auto want = session->run(spec, std::vector{input()});
  REQUIRE_MESSAGE(want.ok(), want.status().to_string());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        const auto got = session->run(spec, std::vector{input()});
        if (!got.ok() || std::memcmp((*got)[0].data(), (*want)[0].data(), 35 * sizeof(float)) != 0) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("devices work at the same time, also where the engine has one thread") {
  const auto engine = sim_engine(1, kDevices);
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{7, 5});
  std::vector<ValueId> ends;
  for (const char* device : {"sim:0", "sim:1"}) {
    builder.main().set_device(device);
    ValueId v = x;
    for (int i = 0; i < 5; ++i) v = e.emit("Tanh", {v}, {}, str_cat(device, "/", i));
    ends.push_back(v);
  }
  builder.main().set_device("cpu:0");
  ends = {e.emit("Add", {ends[0], ends[1]}, {}, "y")};
  REQUIRE(builder.main().set_outputs(ends).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto session = *Session::create(engine, *graph, nullptr,
                                        SessionOptions{.compile = {.disabled_passes = {"fuse_elementwise", "cse"}}});
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  REQUIRE(session->run(spec, std::vector{input()}).ok());
  set_faults(-1, slow_launches(40));
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(session->run(spec, std::vector{input()}).ok());
  CHECK(seconds_since(begin) >= 0.2);
  CHECK(seconds_since(begin) < 0.36);  // sequential execution takes 0.4 s
}

// Builds x [n] -> y: ten times the elements of -x where x is above 2; p: their places. `last`: the
// device of the last node of y.
std::shared_ptr<const Graph> selection(const Engine& engine, const std::string& last = "") {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{kUnknownDim});
  const ValueId negative = e.emit("Neg", {x}), above = e.emit("Greater", {x, e.scalar(DType::kF32, 2)});
  const ValueId places = e.emit("NonZero", {above}, {}, "p");
  const ValueId kept = e.emit("Compress", {negative, above}, {{"axis", 0}});
  builder.main().set_device(last);
  const ValueId y = e.emit("Mul", {kept, e.scalar(DType::kF32, 10)}, {}, "y");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs({y, places}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

// Every third element is above 2.
Tensor thirds(int64_t n) {
  std::vector<float> x(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 3) * 1.5f;
  return Tensor::of<float>(Shape{n}, x);
}

TEST_CASE("values that only the rest of a run reads stay on the device that has computed them") {
  constexpr int64_t kOnDevice = 2;  // sim:0
  const auto engine = sim_engine(2, kDevices);
  for (const std::string last : {"", "cpu:0", "sim:1"}) {
    CAPTURE(last);
    const auto session = *Session::create(engine, selection(*engine, last), nullptr);
    RunSpec spec{.feeds = {"x"}, .fetches = {"y", "p"}};
    if (last.empty()) spec.group = {kOnDevice};
    for (const int64_t n : {3000, 6000, 0, 3000}) {
      CAPTURE(n);
      percale_sim_counts before{}, after{};
      percale_sim_get_counts(sim_plugin(), 0, &before);
      const auto got = session->run(spec, std::vector{thirds(n)});
      percale_sim_get_counts(sim_plugin(), 0, &after);
      REQUIRE_MESSAGE(got.ok(), got.status().to_string());
      REQUIRE((*got)[0].shape() == Shape{n / 3});
      REQUIRE((*got)[1].shape() == Shape{1, n / 3});
      for (int64_t i = 0; i < n / 3; ++i) {
        CHECK((*got)[0].span<float>()[static_cast<size_t>(i)] == -30.0f);
        CHECK((*got)[1].span<int64_t>()[static_cast<size_t>(i)] == 3 * i + 2);
      }
      if (!last.empty()) continue;
      // Besides the results the host gets their number. It gives x and small constants.
      const int64_t to_host = static_cast<int64_t>(after.bytes_to_host - before.bytes_to_host);
      const int64_t from_host = static_cast<int64_t>(after.bytes_from_host - before.bytes_from_host);
      CHECK(to_host == n / 3 * 12 + 8);
      CHECK(from_host <= n * 4 + 100);
    }
    // Memory of other sizes was freed.
    const auto memory = session->device_store().bytes_on(*engine->devices()[kOnDevice]);
    CHECK(memory.current == 0);
    CHECK(memory.spare <= 3000 * (4 + 8 + 8));
  }
}

TEST_CASE("a run may fail between the parts that hand values on, and the next run is as if it had not been") {
  const auto engine = sim_engine(2, kDevices);
  const auto session = *Session::create(engine, selection(*engine), nullptr);
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y", "p"}, .group = {2}};
  REQUIRE(session->run(spec, std::vector{thirds(30)}).ok());
  percale_sim_counts counts{};
  percale_sim_get_counts(sim_plugin(), 0, &counts);
  const uint64_t launches = counts.launches;
  for (uint64_t launch = 1; launch <= launches; ++launch) {
    CAPTURE(launch);
    const auto fresh = sim_engine(2, kDevices);
    const auto loses = *Session::create(fresh, selection(*fresh), nullptr);
    percale_sim_faults faults{};
    faults.lose_at_launch = launch;
    set_faults(0, faults);
    CHECK(loses->run(spec, std::vector{thirds(30)}).status().code() == Code::kUnavailable);
  }
  set_faults(-1, {});
}

TEST_CASE("cancelling and a deadline end a run whose devices are slow, within the work under way") {
  const auto engine = sim_engine(2, kDevices);
  const auto session = *Session::create(engine, chain(*engine, 60, {"sim:0", "sim:0", "cpu:0"}), nullptr, unfused());
  const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
  REQUIRE(session->run(spec, std::vector{input()}).ok());
  set_faults(0, slow_launches(100));  // four seconds in total
  auto begin = std::chrono::steady_clock::now();
  RunOptions late;
  late.deadline_ns = now_ns() + 250'000'000;
  CHECK(session->run(spec, std::vector{input()}, late).status().code() == Code::kDeadlineExceeded);
  CHECK(seconds_since(begin) < 1);

  CancelToken token;
  RunOptions options;
  options.cancel = &token;
  begin = std::chrono::steady_clock::now();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    token.cancel();
  });
  CHECK(session->run(spec, std::vector{input()}, options).status().code() == Code::kCancelled);
  CHECK(seconds_since(begin) < 1);
  canceller.join();
  set_faults(0, {});
  CHECK(session->run(spec, std::vector{input()}).ok());
}

TEST_CASE(
    "a kernel's error on a queue names its node, ends the run on all devices, and the next run is as if it had not "
    "been") {
  const auto engine = sim_engine(2, kDevices);
  Builder builder(engine->registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{4});
  const ValueId at = *builder.main().add_input("at", DType::kI64, Shape{1});
  builder.main().set_device("sim:1");
  ValueId slow = x;
  for (int i = 0; i < 50; ++i) slow = e.emit("Tanh", {slow}, {}, str_cat("slow", i));
  builder.main().set_device("sim:0");
  const ValueId row = e.emit("Gather", {x, at}, {}, "picks");
  builder.main().set_device("cpu:0");
  const ValueId y = e.emit("Add", {slow, row}, {}, "y");
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(builder.main().set_outputs({y}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  const auto session = *Session::create(engine, *graph, nullptr, unfused());
  const RunSpec spec{.feeds = {"x", "at"}, .fetches = {"y"}};
  const Tensor numbers = Tensor::of<float>(Shape{4}, std::vector<float>{1, 2, 3, 4});
  const auto run = [&](int64_t index) {
    return session->run(spec, std::vector{numbers, Tensor::of<int64_t>(Shape{1}, std::vector<int64_t>{index})})
        .status();
  };
  REQUIRE(run(2).ok());
  set_faults(1, slow_launches(100));  // five seconds in total
  const auto begin = std::chrono::steady_clock::now();
  const Status status = run(9);
  CHECK(seconds_since(begin) < 1);
  CHECK(status.code() == Code::kOutOfRange);
  CHECK(status.message().find("Gather 'picks'") != std::string::npos);
  set_faults(1, {});
  CHECK(run(3).ok());
}

TEST_CASE("a device that is lost at any launch, copy or allocation ends the run with UNAVAILABLE and its name") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto engine = sim_engine(1 + seed % 3, kDevices);
    const auto session =
        *Session::create(engine, chain(*engine, 9, {"sim:0", "cpu:0", "sim:1", "cpu:1", "sim:0"}), nullptr, unfused());
    percale_sim_faults faults{};
    const uint64_t at = 1 + seed / 3 % 12;
    (seed % 3 == 0 ? faults.lose_at_launch : seed % 3 == 1 ? faults.lose_at_copy : faults.lose_at_allocation) = at;
    set_faults(0, faults);
    const RunSpec spec{.feeds = {"x"}, .fetches = {"y"}};
    const auto begin = std::chrono::steady_clock::now();
    Status status;
    for (int i = 0; i < 12 && status.ok(); ++i) status = session->run(spec, std::vector{input()}).status();
    CHECK(seconds_since(begin) < 1);
    const Device& device = *engine->find_device("sim:0");
    CHECK(status.ok() == !device.lost());
    if (seed % 3 != 2) CHECK(device.lost());
    if (status.ok()) continue;
    CHECK(status.code() == Code::kUnavailable);
    CHECK(status.message().find("sim:0: the device is lost") != std::string::npos);
    CHECK_FALSE(engine->find_device("sim:1")->lost());
  }
}

}  // namespace
}  // namespace percale
