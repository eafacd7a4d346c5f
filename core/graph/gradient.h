// What a gradient function of an op reads and emits.
#ifndef PERCALE_CORE_GRAPH_GRADIENT_H_
#define PERCALE_CORE_GRAPH_GRADIENT_H_

#include <vector>

#include "core/graph/builder.h"

namespace percale {

// Makes the backward functions that If, Loop and Call need; implemented by core/autodiff.
class FunctionGradients;

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

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_GRADIENT_H_
