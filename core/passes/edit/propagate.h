// The walk shared by infer_shapes and fold_constants: it carries types and known values through a
// function.
#ifndef PERCALE_CORE_PASSES_EDIT_PROPAGATE_H_
#define PERCALE_CORE_PASSES_EDIT_PROPAGATE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/infer.h"
#include "core/passes/edit/pass.h"

namespace percale {

// Infers the types of functions for given input types by walking into their bodies. Each body is
// walked once per list of input types. If a body does not fit the inputs, its declared types are
// the answer: a branch that is never taken need not fit.
class BodyTypes final : public FunctionTypes {
 public:
  BodyTypes(const Graph& graph, const PassContext& context) : declared_(graph), graph_(graph), context_(context) {}
  Result<std::vector<ValueType>> output_types(std::string_view function,
                                              const std::vector<ValueType>& inputs) const override;
  bool keeps_true(std::string_view function, size_t output, size_t input) const override {
    return declared_.keeps_true(function, output, input);
  }

 private:
  using Types = std::vector<ValueType>;
  DeclaredFunctionTypes declared_;
  const Graph& graph_;
  const PassContext& context_;
  mutable std::map<std::string, std::vector<std::pair<Types, Types>>, std::less<>> known_;
};

// Refines the types of all values of `f`. With `fold`, known values become constants. Without it,
// only small integer tensors are computed, because shapes depend on them.
Status propagate(Function& f, const PassContext& context, const FunctionTypes& functions, bool fold);

// Gives the inputs of `f` the exact shapes that they are fed with, one per input. INVALID_ARGUMENT
// names an input whose declared shape does not allow it. infer_shapes carries the shapes on to the
// other values.
Status bind_inputs(Function& f, std::span<const Shape> shapes);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_PROPAGATE_H_
