// Checks a node against its schema and finds the types of its outputs. The builder asks it for every node that is built,
// the validator for every node of a file, the planner again when the feeds' shapes are known.
#ifndef PERCALE_CORE_GRAPH_INFER_H_
#define PERCALE_CORE_GRAPH_INFER_H_

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Arity, presence, dtypes, groups, attributes (known names, kinds, ranges, required ones). `inputs` as in
// ShapeContext: kInvalid where absent.
Status check_node(const OpSchema& schema, std::string_view name, std::span<const ValueType> inputs, size_t num_outputs,
                  const Attributes& attributes);

// check_node, then the shape function. `values`: per input its value where it is known, else null (may be empty).
// `partly_known` as in ShapeContext.
// The result has one entry per output; no dtype of it is kInvalid.
Result<std::vector<ValueType>> infer_node(const OpSchema& schema, std::string_view name, std::vector<ValueType> inputs,
                                          std::vector<const Tensor*> values, size_t num_outputs,
                                          const Attributes& attributes, const FunctionTypes* functions,
                                          std::vector<Tensor> partly_known = {});

// The output types of a node of `function`, from the types that its inputs have there.
Result<std::vector<ValueType>> infer_node(const Function& function, const Node& node, const FunctionTypes* functions);

// Types of functions by name, for ops that carry them: what the functions declare, their inputs checked against the given
// types. It does not walk into bodies, so its cost does not grow with nesting. Borrows the graph, whose functions
// must stay where they are. Thread-compatible.
class DeclaredFunctionTypes final : public FunctionTypes {
 public:
  // RESOURCE_EXHAUSTED after `max_work` inputs and outputs: small nodes that call large functions must not cost more than
  // the graph is large.
  explicit DeclaredFunctionTypes(const Graph& graph, int64_t max_work = INT64_MAX)
      : graph_(graph), work_left_(max_work) {}
  Result<std::vector<ValueType>> output_types(std::string_view function,
                                              const std::vector<ValueType>& inputs) const override;
  bool keeps_true(std::string_view function, size_t output, size_t input) const override;

 private:
  const Function* find(std::string_view name) const;
  const Graph& graph_;
  mutable int64_t work_left_;
  mutable std::unordered_map<std::string_view, const Function*> index_;  // filled when first asked
};

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_INFER_H_
