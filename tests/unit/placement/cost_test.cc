// Placement of nodes if only cost decides.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/graph/builder.h"
#include "core/placement/place.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

class RunsAll final : public KernelProbe {
 public:
  Status can_run(const Node&, std::string_view) const override { return {}; }
};

// Returns `count` devices "cpu:i" of one thread each.
std::vector<PlacementDevice> cpus(int count) {
  std::vector<PlacementDevice> out;
  for (int i = 0; i < count; ++i) out.push_back({.name = str_cat("cpu:", i), .kind = "cpu", .holds_variables = true});
  for (PlacementDevice& d : out) d.width = 1;
  return out;
}

// Builds the sum of `branches` branches. Each multiplies x [n,n] by itself `length` times, in nodes
// "b<branch>/<i>". A cheap node precedes each branch.
Function branches(int64_t n, int branches, int length, const std::vector<std::string>& hints = {}) {
  static const auto ops = make_test_ops();
  Builder builder(ops->registry);
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  const ValueId x = *f.add_input("x", DType::kF32, Shape{n, n});
  const ValueId small = *f.add_input("small", DType::kF32, Shape{1});
  ValueId sum = kNoValue;
  for (int b = 0; b < branches; ++b) {
    f.set_device(static_cast<size_t>(b) < hints.size() ? hints[static_cast<size_t>(b)] : std::string());
    const std::string name = str_cat("b", b, "/");
    ValueId v = e.emit("Tanh", {small}, {}, name + "small");
    v = e.emit("Mul", {x, v}, {}, name + "begin");
    for (int i = 0; i < length; ++i) v = e.emit("MatMul", {v, x}, {}, str_cat(name, i));
    sum = sum == kNoValue ? v : e.emit("Add", {sum, v}, {}, name + "sum");
  }
  REQUIRE_MESSAGE(e.status().ok(), e.status().to_string());
  REQUIRE(f.set_outputs({sum}).ok());
  return builder.graph().main();
}

int32_t device_of(const Function& f, const Placement& placed, std::string_view name) {
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (f.nodes[i].name == name) return placed.device_of[i];
  }
  FAIL("no such node");
  return -1;
}

std::vector<int32_t> used(const Placement& placed) {
  std::vector<int32_t> out = placed.device_of;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Placement placed(const Function& f, const std::vector<PlacementDevice>& devices, const PlaceOptions& options) {
  auto out = place(f, devices, RunsAll(), options);
  REQUIRE_MESSAGE(out.ok(), out.status().to_string());
  return *out;
}

}  // namespace

TEST_CASE(
    "heavy branches stand on a device each, what is cheap goes with what uses it, and the reason has the numbers") {
  const Function f = branches(256, 2, 3);
  const Placement two = placed(f, cpus(4), {.threads = 4});
  CHECK(used(two).size() == 2);
  for (const char* name : {"small", "begin", "0", "1", "2"}) {
    CHECK(device_of(f, two, str_cat("b0/", name)) == 0);
    CHECK(device_of(f, two, str_cat("b1/", name)) == 1);
  }
  const auto one = placed(f, cpus(1), {.threads = 4});
  CHECK(two.seconds < 0.6 * one.seconds);
  CHECK(one.reasons[0] == "the only device");
  size_t heavy = 0;
  while (f.nodes[heavy].name != "b1/0") ++heavy;
  CHECK(two.reasons[heavy].starts_with("where it finishes first: takes "));
  CHECK(two.reasons[heavy].find("; on cpu:0 ") != std::string::npos);
  REQUIRE(two.forecasts[heavy].size() == 4);
  CHECK(two.forecasts[heavy][0].device == 0);
  CHECK(two.forecasts[heavy][1].end < two.forecasts[heavy][0].end);
  // 2 * 256^3 operations.
  CHECK(two.forecasts[heavy][1].seconds == doctest::Approx(2.0 * 256 * 256 * 256 / 32e9).scale(0).epsilon(0.01));
  CHECK(two.summary.find("where they finish first") != std::string::npos);
  CHECK(used(placed(branches(256, 4, 3), cpus(4), {.threads = 4})).size() == 4);
}

TEST_CASE("a chain, a small graph, and devices that share one thread stay together") {
  CHECK(used(placed(branches(256, 1, 8), cpus(4), {.threads = 4})) == std::vector<int32_t>{0});
  CHECK(used(placed(branches(16, 4, 3), cpus(4), {.threads = 4})) == std::vector<int32_t>{0});
  CHECK(used(placed(branches(256, 4, 3), cpus(4), {.threads = 1})) == std::vector<int32_t>{0});
  std::vector<PlacementDevice> wide = cpus(4);
  for (PlacementDevice& d : wide) d.width = 0;  // each as wide as the engine
  CHECK(used(placed(branches(256, 4, 3), wide, {.threads = 4})) == std::vector<int32_t>{0});
}

