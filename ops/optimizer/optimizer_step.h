// What the optimizer ops share: the operands that all have, their shapes, the scalars read at run time, and the arithmetic.
#ifndef PERCALE_OPS_OPTIMIZER_OPTIMIZER_STEP_H_
#define PERCALE_OPS_OPTIMIZER_OPTIMIZER_STEP_H_

#include <algorithm>
#include <array>

#include "core/registry/kernel.h"
#include "core/registry/shape_context.h"

namespace percale {

namespace simd {
struct OptimizerFns;  // devices/cpu/simd/optimizer.h
}

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

enum class Rule { kSGD, kMomentum, kAdam, kAdamW, kRMSProp, kAdagrad, kFtrl, kLion };

// What a node says of its rule.
struct StepPlan {
  Rule rule = Rule::kSGD;
  int64_t size = 0;  // elements of the parameter
  ScalarInput rate = {}, scale = {};
  size_t step = 0;  // that input, 0 for rules without it
  DType dtype = DType::kInvalid;
  size_t slots = 0;           // that are read
  bool hides_second = false;  // the second slot is read and its next value not asked for
  bool nesterov = false;
  double weight_decay = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0, alpha = 0;
  double power = 0, l1 = 0, l2 = 0, l2_shrinkage = 0, beta = 0;  // FTRL; power: -learning_rate_power
};
Result<StepPlan> make_step(Rule rule, const NodeView& node);

// What one launch adds to the plan: the learning rate, the gradient's factor, and 1 - beta1^step and 1 - beta2^step (ones for rules without them).
struct StepNumbers {
  double rate = 0, scale = 1, first = 1, second = 1;
};
// False when the run fails: the step is not counted from 1, or FTRL, which divides by the rate, has none.
bool read_numbers(const StepPlan& p, const Launch& l, StepNumbers& n);

// Where the elements of a step lie. Slots that a rule has not are null. New values may stand where the old ones do.
template <class T>
struct StepSpans {
  const T *param = nullptr, *grad = nullptr;
  std::array<const T*, 2> slots = {};
  T* new_param = nullptr;
  std::array<T*, 2> new_slots = {};

  // The elements from these places on: of the gradient, and of all others.
  StepSpans from(int64_t gradient, int64_t others) const {
    const auto moved = [](auto* p, int64_t by) { return p == nullptr ? p : p + by; };
    return {moved(param, others),
            moved(grad, gradient),
            {moved(slots[0], others), moved(slots[1], others)},
            moved(new_param, others),
            {moved(new_slots[0], others), moved(new_slots[1], others)}};
  }
  // Copies old values to where new ones will stand.
  void begin_as_inputs(int64_t count) const {
    if (new_param != param) std::copy_n(param, count, new_param);
    for (size_t i = 0; i < slots.size(); ++i) {
      if (new_slots[i] != nullptr && new_slots[i] != slots[i]) std::copy_n(slots[i], count, new_slots[i]);
    }
  }
};
// Of a launch: the parameter is input 0, the gradient input `gradient`, the slots stand behind it.
template <class T>
StepSpans<T> step_spans(const StepPlan& p, const Launch& l, size_t gradient) {
  StepSpans<T> out{l.in<T>(0), l.in<T>(gradient), {}, l.out<T>(0), {}};
  for (size_t i = 0; i < p.slots; ++i) {
    out.slots[i] = l.in<T>(gradient + 1 + i);
    out.new_slots[i] = i == 1 && p.hides_second ? nullptr : l.out<T>(1 + i);
  }
  return out;
}

// One step of `count` elements, in the element type's own arithmetic, so that f32 steps can be done in registers of f32.
// T: float or double.
template <class T>
void apply_step(const StepPlan& p, const StepNumbers& numbers, const StepSpans<T>& at, int64_t count);

// The same on the SIMD functions, in place: new values begin as the old ones. An element's bits do not depend on where in a
// span it stands. For nodes that accepts_simd_step() takes.
Status accepts_simd_step(const NodeView& node);
void apply_simd_step(const simd::OptimizerFns& fns, const StepPlan& p, const StepNumbers& numbers,
                     const StepSpans<float>& at, int64_t count);

}  // namespace percale

#endif  // PERCALE_OPS_OPTIMIZER_OPTIMIZER_STEP_H_
