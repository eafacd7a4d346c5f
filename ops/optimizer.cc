// Optimizer steps: pure functions of parameter, gradient and slots, planned in place.
#include <array>
#include <cmath>

#include "core/registry/shape_context.h"
#include "devices/cpu/simd/simd.h"
#include "ops/families.h"
#include "ops/float_kernels.h"
#include "ops/optimizer_step.h"

namespace percale {

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

ScalarInput ScalarInput::find(const NodeView& v, std::string_view name) {
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (v.schema.input(i).name == name && v.has_input(i)) return {i, v.dtype(i)};
  }
  return {};
}

double ScalarInput::read(const Launch& l, double absent) const {
  if (dtype == DType::kInvalid) return absent;
  return dtype == DType::kF64 ? *l.in<double>(number) : static_cast<double>(*l.in<float>(number));
}

bool bias_corrections(double beta1, double beta2, const Launch& l, size_t input, double& first, double& second) {
  const int64_t step = *l.in<int64_t>(input);
  if (step < 1) {
    l.fail(RunError::kBadSize, step);
    return false;
  }
  first = 1 - std::pow(beta1, static_cast<double>(step));
  second = 1 - std::pow(beta2, static_cast<double>(step));
  return true;
}

namespace {

constexpr AttrSpec kWeightDecay = attr_float("weight_decay", 0, 0);

// Where no other source is named the formulas are those of PyTorch's optimizers; g is the gradient times grad_scale,
// to which ApplySGD, ApplyMomentum, ApplyAdam, ApplyRMSProp and ApplyAdagrad first add weight_decay * param.
constexpr OpSchema kSchemas[] = {
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
     .doc = "buffer = momentum * buffer + g; param - learning_rate * buffer, with nesterov * (g + momentum * buffer) "
            "(PyTorch's SGD).",
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
     .doc = "ApplyAdam on param * (1 - learning_rate * weight_decay), which g does not see (PyTorch's AdamW).",
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
     .doc =
         "FTRL-proximal (McMahan et al. 2013, as TensorFlow and Keras): h = g + 2 l2_shrinkage param; n' = n + g^2; "
         "z' = z + h - (n'^-p - n^-p) / learning_rate * param, p = learning_rate_power; the new param is 0 where "
         "|z'| <= l1, else (sign(z') l1 - z') / ((n'^-p + beta) / learning_rate + 2 l2). param, grad, accumulator (n) "
         "and linear (z) share one shape and one of f16, bf16, f32, f64; learning_rate is a scalar above 0.",
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
            "param "
            "is param (1 - learning_rate weight_decay) - learning_rate sign(c). param, grad and m share one shape and "
            "one of "
            "f16, bf16, f32, f64; learning_rate is a scalar.",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), kLearningRate, kGradScale},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.99, 0, 1), kWeightDecay},
     .outputs = {out("new_param", 'T'), out("new_m", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}},
     .shape = &step_shape,
     .grad = grad::none},
};

enum class Rule { kSGD, kMomentum, kAdam, kAdamW, kRMSProp, kAdagrad, kFtrl, kLion };

constexpr bool is_adam(Rule rule) { return rule == Rule::kAdam || rule == Rule::kAdamW; }

struct StepPlan {
  Rule rule = Rule::kSGD;
  int64_t size = 0;
  ScalarInput rate = {}, scale = {};
  size_t step = 0;  // that input, 0 for rules without it
  DType dtype = DType::kInvalid;
  bool nesterov = false, buffer = false, new_buffer = false;
  double weight_decay = 0, momentum = 0, beta1 = 0, beta2 = 0, epsilon = 0, alpha = 0;
  double power = 0, l1 = 0, l2 = 0, l2_shrinkage = 0, beta = 0;  // FTRL; power: -learning_rate_power
};

