// Helpers for tests of passes that change last bits: every op is taken whole, and results are
// compared to a tolerance.
#ifndef PERCALE_TESTS_UNIT_PASSES_RECOGNIZE_UTIL_H_
#define PERCALE_TESTS_UNIT_PASSES_RECOGNIZE_UTIL_H_

#include <algorithm>
#include <cmath>

#include "core/passes/edit/propagate.h"
#include "core/passes/passes.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/graph_util.h"

namespace percale {

// Runs the pass `name` on main. Checks that the result is valid, has the same outputs by name, and
// the same numbers to 1e-12 (f64). Returns the ops after the pass.
inline std::vector<std::string> ops_after(const Graph& graph, std::string_view name, const std::vector<Tensor>& inputs,
                                          const std::map<std::string, Tensor>& variables = {}) {
  Function f = graph.main();
  PassContext context;
  context.evaluate = [&](const OpSchema& schema, std::string_view node, const Attributes& attributes,
                         const std::vector<Tensor>& values, size_t num_outputs) {
    return evaluate_node(*graph.registry, "cpu", schema, node, attributes, values, num_outputs,
                         std::make_shared<MemoryPool>());
  };
  context.claims = [](const Function&, const Node&) { return true; };
  const auto passes = device_free_passes();
  const auto pass = std::find_if(passes.begin(), passes.end(), [&](const Pass& p) { return p.name == name; });
  REQUIRE(pass != passes.end());
  check(pass->run(graph, f, context));
  Graph copy = graph;
  copy.functions[0] = f;
  check(Builder(copy).finish().status());
  REQUIRE(f.outputs.size() == graph.main().outputs.size());
  const auto before = evaluate(graph, graph.main(), inputs, variables), after = evaluate(graph, f, inputs, variables);
  for (size_t i = 0; i < before.size(); ++i) {
    CHECK(f.value(f.outputs[i]).name == graph.main().value(graph.main().outputs[i]).name);
    REQUIRE(before[i].shape() == after[i].shape());
    const auto want = before[i].span<double>(), got = after[i].span<double>();
    for (size_t k = 0; k < want.size(); ++k) CHECK(std::abs(got[k] - want[k]) <= 1e-12 * (1 + std::abs(want[k])));
  }
  std::vector<std::string> out;
  for (const Node& node : f.nodes) out.emplace_back(node.op->name);
  return out;
}

// Returns irregular numbers in (low, high).
inline Tensor wavy(const Shape& shape, double low = -1, double high = 1) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    const double wave = std::sin(static_cast<double>(i + 1) * 12.9898) * 43758.5453;
    values[i] = low + (high - low) * (wave - std::floor(wave));
  }
  return Tensor::of(shape, std::span<const double>(values));
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_PASSES_RECOGNIZE_UTIL_H_
