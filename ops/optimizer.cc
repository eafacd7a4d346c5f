// Optimizer steps: pure functions of parameter, gradient and slots, planned in place.
#include <array>
#include <cmath>

#include "core/registry/shape_context.h"
#include "devices/cpu/simd/simd.h"
#include "ops/families.h"
#include "ops/float_kernels.h"

namespace percale {
namespace {

Status step_shape(ShapeContext& c);

constexpr DTypeSet kRate = dtypes::kFloat64Or32;
constexpr AttrSpec kWeightDecay = attr_float("weight_decay", 0, 0);
constexpr InputSpec kParam = in("param", 'T', dtypes::kFloat), kGrad = in("grad", 'T', dtypes::kFloat),
                    kLearningRate = in("learning_rate", 0, kRate), kStep = in("step", 0, dtypes::kI64Only);

// Formulas are those of PyTorch's optimizers; g is the gradient, to which all but ApplyAdamW first add
// weight_decay * param. `learning_rate` and `step` are scalars; `step` is the number of this update, from 1.
constexpr OpSchema kSchemas[] = {
    {.domain = "percale",
     .name = "ApplySGD",
     .doc = "param - learning_rate * g (PyTorch's SGD).",
     .inputs = {kParam, kGrad, kLearningRate},
     .attributes = {kWeightDecay},
     .outputs = {out("new_param", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyMomentum",
     .doc = "buffer = momentum * buffer + g; param - learning_rate * buffer, with nesterov * (g + momentum * buffer) "
            "(PyTorch's SGD).",
     .inputs = {kParam, kGrad, in("buffer", 'T', dtypes::kFloat), kLearningRate},
     .attributes = {attr_float("momentum", 0.9, 0), attr_int("nesterov", 0, 0, 1), kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_buffer", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyAdam",
     .doc = "m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; param - learning_rate / (1 - beta1^step) * m / "
            "(sqrt(v / (1 - beta2^step)) + epsilon) (PyTorch's Adam).",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), in("v", 'T', dtypes::kFloat), kLearningRate, kStep},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.999, 0, 1), attr_float("epsilon", 1e-8, 0),
                    kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_m", 'T'), out("new_v", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyAdamW",
     .doc = "ApplyAdam on param * (1 - learning_rate * weight_decay), which g does not see (PyTorch's AdamW).",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), in("v", 'T', dtypes::kFloat), kLearningRate, kStep},
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
     .inputs = {kParam, kGrad, in("square", 'T', dtypes::kFloat), in_opt("buffer", 'T', dtypes::kFloat), kLearningRate},
     .attributes = {attr_float("alpha", 0.99, 0, 1), attr_float("epsilon", 1e-8, 0), attr_float("momentum", 0, 0),
                    kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_square", 'T'), out_opt("new_buffer", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
    {.domain = "percale",
     .name = "ApplyAdagrad",
     .doc = "s = s + g^2; param - learning_rate * g / (sqrt(s) + epsilon) (PyTorch's Adagrad).",
     .inputs = {kParam, kGrad, in("square", 'T', dtypes::kFloat), kLearningRate},
     .attributes = {attr_float("epsilon", 1e-10, 0), kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_square", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}},
     .shape = &step_shape,
     .grad = grad::none},
};

// Gradient and slots have the shape of the parameter, learning rate and step are scalars.
Status step_shape(ShapeContext& c) {
  Shape shape = c.shape(0);
  for (size_t i = 1; i < c.num_inputs(); ++i) {
    if (!c.has_input(i)) continue;
    if (c.schema.input(i).group == 'T') {
      if (!compatible(shape, c.shape(i))) {
        return c.error("'", c.schema.input(i).name, "' has shape ", c.shape(i), ", the parameter ", shape);
      }
      shape = merge(shape, c.shape(i));
    } else if (!compatible(c.shape(i), Shape{})) {
      return c.error("'", c.schema.input(i).name, "' must be a scalar, got ", c.shape(i));
    }
  }
  if (c.schema.name == "ApplyRMSProp" && c.wants_output(2) && !c.has_input(3)) {
    return c.error("output 'new_buffer' needs input 'buffer'");
  }
  for (size_t i = 0; i < c.outputs.size(); ++i) c.set_output(i, c.dtype(0), shape);
  return {};
}

enum class Rule { kSGD, kMomentum, kAdam, kAdamW, kRMSProp, kAdagrad };

struct StepPlan {
  Rule rule = Rule::kSGD;
  int64_t size = 0;
  size_t rate = 2, step = 0;  // the inputs learning_rate and step
  DType dtype = DType::kInvalid, rate_dtype = DType::kInvalid;
  bool nesterov = false, buffer = false, new_buffer = false;
  double weight_decay = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0, alpha = 0;
};

template <Rule kRule>
Result<StepPlan> plan_step(const NodeView& v, KernelPlan&) {
  const Attributes& a = v.attributes;
  StepPlan p{.rule = kRule, .size = v.output_shape(0).num_elements(), .dtype = v.dtype(0)};
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (v.schema.input(i).name == "learning_rate") p.rate = i;
    if (v.schema.input(i).name == "step") p.step = i;
  }
  p.rate_dtype = v.dtype(p.rate);
  p.nesterov = a.get_int("nesterov") != 0;
  p.buffer = kRule == Rule::kRMSProp && v.has_input(3);
  p.new_buffer = p.buffer && v.has_output(2);
  p.weight_decay = a.get_float("weight_decay");
  p.momentum = a.get_float("momentum");
  p.beta1 = a.get_float("beta1");
  p.beta2 = a.get_float("beta2");
  p.epsilon = a.get_float("epsilon");
  p.alpha = a.get_float("alpha");
  return p;
}

double rate_of(const StepPlan& p, const Launch& l) {
  return p.rate_dtype == DType::kF64 ? *l.in<double>(p.rate) : static_cast<double>(*l.in<float>(p.rate));
}

// 1 - beta1^step and 1 - beta2^step; ones for rules without them. False when the step is not counted from 1.
bool bias_corrections(const StepPlan& p, const Launch& l, double& first, double& second) {
  first = second = 1;
  if (p.step == 0) return true;
  const int64_t step = *l.in<int64_t>(p.step);
  if (step < 1) {
    l.fail(RunError::kBadSize, step);
    return false;
  }
  first = 1 - std::pow(p.beta1, static_cast<double>(step));
  second = 1 - std::pow(p.beta2, static_cast<double>(step));
  return true;
}

// The element type's own arithmetic, so that f32 steps can be done in registers of f32.
template <class T>
void apply(const StepPlan& p, const Launch& l) {
  const T *param = l.in<T>(0), *grad = l.in<T>(1);
  const T* slot0 = p.rule == Rule::kSGD ? nullptr : l.in<T>(2);
  const T* slot1 = p.rule == Rule::kAdam || p.rule == Rule::kAdamW || p.buffer ? l.in<T>(3) : nullptr;
  T* new_param = l.out<T>(0);
  T* new_slot0 = p.rule == Rule::kSGD ? nullptr : l.out<T>(1);
  T* new_slot1 = p.rule == Rule::kAdam || p.rule == Rule::kAdamW || p.new_buffer ? l.out<T>(2) : nullptr;
  const double rate = rate_of(p, l);
  double first, second;
  if (!bias_corrections(p, l, first, second)) return;
  const auto lr = static_cast<T>(rate), decay = static_cast<T>(p.weight_decay), mu = static_cast<T>(p.momentum);
  const auto b1 = static_cast<T>(p.beta1), b2 = static_cast<T>(p.beta2), epsilon = static_cast<T>(p.epsilon);
  const auto c1 = static_cast<T>(1 - p.beta1), c2 = static_cast<T>(1 - p.beta2);
  const auto alpha = static_cast<T>(p.alpha), c_alpha = static_cast<T>(1 - p.alpha);
  const auto step_size = static_cast<T>(rate / first), root = static_cast<T>(std::sqrt(second));
  const auto shrink = static_cast<T>(1 - rate * p.weight_decay);

  const int64_t pieces = piece_count(p.size, 8);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, pieces, piece, 16);
    for (int64_t i = range.begin; i < range.end; ++i) {
      T w = param[i];
      const T g = p.rule == Rule::kAdamW || decay == 0 ? grad[i] : grad[i] + decay * w;
      switch (p.rule) {
        case Rule::kSGD: w -= lr * g; break;
        case Rule::kMomentum: {
          const T buffer = mu * slot0[i] + g;
          w -= lr * (p.nesterov ? g + mu * buffer : buffer);
          new_slot0[i] = buffer;
          break;
        }
        case Rule::kAdam:
        case Rule::kAdamW: {
          if (p.rule == Rule::kAdamW) w *= shrink;
          const T m = b1 * slot0[i] + c1 * g, v = b2 * slot1[i] + c2 * g * g;
          w -= step_size * (m / (std::sqrt(v) / root + epsilon));
          new_slot0[i] = m;
          new_slot1[i] = v;
          break;
        }
        case Rule::kRMSProp: {
          const T square = alpha * slot0[i] + c_alpha * g * g;
          T d = g / (std::sqrt(square) + epsilon);
          if (slot1 != nullptr) {
            d = mu * slot1[i] + d;
            if (new_slot1 != nullptr) new_slot1[i] = d;
          }
          w -= lr * d;
          new_slot0[i] = square;
          break;
        }
        case Rule::kAdagrad: {
          const T square = slot0[i] + g * g;
          w -= lr * (g / (std::sqrt(square) + epsilon));
          new_slot0[i] = square;
          break;
        }
      }
      new_param[i] = w;
    }
  });
}