TEST_CASE("a device that has an input of the function is next to it") {
  std::vector<PlacementDevice> devices = cpus(2);
  devices.push_back({.name = "far:0", .kind = "far", .gflops = 32, .gbytes_per_second = 20});
  const Function f = branches(64, 1, 2);
  const std::vector<int32_t> on_host{-1, -1}, far{2, -1}, second{1, -1};
  CHECK(used(placed(f, devices, {.input_homes = on_host, .threads = 2})) == std::vector<int32_t>{0});
  for (const char* name : {"b0/begin", "b0/0", "b0/1"}) {
    CHECK(device_of(f, placed(f, devices, {.input_homes = far, .threads = 2}), name) == 2);
    CHECK(device_of(f, placed(f, devices, {.input_homes = second, .threads = 2}), name) == 1);
  }
}

TEST_CASE("what is asked for by name, and what a group's home runs, is not moved by cost") {
  const Function f = branches(256, 3, 3, {"cpu:2", "", "cpu:2"});
  const Placement hinted = placed(f, cpus(4), {.threads = 4});
  CHECK(device_of(f, hinted, "b0/0") == 2);
  CHECK(device_of(f, hinted, "b2/2") == 2);
  CHECK(device_of(f, hinted, "b1/1") == 0);
  const std::vector<int32_t> group{3};
  CHECK(used(placed(branches(256, 3, 3), cpus(4), {.group = group, .threads = 4})) == std::vector<int32_t>{3});
}

TEST_CASE(
    "between unlike devices what they describe decides, whatever the number of threads and whatever was measured") {
  std::vector<PlacementDevice> devices = cpus(2);
  devices.push_back({.name = "fast:0", .kind = "fast", .gflops = 50'000, .gbytes_per_second = 900});
  const Function f = branches(512, 2, 4);
  MeasuredTimes slow;
  for (const Node& node : f.nodes) slow.add("fast:0", std::vector{node.name}, 10.0);
  for (const int32_t threads : {1, 2, 64}) {
    for (const MeasuredTimes* measured :
         {static_cast<const MeasuredTimes*>(nullptr), static_cast<const MeasuredTimes*>(&slow)}) {
      const Placement there = placed(f, devices, {.threads = threads, .measured = measured});
      CHECK(device_of(f, there, "b0/1") == 2);
      CHECK(device_of(f, there, "b1/3") == 2);
    }
  }
  CHECK(used(placed(branches(16, 2, 2), devices, {.threads = 2})) == std::vector<int32_t>{0});
}

TEST_CASE("times that were measured move work off a slow device, among devices of the same bits") {
  std::vector<PlacementDevice> devices;
  for (const char* name : {"sim:0", "sim:1"}) devices.push_back({.name = name, .kind = "sim", .bits = "cpu"});
  devices.insert(devices.begin(), cpus(1)[0]);
  devices[0].bits = "other";
  const Function f = branches(256, 2, 4, {"sim", "", ""});
  const Placement before = placed(f, devices, {.threads = 2});
  MeasuredTimes times;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    times.add("sim:0", std::vector{f.nodes[i].name}, 1e-3);
    times.add("sim:1", std::vector{f.nodes[i].name}, 40e-3);
  }
  const Placement after = placed(f, devices, {.threads = 2, .measured = &times});
  CHECK(std::count(after.device_of.begin(), after.device_of.end(), 2) == 0);
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    CHECK((before.device_of[i] == 0) == (after.device_of[i] == 0));
  }
}

TEST_CASE("a time of nodes that ran as one is shared out among them, and says what unmeasured nodes and devices take") {
  const Function f = branches(256, 1, 4);
  const std::vector<PlacementDevice> devices = cpus(2);
  MeasuredTimes times;
  times.add("cpu:0", std::vector<std::string>{"b0/0", "b0/1"}, 2e-3);
  times.add("cpu:0", std::vector<std::string>{"unknown"}, 7.0);
  const Placement measured = placed(f, devices, {.threads = 2, .measured = &times});
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (f.nodes[i].op->name != "MatMul") continue;
    for (const Forecast& forecast : measured.forecasts[i]) {
      CHECK(forecast.seconds == doctest::Approx(1e-3).scale(0).epsilon(1e-6));
    }
  }
}

