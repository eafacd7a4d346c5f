// The library checks what a device reports of a compiled partition before it uses the partition.
#include "core/compile/executable.h"

#include <doctest/doctest.h>

#include <memory>

#include "core/graph/builder.h"
#include "tests/support/engine.h"

namespace percale {
namespace {

// The counts that the device reports, and how many of its executables there are.
struct Reports {
  uint64_t inputs = 1, outputs = 1;
  int executables = 0;
};

percale_device_api reporting_api() {
  percale_device_api api{};
  api.struct_size = sizeof api;
  api.kind = "reporting";
  api.close = [](void*) {};
  api.compile = [](void* device, const void*, uint64_t, void** executable) -> percale_status* {
    ++static_cast<Reports*>(device)->executables;
    *executable = device;
    return nullptr;
  };
  api.executable_destroy = [](void* executable) { --static_cast<Reports*>(executable)->executables; };
  api.operand_counts = [](void* executable, uint64_t* inputs, uint64_t* outputs) {
    *inputs = static_cast<Reports*>(executable)->inputs;
    *outputs = static_cast<Reports*>(executable)->outputs;
  };
  return api;
}

// One input, one output.
std::shared_ptr<const Graph> tanh_graph(const Engine& engine) {
  Builder builder(engine.registry());
  Emitter e(builder.main());
  const ValueId x = *builder.main().add_input("x", DType::kF32, Shape{3});
  REQUIRE(builder.main().set_outputs({e.emit("Tanh", {x}, {}, "y")}).ok());
  auto graph = builder.finish();
  REQUIRE_MESSAGE(graph.ok(), graph.status().to_string());
  return *graph;
}

TEST_CASE("an executable with other operands than its graph is refused and destroyed") {
  const auto engine = make_test_engine();
  REQUIRE(engine.ok());
  const auto graph = tanh_graph(**engine);
  Reports reports;
  const percale_device_api api = reporting_api();
  const Device device("reporting:0", api, 0, &reports, {}, 1, ParallelFor());
  CHECK(Executable::compile(device, *graph, graph->main()).ok());
  CHECK(reports.executables == 0);
  reports.inputs = 4000;
  const auto refused = Executable::compile(device, *graph, graph->main());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().message() ==
        "reporting:0: the device compiled a part of a graph with 1 inputs and 1 outputs, and reports 4000 and 1 for "
        "the executable; a process that serves the device is broken or not to be trusted");
  CHECK(reports.executables == 0);
  reports = {.outputs = 0};
  CHECK_FALSE(Executable::compile(device, *graph, graph->main()).ok());
}

TEST_CASE("a device that reports no counts is believed") {
  const auto engine = make_test_engine();
  REQUIRE(engine.ok());
  const auto graph = tanh_graph(**engine);
  Reports reports;
  percale_device_api api = reporting_api();
  api.operand_counts = nullptr;
  const Device device("reporting:0", api, 0, &reports, {}, 1, ParallelFor());
  CHECK(Executable::compile(device, *graph, graph->main()).ok());
}

}  // namespace
}  // namespace percale