template <Rule kRule>
Result<StepPlan> plan_step(const NodeView& v, KernelPlan&) {
  const Attributes& a = v.attributes;
  StepPlan p{.rule = kRule, .size = v.output_shape(0).num_elements(), .dtype = v.dtype(0)};
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (v.schema.input(i).name == "step") p.step = i;
  }
  p.rate = ScalarInput::find(v, "learning_rate");
  p.scale = ScalarInput::find(v, "grad_scale");
  p.nesterov = a.get_int("nesterov") != 0;
  p.buffer = kRule == Rule::kRMSProp && v.has_input(3);
  p.new_buffer = p.buffer && v.has_output(2);
  p.weight_decay = a.get_float("weight_decay");
  p.momentum = a.get_float("momentum");
  p.beta1 = a.get_float("beta1");
  p.beta2 = a.get_float("beta2");
  p.epsilon = a.get_float("epsilon");
  p.alpha = a.get_float("alpha");
  p.power = -a.get_float("learning_rate_power");
  p.l1 = a.get_float("l1");
  p.l2 = a.get_float("l2");
  p.l2_shrinkage = a.get_float("l2_shrinkage");
  p.beta = a.get_float("beta");
  return p;
}

// What one launch adds to the plan: the learning rate, the gradient's factor, and 1 - beta1^step and 1 - beta2^step (ones for rules without them).
struct StepNumbers {
  double rate = 0, scale = 1, first = 1, second = 1;
};

// False when the run fails: the step is not counted from 1, or FTRL, which divides by the rate, has none.
bool read_numbers(const StepPlan& p, const Launch& l, StepNumbers& n) {
  n.rate = p.rate.read(l);
  n.scale = p.scale.read(l);
  if (p.rule == Rule::kFtrl && !(n.rate > 0)) {
    l.fail(RunError::kNotPositive, static_cast<int64_t>(p.rate.number));
    return false;
  }
  return p.step == 0 || bias_corrections(p.beta1, p.beta2, l, p.step, n.first, n.second);
}