void run_step(const StepPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { apply<T>(p, l); });
}

// On the SIMD kernels: f32, in place; where the planner could not give the outputs the inputs' memory they are copied first.
struct SimdStepPlan {
  StepPlan step;
  const simd::OptimizerFns* fns;
};

Status accepts_simd(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("works in f32");
  if (v.schema.name == "ApplyRMSProp" && v.has_input(3) != v.has_output(2)) {
    return unimplemented("works in place and needs the output 'new_buffer'");
  }
  return {};
}

template <Rule kRule>
Result<SimdStepPlan> plan_simd_step(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const StepPlan p, plan_step<kRule>(v, plan));
  return SimdStepPlan{p, static_cast<const simd::SimdTable*>(plan.user)->optimizer};
}

template <Rule kRule>
void run_simd_step(const SimdStepPlan& plan, const Launch& l) {
  const StepPlan& p = plan.step;
  double first, second;
  if (!bias_corrections(p, l, first, second)) return;
  const double rate = rate_of(p, l);
  const auto f32 = [](double value) { return static_cast<float>(value); };
  const int64_t pieces = piece_count(p.size, 4);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, pieces, piece, 16);
    const int64_t at = range.begin, count = range.end - range.begin;
    // Output `output` begins as input `input`.
    const auto in_place = [&](size_t output, size_t input) {
      const float* from = l.in<float>(input) + at;
      float* to = l.out<float>(output) + at;
      if (from != to) std::copy_n(from, count, to);
      return to;
    };
    float* w = in_place(0, 0);
    const float* g = l.in<float>(1) + at;
    if constexpr (kRule == Rule::kSGD) {
      plan.fns->sgd({.lr = f32(rate), .weight_decay = f32(p.weight_decay)}, w, g, count);
    } else if constexpr (kRule == Rule::kMomentum) {
      plan.fns->momentum({.lr = f32(rate), .momentum = f32(p.momentum), .weight_decay = f32(p.weight_decay),
                          .nesterov = p.nesterov},
                         w, g, in_place(1, 2), count);
    } else if constexpr (kRule == Rule::kAdam || kRule == Rule::kAdamW) {
      plan.fns->adam({.lr = rate, .beta1 = p.beta1, .beta2 = p.beta2, .epsilon = p.epsilon,
                      .weight_decay = p.weight_decay, .correction1 = first, .correction2 = second,
                      .decoupled = kRule == Rule::kAdamW},
                     w, g, in_place(1, 2), in_place(2, 3), count);
    } else if constexpr (kRule == Rule::kRMSProp) {
      plan.fns->rmsprop({.lr = f32(rate), .alpha = f32(p.alpha), .epsilon = f32(p.epsilon), .momentum = f32(p.momentum),
                         .weight_decay = f32(p.weight_decay)},
                        w, g, in_place(1, 2), nullptr, p.buffer ? in_place(2, 3) : nullptr, count);
    } else {
      plan.fns->adagrad({.lr = f32(rate), .epsilon = f32(p.epsilon), .weight_decay = f32(p.weight_decay)}, w, g,
                        in_place(1, 2), count);
    }
  });
}

template <Rule kRule>
Kernel simd_step(const char* name, const char* op, const simd::SimdTable* simd) {
  return make_kernel<&accepts_simd, &plan_simd_step<kRule>, &run_simd_step<kRule>>(name, op, "percale", simd);
}

}  // namespace

Status register_optimizer(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops(kSchemas));
  if (simd != nullptr) {
    const Kernel kernels[] = {simd_step<Rule::kSGD>("simd.apply_sgd", "ApplySGD", simd),
                              simd_step<Rule::kMomentum>("simd.apply_momentum", "ApplyMomentum", simd),
                              simd_step<Rule::kAdam>("simd.apply_adam", "ApplyAdam", simd),
                              simd_step<Rule::kAdamW>("simd.apply_adamw", "ApplyAdamW", simd),
                              simd_step<Rule::kRMSProp>("simd.apply_rmsprop", "ApplyRMSProp", simd),
                              simd_step<Rule::kAdagrad>("simd.apply_adagrad", "ApplyAdagrad", simd)};
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
  return add_float_kernels<&plan_step<Rule::kAdagrad>, &run_step>(registry, "ApplyAdagrad", "percale",
                                                                  "portable.apply_adagrad", "portable.apply_adagrad_widened");
}

}  // namespace percale
