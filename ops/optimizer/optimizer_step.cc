// The arithmetic of the optimizer ops on spans of elements.
#include "ops/optimizer/optimizer_step.h"

#include <algorithm>
#include <cmath>

#include "devices/cpu/simd/simd.h"

namespace percale {

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

bool bias_corrections(const maths::Functions& f, double beta1, double beta2, const Launch& l, size_t input,
                      double& first, double& second) {
  const int64_t step = *l.in<int64_t>(input);
  if (step < 1) {
    l.fail(RunError::kBadSize, step);
    return false;
  }
  first = 1 - f.pow(beta1, static_cast<double>(step));
  second = 1 - f.pow(beta2, static_cast<double>(step));
  return true;
}

namespace {

constexpr bool is_adam(Rule rule) { return rule == Rule::kAdam || rule == Rule::kAdamW; }

}  // namespace

Result<StepPlan> make_step(Rule rule, const NodeView& v) {
  const Attributes& a = v.attributes;
  StepPlan p{
      .rule = rule, .size = v.output_shape(0).num_elements(), .dtype = v.dtype(0), .functions = v.numerics.functions()};
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    if (v.schema.input(i).name == "step") p.step = i;
  }
  p.slots = rule == Rule::kSGD ? 0 : is_adam(rule) || rule == Rule::kFtrl ? 2 : 1;
  if (rule == Rule::kRMSProp && v.has_input(3)) {
    p.slots = 2;
    p.hides_second = !v.has_output(2);
  }
  p.rate = ScalarInput::find(v, "learning_rate");
  p.scale = ScalarInput::find(v, "grad_scale");
  p.nesterov = a.get_int("nesterov") != 0;
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

bool read_numbers(const StepPlan& p, const Launch& l, StepNumbers& n) {
  n.rate = p.rate.read(l);
  n.scale = p.scale.read(l);
  if (p.rule == Rule::kFtrl && !(n.rate > 0)) {
    l.fail(RunError::kNotPositive, static_cast<int64_t>(p.rate.number));
    return false;
  }
  return p.step == 0 || bias_corrections(p.functions, p.beta1, p.beta2, l, p.step, n.first, n.second);
}

namespace {

// The factors of a step in the arithmetic of T.
template <class T>
struct StepFactors {
  StepFactors(const StepPlan& p, const StepNumbers& n)
      : scale(static_cast<T>(n.scale)),
        lr(static_cast<T>(n.rate)),
        decay(static_cast<T>(p.weight_decay)),
        decays(p.rule != Rule::kAdamW && p.rule != Rule::kLion && decay != 0),
        mu(static_cast<T>(p.momentum)),
        b1(static_cast<T>(p.beta1)),
        b2(static_cast<T>(p.beta2)),
        epsilon(static_cast<T>(p.epsilon)),
        c1(static_cast<T>(1 - p.beta1)),
        c2(static_cast<T>(1 - p.beta2)),
        alpha(static_cast<T>(p.alpha)),
        c_alpha(static_cast<T>(1 - p.alpha)),
        step_size(static_cast<T>(n.rate / n.first)),
        root(static_cast<T>(std::sqrt(n.second))),
        shrink(static_cast<T>(1 - n.rate * p.weight_decay)),
        l1(static_cast<T>(p.l1)),
        shrinkage(static_cast<T>(2 * p.l2_shrinkage)),
        power(static_cast<T>(p.power)),
        ridge(static_cast<T>(p.beta / n.rate + 2 * p.l2)) {}

