// Optimizer steps: pure functions of the parameter, the gradient and the slots, planned in place.
#include "core/registry/shape_context.h"
#include "devices/cpu/simd/simd.h"
#include "ops/optimizer/optimizer_step.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {

// The gradient and slots have the shape of the parameter. The learning rate and the step are
// scalars.
Status step_shape(ShapeContext& c) {
  Shape shape = c.shape(0);
  for (size_t i = 1; i < c.num_inputs(); ++i) {
    if (!c.has_input(i)) continue;
    if (c.schema.input(i).group == 'T') {
      if (!compatible(shape, c.shape(i))) {
        return c.error("'", c.schema.input(i).name, "' has shape ", c.shape(i), ", but the parameter has ", shape);
      }
      shape = merge(shape, c.shape(i));
    } else if (!compatible(c.shape(i), Shape{})) {
      return c.error("'", c.schema.input(i).name, "' must be a scalar, got ", c.shape(i));
    }
  }
  if (c.schema.name == "ApplyRMSProp" && c.wants_output(2) && !c.has_input(3)) {
    return c.error("output 'new_buffer' requires input 'buffer'");
  }
  for (size_t i = 0; i < c.outputs.size(); ++i) c.set_output(i, c.dtype(0), shape);
  return {};
}

namespace {

constexpr AttrSpec kWeightDecay = attr_float("weight_decay", 0, 0);

// Unless another source is named, the formulas are those of PyTorch's optimizers. g is the gradient
// times grad_scale. ApplySGD, ApplyMomentum, ApplyAdam, ApplyRMSProp and ApplyAdagrad first add
// weight_decay * param to it.
constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "ApplySGD",
     .doc = "param - learning_rate * g (PyTorch's SGD).",
     .inputs = {kParam, kGrad, kLearningRate, kGradScale},
     .attributes = {kWeightDecay},
     .outputs = {out("new_param", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyMomentum",
     .doc = "buffer = momentum * buffer + g; param - learning_rate * buffer, or with nesterov: param - learning_rate * "
            "(g + momentum * buffer) (PyTorch's SGD).",
     .inputs = {kParam, kGrad, in("buffer", 'T', dtypes::kFloat), kLearningRate, kGradScale},
     .attributes = {attr_float("momentum", 0.9, 0), attr_int("nesterov", 0, 0, 1), kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_buffer", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyAdam",
     .doc =
         "m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 - beta1^step) * m / "
         "(sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), in("v", 'T', dtypes::kFloat), kLearningRate, kStep,
                kGradScale},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.999, 0, 1), attr_float("epsilon", 1e-8, 0),
                    kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_m", 'T'), out("new_v", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyAdamW",
     .doc = "ApplyAdam applied to param * (1 - learning_rate * weight_decay); the decay does not enter g (PyTorch's "
            "AdamW).",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), in("v", 'T', dtypes::kFloat), kLearningRate, kStep,
                kGradScale},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.999, 0, 1), attr_float("epsilon", 1e-8, 0),
                    attr_float("weight_decay", 0.01, 0)},
     .outputs = {out("new_param", 'T'), out("new_m", 'T'), out("new_v", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyRMSProp",
     .doc = "s = alpha s + (1 - alpha) g^2; d = g / (sqrt(s) + epsilon); param - learning_rate * d, or with a buffer: "
            "buffer = momentum * buffer + d; param - learning_rate * buffer (PyTorch's RMSprop).",
     .inputs = {kParam, kGrad, in("square", 'T', dtypes::kFloat), in_opt("buffer", 'T', dtypes::kFloat), kLearningRate,
                kGradScale},
     .attributes = {attr_float("alpha", 0.99, 0, 1), attr_float("epsilon", 1e-8, 0), attr_float("momentum", 0, 0),
                    kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_square", 'T'), out_opt("new_buffer", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyAdagrad",
     .doc = "s = s + g^2; param - learning_rate * g / (sqrt(s) + epsilon) (PyTorch's Adagrad).",
     .inputs = {kParam, kGrad, in("square", 'T', dtypes::kFloat), kLearningRate, kGradScale},
     .attributes = {attr_float("epsilon", 1e-10, 0), kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_square", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyFtrl",
     .doc = "FTRL-proximal (McMahan et al. 2013, as in TensorFlow and Keras): h = g + 2 l2_shrinkage param; n' = n + "
            "g^2; z' = z + h - (n'^-p - n^-p) / learning_rate * param, p = learning_rate_power; the new param is 0 "
            "where |z'| <= l1, otherwise (sign(z') l1 - z') / ((n'^-p + beta) / learning_rate + 2 l2). param, grad, "
            "accumulator (n) and linear (z) have the same shape and the same dtype, one of f16, bf16, f32, f64; "
            "learning_rate is a scalar above 0.",
     .inputs = {kParam, kGrad, in("accumulator", 'T', dtypes::kFloat), in("linear", 'T', dtypes::kFloat), kLearningRate,
                kGradScale},
     .attributes = {attr_float("learning_rate_power", -0.5, -1e6, 0), attr_float("l1", 0, 0), attr_float("l2", 0, 0),
                    attr_float("l2_shrinkage", 0, 0), attr_float("beta", 0, 0)},
     .outputs = {out("new_param", 'T'), out("new_accumulator", 'T'), out("new_linear", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyLion",
     .doc = "Lion (Chen et al. 2023, algorithm 2): c = beta1 m + (1 - beta1) g; m' = beta2 m + (1 - beta2) g; the new "
            "param is param (1 - learning_rate weight_decay) - learning_rate sign(c). param, grad and m have the same "
            "shape and the same dtype, one of f16, bf16, f32, f64; learning_rate is a scalar.",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), kLearningRate, kGradScale},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.99, 0, 1), kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_m", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}},
     .shape = &step_shape,
     .grad = grad::none},
};

template <Rule kRule>
Result<StepPlan> plan_step(const NodeView& v, KernelPlan&) {
  return make_step(kRule, v);
}

template <class T>
void apply(const StepPlan& p, const Launch& l) {
  StepNumbers numbers;
  if (!read_numbers(p, l, numbers)) return;
  const StepSpans<T> all = step_spans<T>(p, l, 1);
  const int64_t pieces = piece_count(p.size, 8);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, pieces, piece, 16);
    apply_step<T>(p, numbers, all.from(range.begin, range.begin), range.end - range.begin);
  });
}

