// Checks a node against its schema and infers the types of its outputs. Used by the builder for
// every new node, by the validator for every node of a file, and by the planner again once the
// shapes of the feeds are known.
#ifndef PERCALE_CORE_GRAPH_INFER_H_
#define PERCALE_CORE_GRAPH_INFER_H_

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Checks arity, presence, dtypes, dtype groups and attributes (known names, kinds, ranges, required
// ones). `inputs` as in ShapeContext: kInvalid if absent.
Status check_node(const OpSchema& schema, std::string_view name, std::span<const ValueType> inputs, size_t num_outputs,
                  const Attributes& attributes);

// Runs check_node(), then the shape function. `values` has, per input, its value if known, else
// null; it may be empty. `partly_known` as in ShapeContext. The result has one entry per output,
// and no dtype in it is kInvalid.
Result<std::vector<ValueType>> infer_node(const OpSchema& schema, std::string_view name, std::vector<ValueType> inputs,
                                          std::vector<const Tensor*> values, size_t num_outputs,
                                          const Attributes& attributes, const FunctionTypes* functions,
                                          std::vector<Tensor> partly_known = {});

// Infers the output types of a node of `function` from the types of its inputs there.
Result<std::vector<ValueType>> infer_node(const Function& function, const Node& node, const FunctionTypes* functions);

// Declared types of functions by name, for ops that carry functions. The inputs are checked against
// the declared types. Bodies are not walked, so that the cost does not grow with nesting. Borrows
// the graph, whose functions must not move. Thread-compatible.
class DeclaredFunctionTypes final : public FunctionTypes {
 public:
  // RESOURCE_EXHAUSTED after `max_work` inputs and outputs, so that small nodes that call large
  // functions cannot cost more than the size of the graph.
  explicit DeclaredFunctionTypes(const Graph& graph, int64_t max_work = INT64_MAX)
      : graph_(graph), work_left_(max_work) {}
  Result<std::vector<ValueType>> output_types(std::string_view function,
                                              const std::vector<ValueType>& inputs) const override;
  bool keeps_true(std::string_view function, size_t output, size_t input) const override;

 private:
  const Function* find(std::string_view name) const;
  const Graph& graph_;
  mutable int64_t work_left_;
  mutable std::unordered_map<std::string_view, const Function*> index_;  // filled on first use
};

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_INFER_H_
