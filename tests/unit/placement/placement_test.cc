#include <doctest/doctest.h>

#include "core/graph/builder.h"
#include "core/placement/partition.h"
#include "core/placement/place.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

// Accepts only Add on devices of kind "tiny".
class OnlyAdd final : public KernelProbe {
 public:
  Status can_run(const Node& node, std::string_view kind) const override {
    if (kind == "cpu" || node.op->name == "Add") return {};
    return unimplemented("only Add is known here");
  }
};

const std::vector<PlacementDevice> kDevices = {
    {"tiny:0", "tiny", false, 0, 0}, {"cpu:0", "cpu", true, 0, 0}, {"cpu:1", "cpu", true, 0, 0}};

// a = x + x; b = relu(a) on `device`; c = a + b; d = a * b.
Function diamond(std::string_view device) {
  static const auto ops = make_test_ops();
  Builder builder(ops->registry);
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{4});
  const ValueId a = e.emit("Add", {x, x}, {}, "a");
  builder.main().set_device(device);
  const ValueId b = e.emit("Relu", {a}, {}, "b");
  builder.main().set_device("");
  const ValueId c = e.emit("Add", {a, b}, {}, "c");
  const ValueId d = e.emit("Mul", {a, b}, {}, "d");
  REQUIRE(e.status().ok());
  REQUIRE(builder.main().set_outputs({c, d, x}).ok());
  return builder.graph().main();
}

TEST_CASE(
    "nodes go where they are asked to, near their inputs, or to the first device that runs them, with the reason") {
  const Function f = diamond("cpu:1");
  const auto placed = place(f, kDevices, OnlyAdd(), {.soft = false});
  REQUIRE(placed.ok());
  CHECK(placed->device_of == std::vector<int32_t>{0, 2, 0, 2});
  CHECK(placed->reasons[0].starts_with("first device that can run it: takes "));
  CHECK(placed->forecasts[0].size() == 3);
  CHECK(placed->forecasts[1].empty());
  CHECK(placed->reasons[1] == "requested: cpu:1");
  CHECK(placed->reasons[2].starts_with("next to its largest inputs: takes "));
  CHECK(placed->reasons[2].find("; on cpu:0 ") != std::string::npos);
  CHECK(placed->reasons[3].find("not on tiny:0: only Add is known here") != std::string::npos);
}

TEST_CASE("with a home all that it can run stands there, but for what was asked for elsewhere") {
  const auto tiny = place(diamond("cpu:1"), kDevices, OnlyAdd(), {.soft = false, .group = std::vector<int32_t>{0}});
  REQUIRE(tiny.ok());
  CHECK(tiny->device_of == std::vector<int32_t>{0, 2, 0, 2});
  CHECK(tiny->reasons[2] == "runs on the home device");
  const auto cpu = place(diamond(""), kDevices, OnlyAdd(), {.soft = false, .group = std::vector<int32_t>{2}});
  REQUIRE(cpu.ok());
  CHECK(cpu->device_of == std::vector<int32_t>{2, 2, 2, 2});
}

TEST_CASE("a device that cannot run what was asked of it is an error, or with soft placement a reason") {
  const Function f = diamond("tiny:0");
  const auto strict = place(f, kDevices, OnlyAdd(), {.soft = false});
  CHECK(strict.status().code() == Code::kUnimplemented);
  CHECK(strict.status().message() == "Relu 'b': only Add is known here");
  const auto soft = place(f, kDevices, OnlyAdd(), {.soft = true});
  REQUIRE(soft.ok());
  CHECK(soft->device_of[1] == 1);
  CHECK(soft->reasons[1].find("requested tiny:0, but only Add is known here") != std::string::npos);
  const auto unknown = place(diamond("cuda:0"), kDevices, OnlyAdd(), {.soft = false});
  CHECK(unknown.status().code() == Code::kNotFound);
  CHECK(unknown.status().message().find("it has tiny:0, cpu:0, cpu:1") != std::string_view::npos);
}

TEST_CASE("a node that asks for a place in the group stands there if that device runs it, else at home") {
  const std::vector<int32_t> group = {1, 2, 0};
  const auto second = place(diamond("group:1"), kDevices, OnlyAdd(), {.soft = false, .group = group});
  REQUIRE(second.ok());
  CHECK(second->device_of == std::vector<int32_t>{1, 2, 1, 1});
  CHECK(second->reasons[1] == "requested: group:1");
  const auto tiny = place(diamond("group:2"), kDevices, OnlyAdd(), {.soft = false, .group = group});
  REQUIRE(tiny.ok());
  CHECK(tiny->device_of[1] == 1);
  CHECK(tiny->reasons[1] == "runs on the home device; requested group:2, but only Add is known here");
  // The home of the third device's variables is the first device that has the host's memory.
  const auto host = place(diamond("group:2/host"), kDevices, OnlyAdd(), {.soft = false, .group = group});
  REQUIRE(host.ok());
  CHECK(host->device_of[1] == 1);
  const auto own = place(diamond("group:1/host"), kDevices, OnlyAdd(), {.soft = false, .group = group});
  REQUIRE(own.ok());
  CHECK(own->device_of[1] == 2);
}

TEST_CASE("a place that the group does not have is an error") {
  const std::vector<int32_t> group = {1, 2};
  const auto placed = place(diamond("group:2"), kDevices, OnlyAdd(), {.soft = true, .group = group});
  CHECK(placed.status().code() == Code::kInvalidArgument);
  CHECK(placed.status().message() == "Relu 'b': requests 'group:2', but the run's group has only 2 devices");
  CHECK(place(diamond("group:0"), kDevices, OnlyAdd(), {.soft = false}).status().code() == Code::kInvalidArgument);
  CHECK(place(diamond("group:x"), kDevices, OnlyAdd(), {.soft = false, .group = group}).status().code() ==
        Code::kNotFound);
}

TEST_CASE("a full name, a short name and a kind mean the same device") {
  for (const char* name : {"/job:worker/task:0/device:cpu:0", "device:cpu:0", "cpu:0", "cpu"}) {
    const auto placed = place(diamond(name), kDevices, OnlyAdd(), {.soft = false});
    REQUIRE(placed.ok());
    CHECK(placed->device_of[1] == 1);
  }
}

TEST_CASE("without a device nothing is placed") {
  CHECK(place(diamond(""), {}, OnlyAdd(), {.soft = false}).status().code() == Code::kFailedPrecondition);
}

TEST_CASE("the cut sends a value once to each part that needs it") {
  const Function f = diamond("");
  const Cut cut = partition(f, {0, 1, 1, 1});  // a on one device, all its users on another
  REQUIRE(cut.parts.size() == 2);
  REQUIRE(cut.transfers.size() == 1);
  CHECK(cut.transfers[0].value == "a");
  CHECK(cut.transfers[0].bytes == 16);
  CHECK(cut.parts[0].function.nodes.size() == 1);
  CHECK(cut.parts[1].function.nodes.size() == 3);
  CHECK(cut.parts[1].outputs[0].results == std::vector<int32_t>{0});
  CHECK(cut.parts[1].outputs[1].results == std::vector<int32_t>{1});
  REQUIRE(cut.passed_through.size() == 1);
  CHECK(cut.passed_through[0].first == 2);
}

TEST_CASE("values may go to and fro between two parts") {
  const Function f = diamond("");
  const Cut cut = partition(f, {0, 1, 0, 1});
  REQUIRE(cut.parts.size() == 2);
  CHECK(cut.transfers.size() == 2);  // a to the second part, b back to the first
}

}  // namespace
}  // namespace percale
