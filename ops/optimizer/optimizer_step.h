// Code shared by the optimizer ops: their common operands, their shapes, the scalars read at run
// time, and the arithmetic.
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

// `learning_rate`, `step` and `grad_scale` are scalars. `step` is the number of this update, from
// 1. The gradient is multiplied by `grad_scale` first. This saves a pass over the gradient for the
// mean of a batch or for a clipped norm.
inline constexpr InputSpec kParam = in("param", 'T', dtypes::kFloat), kGrad = in("grad", 'T', dtypes::kFloat),
                           kLearningRate = in("learning_rate", 0, dtypes::kFloat64Or32),
                           kStep = in("step", 0, dtypes::kI64Only),
                           kGradScale = in_opt("grad_scale", 0, dtypes::kFloat64Or32);

// Shape function: every output has the parameter's dtype and shape.
Status step_shape(ShapeContext& context);

// A scalar f32 or f64 input.
struct ScalarInput {
  size_t number = 0;
  DType dtype = DType::kInvalid;  // kInvalid: absent

  // Finds the input with that name.
  static ScalarInput find(const NodeView& node, std::string_view name);
  double read(const Launch& launch, double absent = 1) const;
};

// Sets 1 - beta1^step and 1 - beta2^step. A step below 1 fails the run and returns false.
bool bias_corrections(const maths::Functions& functions, double beta1, double beta2, const Launch& launch,
                      size_t step_input, double& first, double& second);

enum class Rule { kSGD, kMomentum, kAdam, kAdamW, kRMSProp, kAdagrad, kFtrl, kLion };

// The update rule of a node and its attributes.
struct StepPlan {
  Rule rule = Rule::kSGD;
  int64_t size = 0;  // elements of the parameter
  ScalarInput rate = {}, scale = {};
  size_t step = 0;  // index of that input, 0 for rules without it
  DType dtype = DType::kInvalid;
  size_t slots = 0;           // number of slots that are read
  bool hides_second = false;  // the second slot is read, but its new value is not an output
  bool nesterov = false;
  double weight_decay = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0, alpha = 0;
  // FTRL; power is -learning_rate_power
  double power = 0, l1 = 0, l2 = 0, l2_shrinkage = 0, beta = 0;
  const maths::Functions& functions;
};
Result<StepPlan> make_step(Rule rule, const NodeView& node);

// Values known only at launch: the learning rate, the gradient's factor, and 1 - beta1^step and 1 -
// beta2^step (1 for rules without them).
struct StepNumbers {
  double rate = 0, scale = 1, first = 1, second = 1;
};
// Returns false and fails the run if the step is below 1, or if FTRL, which divides by the learning
// rate, gets one that is not positive.
bool read_numbers(const StepPlan& p, const Launch& l, StepNumbers& n);

// Pointers to the elements of a step. Slots that a rule lacks are null. New values may overwrite
// the old ones.
template <class T>
struct StepSpans {
  const T *param = nullptr, *grad = nullptr;
  std::array<const T*, 2> slots = {};
  T* new_param = nullptr;
  std::array<T*, 2> new_slots = {};

  // Returns the spans advanced by `gradient` elements for the gradient and by `others` for
  // everything else.
  StepSpans from(int64_t gradient, int64_t others) const {
    const auto moved = [](auto* p, int64_t by) { return p == nullptr ? p : p + by; };
    return {moved(param, others),
            moved(grad, gradient),
            {moved(slots[0], others), moved(slots[1], others)},
            moved(new_param, others),
            {moved(new_slots[0], others), moved(new_slots[1], others)}};
  }
  // Copies the old values to the memory of the new ones.
  void begin_as_inputs(int64_t count) const {
    if (new_param != param) std::copy_n(param, count, new_param);
    for (size_t i = 0; i < slots.size(); ++i) {
      if (new_slots[i] != nullptr && new_slots[i] != slots[i]) std::copy_n(slots[i], count, new_slots[i]);
    }
  }
};
// Returns the spans of a launch. The parameter is input 0, the gradient is input `gradient`, and
// the slots follow it.
template <class T>
StepSpans<T> step_spans(const StepPlan& p, const Launch& l, size_t gradient) {
  StepSpans<T> out{l.in<T>(0), l.in<T>(gradient), {}, l.out<T>(0), {}};
  for (size_t i = 0; i < p.slots; ++i) {
    out.slots[i] = l.in<T>(gradient + 1 + i);
    out.new_slots[i] = i == 1 && p.hides_second ? nullptr : l.out<T>(1 + i);
  }
  return out;
}

// Applies one step to `count` elements in the arithmetic of T, so that f32 steps can stay in f32
// registers. T is float or double.
template <class T>
void apply_step(const StepPlan& p, const StepNumbers& numbers, const StepSpans<T>& at, int64_t count);

// Does the same in place with SIMD functions: the new values must hold the old ones. An element's
// bits do not depend on its position within a span. Only for nodes that accepts_simd_step()
// accepts.
Status accepts_simd_step(const NodeView& node);
void apply_simd_step(const simd::OptimizerFns& fns, const StepPlan& p, const StepNumbers& numbers,
                     const StepSpans<float>& at, int64_t count);

}  // namespace percale

#endif  // PERCALE_OPS_OPTIMIZER_OPTIMIZER_STEP_H_