TEST_CASE("the mean of measured times follows a change within a few runs") {
  MeasuredTimes times;
  const std::vector<std::string> node{"n"};
  for (int i = 0; i < 1000; ++i) times.add("cpu:0", node, 1);
  for (int i = 0; i < 64; ++i) times.add("cpu:0", node, 3);
  CHECK(times.of("cpu:0")->begin()->second.seconds > 2.9);
  CHECK(times.of("cpu:1") == nullptr);
}

TEST_CASE("nodes that are asked to stand with another one stand there, wherever that is") {
  const Function with = branches(256, 3, 3, {"cpu:3", "colocate:b0/1", "colocate:b1/0"});
  const Placement all = placed(with, cpus(4), {.threads = 4});
  for (const char* name : {"b1/0", "b1/2", "b2/0", "b2/2"}) CHECK(device_of(with, all, name) == 3);
  // Without a device name, cost decides for all of them as one.
  const Function free = branches(256, 3, 3, {"", "", "colocate:b1/1"});
  const Placement chosen = placed(free, cpus(4), {.threads = 4});
  CHECK(device_of(free, chosen, "b2/0") == device_of(free, chosen, "b1/1"));
  CHECK(device_of(free, chosen, "b1/1") != device_of(free, chosen, "b0/1"));
  const Function gone = branches(16, 1, 1, {"colocate:nobody"});
  CHECK(placed(gone, cpus(2), {})
            .reasons[1]
            .find("placement with 'nobody' was requested, which is not part of the plan") != std::string::npos);
}

TEST_CASE("nodes that cannot stand together are an error that names them, or with soft placement a reason") {
  const auto ops = make_test_ops();
  Builder builder(ops->registry);
  FunctionBuilder& f = builder.main();
  Emitter e(f);
  const ValueId x = *f.add_input("x", DType::kF32, Shape{4});
  f.set_device("cpu:0");
  const ValueId a = e.emit("Tanh", {x}, {}, "a");
  f.set_device("colocate:a");
  const ValueId b = e.emit("Relu", {a}, {}, "b");
  f.set_device("");
  REQUIRE(f.set_outputs({b}).ok());
  Function function = builder.graph().main();
  function.nodes.push_back(function.nodes[1]);
  function.nodes[2].name = "c";
  function.nodes[2].device = "cpu:1";
  function.nodes[2].outputs = {};
  function.nodes[1].device = "colocate:c";
  function.nodes[0].device = "colocate:b";
  CHECK(placed(function, cpus(2), {}).device_of == std::vector<int32_t>{1, 1, 1});

  Function torn = branches(16, 2, 2, {"cpu:0", "cpu:1"});
  for (Node& node : torn.nodes) {
    if (node.name == "b1/sum") node.device = "colocate:b0/0";
  }
  CHECK(device_of(torn, placed(torn, cpus(2), {}), "b1/sum") == 0);

  // Two different names in one group of nodes.
  Function two = branches(16, 1, 3);
  for (Node& node : two.nodes) {
    if (node.name == "b0/0") node.device = "cpu:1";
    if (node.name == "b0/1") node.device = "colocate:b0/0";
    if (node.name == "b0/2") node.device = "colocate:b0/1";
  }
  const auto same = placed(two, cpus(2), {});
  CHECK(device_of(two, same, "b0/2") == 1);

  class NoTanh final : public KernelProbe {
   public:
    Status can_run(const Node& node, std::string_view kind) const override {
      return kind == "cpu" || node.op->name != "MatMul" ? Status() : unimplemented("no product");
    }
  };
  std::vector<PlacementDevice> unlike = cpus(1);
  unlike.push_back({.name = "odd:0", .kind = "odd"});
  Function odd = branches(16, 1, 1);
  for (Node& node : odd.nodes) {
    if (node.name == "b0/begin") node.device = "odd:0";
    if (node.name == "b0/0") node.device = "colocate:b0/begin";
  }
  const auto strict = place(odd, unlike, NoTanh(), {});
  CHECK(strict.status().code() == Code::kUnimplemented);
  CHECK(strict.status().message() == "Mul 'b0/begin': MatMul 'b0/0', which is placed with it: no product");
  const auto soft = place(odd, unlike, NoTanh(), {.soft = true});
  REQUIRE(soft.ok());
  CHECK(device_of(odd, *soft, "b0/0") == 0);
  CHECK(device_of(odd, *soft, "b0/begin") == 0);
}

}  // namespace percale