// The element type's own arithmetic, so that f32 steps can be done in registers of f32.
template <class T>
void apply(const StepPlan& p, const Launch& l) {
  const T *param = l.in<T>(0), *grad = l.in<T>(1);
  const T* slot0 = p.rule == Rule::kSGD ? nullptr : l.in<T>(2);
  const bool two_slots = is_adam(p.rule) || p.rule == Rule::kFtrl;
  const T* slot1 = two_slots || p.buffer ? l.in<T>(3) : nullptr;
  T* new_param = l.out<T>(0);
  T* new_slot0 = p.rule == Rule::kSGD ? nullptr : l.out<T>(1);
  T* new_slot1 = two_slots || p.new_buffer ? l.out<T>(2) : nullptr;
  StepNumbers numbers;
  if (!read_numbers(p, l, numbers)) return;
  const auto [rate, grad_scale, first, second] = numbers;
  const auto scale = static_cast<T>(grad_scale);
  const auto lr = static_cast<T>(rate), decay = static_cast<T>(p.weight_decay), mu = static_cast<T>(p.momentum);
  const auto b1 = static_cast<T>(p.beta1), b2 = static_cast<T>(p.beta2), epsilon = static_cast<T>(p.epsilon);
  const auto c1 = static_cast<T>(1 - p.beta1), c2 = static_cast<T>(1 - p.beta2);
  const auto alpha = static_cast<T>(p.alpha), c_alpha = static_cast<T>(1 - p.alpha);
  const auto step_size = static_cast<T>(rate / first), root = static_cast<T>(std::sqrt(second));
  const auto shrink = static_cast<T>(1 - rate * p.weight_decay);
  const auto l1 = static_cast<T>(p.l1), shrinkage = static_cast<T>(2 * p.l2_shrinkage), power = static_cast<T>(p.power);
  const auto ridge = static_cast<T>(p.beta / rate + 2 * p.l2);

  const int64_t pieces = piece_count(p.size, 8);
  l.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, pieces, piece, 16);
    for (int64_t i = range.begin; i < range.end; ++i) {
      T w = param[i];
      const T g =
          p.rule == Rule::kAdamW || p.rule == Rule::kLion || decay == 0 ? grad[i] * scale : grad[i] * scale + decay * w;
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
        case Rule::kFtrl: {
          const T square = slot0[i] + g * g;
          const T now = std::pow(square, power), sigma = (now - std::pow(slot0[i], power)) / lr;
          const T z = slot1[i] + g + shrinkage * w - sigma * w;
          w = std::fabs(z) <= l1 ? T{0} : (std::copysign(l1, z) - z) / (now / lr + ridge);
          new_slot0[i] = square;
          new_slot1[i] = z;
          break;
        }
        case Rule::kLion: {
          const T c = b1 * slot0[i] + c1 * g;
          w = w * shrink - lr * (c > 0 ? T{1} : c < 0 ? T{-1} : c);  // NaN stays NaN
          new_slot0[i] = b2 * slot0[i] + c2 * g;
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
  if (v.schema.name == "ApplyFtrl" && v.attributes.get_float("learning_rate_power") != -0.5) {
    return unimplemented("takes learning_rate_power -0.5, a square root, alone");
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
  StepNumbers numbers;
  if (!read_numbers(p, l, numbers)) return;
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
      plan.fns->sgd({.lr = f32(numbers.rate), .weight_decay = f32(p.weight_decay), .grad_scale = f32(numbers.scale)}, w,
                    g, count);
    } else if constexpr (kRule == Rule::kMomentum) {
      plan.fns->momentum({.lr = f32(numbers.rate),
                          .momentum = f32(p.momentum),
                          .weight_decay = f32(p.weight_decay),
                          .grad_scale = f32(numbers.scale),
                          .nesterov = p.nesterov},
                         w, g, in_place(1, 2), count);
    } else if constexpr (kRule == Rule::kAdam || kRule == Rule::kAdamW) {
      plan.fns->adam({.lr = numbers.rate,
                      .beta1 = p.beta1,
                      .beta2 = p.beta2,
                      .epsilon = p.epsilon,
                      .weight_decay = p.weight_decay,
                      .correction1 = numbers.first,
                      .correction2 = numbers.second,
                      .grad_scale = f32(numbers.scale),
                      .decoupled = kRule == Rule::kAdamW},
                     w, g, in_place(1, 2), in_place(2, 3), count);
    } else if constexpr (kRule == Rule::kRMSProp) {
      plan.fns->rmsprop({.lr = f32(numbers.rate),
                         .alpha = f32(p.alpha),
                         .epsilon = f32(p.epsilon),
                         .momentum = f32(p.momentum),
                         .weight_decay = f32(p.weight_decay),
                         .grad_scale = f32(numbers.scale)},
                        w, g, in_place(1, 2), nullptr, p.buffer ? in_place(2, 3) : nullptr, count);
    } else if constexpr (kRule == Rule::kFtrl) {
      plan.fns->ftrl({.lr = numbers.rate,
                      .l1 = p.l1,
                      .l2 = p.l2,
                      .l2_shrinkage = p.l2_shrinkage,
                      .beta = p.beta,
                      .grad_scale = f32(numbers.scale)},
                     w, g, in_place(1, 2), in_place(2, 3), count);
    } else if constexpr (kRule == Rule::kLion) {
      plan.fns->lion({.lr = numbers.rate,
                      .beta1 = p.beta1,
                      .beta2 = p.beta2,
                      .weight_decay = p.weight_decay,
                      .grad_scale = f32(numbers.scale)},
                     w, g, in_place(1, 2), count);
    } else {
      plan.fns->adagrad({.lr = f32(numbers.rate),
                         .epsilon = f32(p.epsilon),
                         .weight_decay = f32(p.weight_decay),
                         .grad_scale = f32(numbers.scale)},
                        w, g, in_place(1, 2), count);
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