  T scale, lr, decay;
  bool decays;  // decay times the parameter is added to the gradient
  T mu, b1, b2, epsilon;
  T c1, c2;                       // 1 - beta1, 1 - beta2
  T alpha, c_alpha;               // c_alpha: 1 - alpha
  T step_size, root;              // Adam: rate / correction 1, sqrt(correction 2)
  T shrink;                       // decoupled weight decay
  T l1, shrinkage, power, ridge;  // FTRL
};

}  // namespace

template <class T>
void apply_step(const StepPlan& p, const StepNumbers& numbers, const StepSpans<T>& at, int64_t count) {
  const T *param = at.param, *grad = at.grad, *slot0 = at.slots[0], *slot1 = at.slots[1];
  T *new_slot0 = at.new_slots[0], *new_slot1 = at.new_slots[1];
  const StepFactors<T> f(p, numbers);
  for (int64_t i = 0; i < count; ++i) {
    T w = param[i];
    const T g = f.decays ? grad[i] * f.scale + f.decay * w : grad[i] * f.scale;
    switch (p.rule) {
      case Rule::kSGD: w -= f.lr * g; break;
      case Rule::kMomentum: {
        const T buffer = f.mu * slot0[i] + g;
        w -= f.lr * (p.nesterov ? g + f.mu * buffer : buffer);
        new_slot0[i] = buffer;
        break;
      }
      case Rule::kAdam:
      case Rule::kAdamW: {
        if (p.rule == Rule::kAdamW) w *= f.shrink;
        const T m = f.b1 * slot0[i] + f.c1 * g, v = f.b2 * slot1[i] + f.c2 * g * g;
        w -= f.step_size * (m / (std::sqrt(v) / f.root + f.epsilon));
        new_slot0[i] = m;
        new_slot1[i] = v;
        break;
      }
      case Rule::kRMSProp: {
        const T square = f.alpha * slot0[i] + f.c_alpha * g * g;
        T d = g / (std::sqrt(square) + f.epsilon);
        if (slot1 != nullptr) {
          d = f.mu * slot1[i] + d;
          if (new_slot1 != nullptr) new_slot1[i] = d;
        }
        w -= f.lr * d;
        new_slot0[i] = square;
        break;
      }
      case Rule::kAdagrad: {
        const T square = slot0[i] + g * g;
        w -= f.lr * (g / (std::sqrt(square) + f.epsilon));
        new_slot0[i] = square;
        break;
      }
      case Rule::kFtrl: {
        const T square = slot0[i] + g * g;
        const T now = p.functions.pow(square, f.power), sigma = (now - p.functions.pow(slot0[i], f.power)) / f.lr;
        const T z = slot1[i] + g + f.shrinkage * w - sigma * w;
        w = std::fabs(z) <= f.l1 ? T{0} : (std::copysign(f.l1, z) - z) / (now / f.lr + f.ridge);
        new_slot0[i] = square;
        new_slot1[i] = z;
        break;
      }
      case Rule::kLion: {
        const T c = f.b1 * slot0[i] + f.c1 * g;
        w = w * f.shrink - f.lr * (c > 0 ? T{1} : c < 0 ? T{-1} : c);  // propagates NaN
        new_slot0[i] = f.b2 * slot0[i] + f.c2 * g;
        break;
      }
    }
    at.new_param[i] = w;
  }
}
template void apply_step(const StepPlan&, const StepNumbers&, const StepSpans<float>&, int64_t);
template void apply_step(const StepPlan&, const StepNumbers&, const StepSpans<double>&, int64_t);

Status accepts_simd_step(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  if (v.schema.name == "ApplyRMSProp" && v.has_input(3) != v.has_output(2)) {
    return unimplemented("requires the output 'new_buffer'");
  }
  if (v.schema.name.ends_with("ApplyFtrl") && v.attributes.get_float("learning_rate_power") != -0.5) {
    return unimplemented("requires learning_rate_power -0.5");
  }
  return {};
}

void apply_simd_step(const simd::OptimizerFns& fns, const StepPlan& p, const StepNumbers& numbers,
                     const StepSpans<float>& at, int64_t count) {
  const auto f32 = [](double value) { return static_cast<float>(value); };
  const float rate = f32(numbers.rate), decay = f32(p.weight_decay), scale = f32(numbers.scale);
  float *w = at.new_param, *slot0 = at.new_slots[0], *slot1 = at.new_slots[1];
  const float* g = at.grad;
  switch (p.rule) {
    case Rule::kSGD: fns.sgd({.lr = rate, .weight_decay = decay, .grad_scale = scale}, w, g, count); break;
    case Rule::kMomentum:
      fns.momentum(
          {.lr = rate, .momentum = f32(p.momentum), .weight_decay = decay, .grad_scale = scale, .nesterov = p.nesterov},
          w, g, slot0, count);
      break;
    case Rule::kAdam:
    case Rule::kAdamW:
      fns.adam({.lr = numbers.rate,
                .beta1 = p.beta1,
                .beta2 = p.beta2,
                .epsilon = p.epsilon,
                .weight_decay = p.weight_decay,
                .correction1 = numbers.first,
                .correction2 = numbers.second,
                .grad_scale = scale,
                .decoupled = p.rule == Rule::kAdamW},
               w, g, slot0, slot1, count);
      break;
    case Rule::kRMSProp:
      fns.rmsprop({.lr = rate,
                   .alpha = f32(p.alpha),
                   .epsilon = f32(p.epsilon),
                   .momentum = f32(p.momentum),
                   .weight_decay = decay,
                   .grad_scale = scale},
                  w, g, slot0, nullptr, slot1, count);
      break;
    case Rule::kAdagrad:
      fns.adagrad({.lr = rate, .epsilon = f32(p.epsilon), .weight_decay = decay, .grad_scale = scale}, w, g, slot0,
                  count);
      break;
    case Rule::kFtrl:
      fns.ftrl({.lr = numbers.rate,
                .l1 = p.l1,
                .l2 = p.l2,
                .l2_shrinkage = p.l2_shrinkage,
                .beta = p.beta,
                .grad_scale = scale},
               w, g, slot0, slot1, count);
      break;
    case Rule::kLion:
      fns.lion(
          {.lr = numbers.rate, .beta1 = p.beta1, .beta2 = p.beta2, .weight_decay = p.weight_decay, .grad_scale = scale},
          w, g, slot0, count);
      break;
  }
}

}  // namespace percale