void run_step(const StepPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { apply<T>(p, l); });
}

// ---- SIMD kernels: f32, in place. Inputs are first copied to outputs that the planner could not
// place in the inputs' memory.
struct SimdStepPlan {
  StepPlan step;
  const simd::OptimizerFns* fns;
};

template <Rule kRule>
Result<SimdStepPlan> plan_simd_step(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const StepPlan p, plan_step<kRule>(v, plan));
  return SimdStepPlan{p, static_cast<const simd::SimdTable*>(plan.user)->optimizer};
}

void run_simd_step(const SimdStepPlan& plan, const Launch& l) {
  const StepPlan& p = plan.step;
  StepNumbers numbers;
  if (!read_numbers(p, l, numbers)) return;
  const StepSpans<float> all = step_spans<float>(p, l, 1);
  const int64_t pieces = piece_count(p.size, 4);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, pieces, piece, 16);
    const StepSpans<float> part = all.from(range.begin, range.begin);
    part.begin_as_inputs(range.end - range.begin);
    apply_simd_step(*plan.fns, p, numbers, part, range.end - range.begin);
  });
}

template <Rule kRule>
[[gnu::always_inline]] inline Kernel simd_step(const char* name, OpName op, const simd::SimdTable* simd) {
  return make_kernel<&accepts_simd_step, &plan_simd_step<kRule>, &run_simd_step>(name, op, "percale", simd);
}

}  // namespace

Status register_optimizer(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) {
    const Kernel kernels[] = {simd_step<Rule::kSGD>("simd.apply_sgd", "ApplySGD", simd),
                              simd_step<Rule::kMomentum>("simd.apply_momentum", "ApplyMomentum", simd),
                              simd_step<Rule::kAdam>("simd.apply_adam", "ApplyAdam", simd),
                              simd_step<Rule::kAdamW>("simd.apply_adamw", "ApplyAdamW", simd),
                              simd_step<Rule::kRMSProp>("simd.apply_rmsprop", "ApplyRMSProp", simd),
                              simd_step<Rule::kAdagrad>("simd.apply_adagrad", "ApplyAdagrad", simd),
                              simd_step<Rule::kFtrl>("simd.apply_ftrl", "ApplyFtrl", simd),
                              simd_step<Rule::kLion>("simd.apply_lion", "ApplyLion", simd)};
    for (const Kernel& kernel : kernels) PERCALE_RETURN_IF_ERROR(registry.add_kernel("cpu", kernel));
  }
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kSGD>, &run_step>(
      registry, "ApplySGD", "percale", "portable.apply_sgd", "portable.apply_sgd_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kMomentum>, &run_step>(
      registry, "ApplyMomentum", "percale", "portable.apply_momentum", "portable.apply_momentum_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kAdam>, &run_step>(
      registry, "ApplyAdam", "percale", "portable.apply_adam", "portable.apply_adam_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kAdamW>, &run_step>(
      registry, "ApplyAdamW", "percale", "portable.apply_adamw", "portable.apply_adamw_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kRMSProp>, &run_step>(
      registry, "ApplyRMSProp", "percale", "portable.apply_rmsprop", "portable.apply_rmsprop_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kAdagrad>, &run_step>(
      registry, "ApplyAdagrad", "percale", "portable.apply_adagrad", "portable.apply_adagrad_widened")));
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_step<Rule::kFtrl>, &run_step>(
      registry, "ApplyFtrl", "percale", "portable.apply_ftrl", "portable.apply_ftrl_widened")));
  return add_float_kernels<&plan_step<Rule::kLion>, &run_step>(registry, "ApplyLion", "percale", "portable.apply_lion",
                                                               "portable.apply_lion_widened");
}

}  // namespace percale
