// What a gradient function of an op reads and emits.
#ifndef PERCALE_CORE_GRAPH_GRADIENT_H_
#define PERCALE_CORE_GRAPH_GRADIENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Makes the backward functions that the gradients of If, Loop and Call need; implemented by core/autodiff. Borrowed from
// whoever takes the gradients. Adding a function moves the graph's functions: references to them end there.
class FunctionGradients {
 public:
  virtual ~FunctionGradients() = default;

  // The name of a function that takes the inputs of `function`, then the gradients of those of its outputs that are marked in
  // `given`, and gives the gradients of those of its inputs that are marked in `wanted` (zeros where none flows), all in
  // order. It computes the forward pass again, random numbers included, without ops that only look (Print, Assert). Made
  // when first asked for. UNIMPLEMENTED where `function` writes state, which must not happen twice.
  virtual Result<std::string> backward(std::string_view function, const std::vector<bool>& given,
                                       const std::vector<bool>& wanted) = 0;
  // Which outputs of `function` may carry a gradient to the inputs that are marked.
  virtual Result<std::vector<bool>> reached(std::string_view function, const std::vector<bool>& inputs) const = 0;
};

}  // namespace percale

// One node of the forward pass on the way back. Emits into the function that holds the node.
struct percale_grad_context : percale::Emitter {
  percale_grad_context(percale::FunctionBuilder& builder, percale::NodeId node_id,
                       std::vector<percale::ValueId> grad_outputs, std::vector<bool> wanted,
                       percale::FunctionGradients* functions);

  // A copy of the node: emitting moves the function's arrays.
  const percale::Node& node() const { return node_; }
  const percale::Attributes& attributes() const { return attributes_; }  // defaults filled in
  size_t num_inputs() const { return node_.inputs.size(); }
  // kNoValue where absent.
  percale::ValueId input(size_t i) const;
  percale::ValueId output(size_t i) const;
  // The gradient of the loss with respect to output i; kNoValue when it is zero.
  percale::ValueId grad(size_t i) const;
  // The same, zeros of the output's shape where there is none.
  percale::ValueId grad_or_zeros(size_t i);
  // True when somebody needs the gradient of input i: skip the work where not.
  bool wants(size_t i) const { return i < wanted_.size() && wanted_[i]; }
  // Sets the gradient with respect to input i. Not set, or kNoValue: zero.
  void set(size_t i, percale::ValueId grad);
  const std::vector<percale::ValueId>& results() const { return results_; }
  percale::FunctionGradients* functions() const { return functions_; }

 private:
  percale::Node node_;
  percale::Attributes attributes_;
  std::vector<percale::ValueId> grad_outputs_, results_;
  std::vector<bool> wanted_;
  percale::FunctionGradients* functions_;
};

namespace percale {

// The gradient `grad` of a broadcast result, summed back to the shape of `input`, one of its operands. Works for shapes that
// are not known yet.
ValueId sum_to_shape_of(Emitter& emitter, ValueId grad, ValueId input);

// A tensor of the dtype and shape of `like`, every element `value`. Works for shapes that are not known yet.
ValueId full_like(Emitter& emitter, ValueId like, double value);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_GRADIENT_H_
