// Helpers for tests of passes that keep the bits: they run one pass and check its result.
#ifndef PERCALE_TESTS_UNIT_PASSES_PASS_UTIL_H_
#define PERCALE_TESTS_UNIT_PASSES_PASS_UTIL_H_

#include <algorithm>

#include "core/passes/passes.h"
#include "tests/unit/passes/evaluator.h"

namespace percale {

using Strings = std::vector<std::string>;

inline Strings op_names(const Function& f) {
  Strings out;
  for (const Node& node : f.nodes) out.emplace_back(node.op->name);
  return out;
}

inline Strings output_names(const Function& f) {
  Strings out;
  for (ValueId v : f.outputs) out.push_back(f.value(v).name);
  return out;
}

// Validates a copy of the graph in which main is `f`.
inline void check_valid(const Graph& graph, const Function& f) {
  Graph copy = graph;
  copy.functions[0] = f;
  check(Builder(copy).finish().status());
}

// Runs one pass on a copy of main and checks that the result is valid, gives the same bits, and
// keeps the names of its outputs.
inline Function run_pass(const Graph& graph, std::string_view name, const std::vector<Tensor>& inputs) {
  Function f = graph.main();
  PassContext context = with_evaluator(graph.registry);
  const auto passes = device_free_passes();
  const auto pass = std::find_if(passes.begin(), passes.end(), [&](const Pass& p) { return p.name == name; });
  REQUIRE(pass != passes.end());
  check(pass->run(graph, f, context));
  check_valid(graph, f);
  CHECK(output_names(f) == output_names(graph.main()));
  const auto before = evaluate(graph, graph.main(), inputs), after = evaluate(graph, f, inputs);
  REQUIRE(before.size() == after.size());
  for (size_t i = 0; i < before.size(); ++i) CHECK(same_bits(before[i], after[i]));
  return f;
}

inline const Tensor kX = f64({2, 3}, {0.3, -0.7, 1.1, 0.9, -0.2, -0.0});

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_PASSES_PASS_UTIL_H_
