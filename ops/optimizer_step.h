// What the optimizer ops share: the operands that all have, their shapes, and the scalars read at run time.
#ifndef PERCALE_OPS_OPTIMIZER_STEP_H_
#define PERCALE_OPS_OPTIMIZER_STEP_H_

#include "core/registry/kernel.h"
#include "core/registry/shape_context.h"

namespace percale {

// `learning_rate`, `step` and `grad_scale` are scalars; `step` is the number of this update, from 1; the gradient is multiplied
// by `grad_scale` first, which spares a pass over it for the mean over a batch or for a clipped norm.
inline constexpr InputSpec kParam = in("param", 'T', dtypes::kFloat), kGrad = in("grad", 'T', dtypes::kFloat),
                           kLearningRate = in("learning_rate", 0, dtypes::kFloat64Or32),
                           kStep = in("step", 0, dtypes::kI64Only),
                           kGradScale = in_opt("grad_scale", 0, dtypes::kFloat64Or32);

// Every output has the parameter's dtype and shape.
Status step_shape(ShapeContext& context);

// A scalar f32 or f64 input.
struct ScalarInput {
  size_t number = 0;
  DType dtype = DType::kInvalid;  // kInvalid: absent

  // The input of that name.
  static ScalarInput find(const NodeView& node, std::string_view name);
  double read(const Launch& launch, double absent = 1) const;
};

// 1 - beta1^step and 1 - beta2^step. False, and the run has failed, when the step is not counted from 1.
bool bias_corrections(double beta1, double beta2, const Launch& launch, size_t step_input, double& first,
                      double& second);

}  // namespace percale

#endif  // PERCALE_OPS_OPTIMIZER_STEP_H_
