// The interface between the gradient function of an op and automatic differentiation.
#ifndef PERCALE_CORE_GRAPH_EMIT_GRADIENT_H_
#define PERCALE_CORE_GRAPH_EMIT_GRADIENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Makes the backward functions that the gradients of If, Loop and Call need. Implemented by
// core/autodiff and owned by the code that takes the gradients. Adding a function moves the graph's
// functions, so that references to them become invalid.
class FunctionGradients {
 public:
  virtual ~FunctionGradients() = default;

  // Returns the name of the backward function of `function`. Its inputs are the inputs of
  // `function`, then the gradients of the outputs marked in `given`. Its outputs are the gradients
  // of the inputs marked in `wanted` (zeros if none flows). All are in order.
  // It recomputes the forward pass, with the same random numbers, but without ops that only observe
  // (Print, Assert). Created on first use. UNIMPLEMENTED if `function` writes state, because that
  // must not happen twice.
  virtual Result<std::string> backward(std::string_view function, const std::vector<bool>& given,
                                       const std::vector<bool>& wanted) = 0;
  // Returns, per output of `function`, true if it may carry a gradient to the marked inputs.
  virtual Result<std::vector<bool>> reached(std::string_view function, const std::vector<bool>& inputs) const = 0;
};

}  // namespace percale

// One node of the forward pass during the backward walk. Emits into the function that holds the
// node.
struct percale_grad_context : percale::Emitter {
  percale_grad_context(percale::FunctionBuilder& builder, percale::NodeId node_id,
                       std::vector<percale::ValueId> grad_outputs, std::vector<bool> wanted,
                       percale::FunctionGradients* functions);

  // A copy of the node, because emitting moves the function's arrays.
  const percale::Node& node() const { return node_; }
  const percale::Attributes& attributes() const { return attributes_; }  // with defaults filled in
  size_t num_inputs() const { return node_.inputs.size(); }
  // Return kNoValue if absent.
  percale::ValueId input(size_t i) const;
  percale::ValueId output(size_t i) const;
  // Returns the gradient of the loss with respect to output i; kNoValue if it is zero.
  percale::ValueId grad(size_t i) const;
  // The same, with zeros of the output's shape instead of kNoValue.
  percale::ValueId grad_or_zeros(size_t i);
  // True if the gradient of input i is needed. Skip its computation if not.
  bool wants(size_t i) const { return i < wanted_.size() && wanted_[i]; }
  // Sets the gradient with respect to input i. An input that is not set, or set to kNoValue, has
  // gradient zero.
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

// Sums the gradient `grad` of a broadcast result to the shape of `input`, one of its operands.
// Shapes may be unknown.
ValueId sum_to_shape_of(Emitter& emitter, ValueId grad, ValueId input);

// Emits a tensor with the dtype and shape of `like` and every element `value`. Shapes may be
// unknown.
ValueId full_like(Emitter& emitter, ValueId like, double value);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_EMIT_GRADIENT_H_
