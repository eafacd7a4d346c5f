#include "core/graph/emit/gradient.h"

using percale::kNoValue;
using percale::ValueId;

percale_grad_context::percale_grad_context(percale::FunctionBuilder& builder, percale::NodeId node_id,
                                           std::vector<ValueId> grad_outputs, std::vector<bool> wanted,
                                           percale::FunctionGradients* functions)
    : Emitter(builder),
      node_(builder.function().node(node_id)),
      attributes_(percale::with_defaults(*node_.op, node_.attributes)),
      grad_outputs_(std::move(grad_outputs)),
      results_(node_.inputs.size(), kNoValue),
      wanted_(std::move(wanted)),
      functions_(functions) {}

ValueId percale_grad_context::input(size_t i) const { return i < node_.inputs.size() ? node_.inputs[i] : kNoValue; }
ValueId percale_grad_context::output(size_t i) const { return i < node_.outputs.size() ? node_.outputs[i] : kNoValue; }
ValueId percale_grad_context::grad(size_t i) const { return i < grad_outputs_.size() ? grad_outputs_[i] : kNoValue; }

ValueId percale_grad_context::grad_or_zeros(size_t i) {
  return grad(i) != kNoValue ? grad(i) : percale::full_like(*this, output(i), 0);
}

void percale_grad_context::set(size_t i, ValueId grad) {
  if (i < results_.size()) results_[i] = grad;
}

namespace percale {

ValueId sum_to_shape_of(Emitter& emitter, ValueId grad, ValueId input) {
  if (grad == kNoValue || input == kNoValue) return kNoValue;
  const Shape& want = emitter.shape(input);
  if (want.is_static() && emitter.shape(grad) == want) return grad;
  return emitter.emit("percale:SumToShape", {grad, emitter.emit("Shape", {input})});
}

ValueId full_like(Emitter& emitter, ValueId like, double value) {
  const ValueType type = emitter.type(like);
  const ValueId scalar = emitter.scalar(type.dtype, value);
  if (!type.shape.is_static()) return emitter.emit("Expand", {scalar, emitter.emit("Shape", {like})});
  if (type.shape.rank() == 0) return scalar;
  return emitter.emit("Expand", {scalar, emitter.ints({type.shape.begin(), type.shape.end()})});
}

}  // namespace percale
