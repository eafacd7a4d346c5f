// ApplyLAMB: Adam's direction, scaled per parameter tensor by a ratio of two norms.
#include <cmath>

#include "devices/cpu/simd/simd.h"
#include "ops/optimizer/optimizer_step.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "ApplyLAMB",
     .doc = "LAMB (You et al. 2020, algorithm 2): m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2) g^2; u = m' "
            "/ (1 - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) + weight_decay param; the new param is param "
            "- learning_rate |param| / |u| u. The norms are Euclidean norms of the whole tensor; their ratio is 1 if "
            "either is 0. g is grad times grad_scale. param, grad, m and v have the same shape and the same dtype, one "
            "of f16, bf16, f32, f64; learning_rate and step are scalars.",
     .inputs = {kParam, kGrad, in("m", 'T', dtypes::kFloat), in("v", 'T', dtypes::kFloat), kLearningRate, kStep,
                kGradScale},
     .attributes = {attr_float("beta1", 0.9, 0, 1), attr_float("beta2", 0.999, 0, 1), attr_float("epsilon", 1e-6, 0),
                    attr_float("weight_decay", 0, 0)},
     .outputs = {out("new_param", 'T'), out("new_m", 'T'), out("new_v", 'T')},
     .in_place = {InPlace{0, 0}, InPlace{1, 2}, InPlace{2, 3}},
     .shape = &step_shape,
     .grad = grad::none},
};

struct LambPlan {
  int64_t size = 0, pieces = 1;
  DType dtype = DType::kInvalid;
  ScalarInput rate = {}, scale = {};
  double beta1 = 0, beta2 = 0, epsilon = 0, weight_decay = 0;
  const simd::OptimizerFns* fns = nullptr;
  const maths::Functions& functions;
};

// Scratch holds two sums of squares per piece: of the parameter and of the direction.
Result<LambPlan> plan_lamb(const NodeView& v, KernelPlan& plan) {
  const Attributes& a = v.attributes;
  LambPlan p{.size = v.output_shape(0).num_elements(), .dtype = v.dtype(0), .functions = v.numerics.functions()};
  p.rate = ScalarInput::find(v, "learning_rate");
  p.scale = ScalarInput::find(v, "grad_scale");
  p.pieces = piece_count(p.size, 16);
  p.beta1 = a.get_float("beta1");
  p.beta2 = a.get_float("beta2");
  p.epsilon = a.get_float("epsilon");
  p.weight_decay = a.get_float("weight_decay");
  plan.scratch_bytes = p.pieces * 2 * static_cast<int64_t>(sizeof(double));
  return p;
}

// Returns learning_rate * |param| / |u| from the sums of all pieces, added in order.
double step_length(const LambPlan& p, double rate, const double* sums) {
  double param = 0, direction = 0;
  for (int64_t i = 0; i < p.pieces; ++i) {
    param += sums[2 * i];
    direction += sums[2 * i + 1];
  }
  const bool zero = param == 0 || direction == 0;
  return zero ? rate : rate * (std::sqrt(param) / std::sqrt(direction));
}

template <class T>
void apply(const LambPlan& p, const Launch& l) {
  const T *param = l.in<T>(0), *grad = l.in<T>(1), *m = l.in<T>(2), *v = l.in<T>(3);
  T *new_param = l.out<T>(0), *new_m = l.out<T>(1), *new_v = l.out<T>(2);
  double first, second;
  if (!bias_corrections(p.functions, p.beta1, p.beta2, l, 5, first, second)) return;
  const auto b1 = static_cast<T>(p.beta1), b2 = static_cast<T>(p.beta2), decay = static_cast<T>(p.weight_decay);
  const auto c1 = static_cast<T>(1 - p.beta1), c2 = static_cast<T>(1 - p.beta2), epsilon = static_cast<T>(p.epsilon);
  const auto scale = static_cast<T>(p.scale.read(l));
  const auto mean = static_cast<T>(first), root = static_cast<T>(std::sqrt(second));
  const auto direction = [&](T w, T now_m, T now_v) {
    return now_m / mean / (std::sqrt(now_v) / root + epsilon) + decay * w;
  };
  double* sums = l.scratch<double>();
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, p.pieces, piece, 16);
    double of_param = 0, of_direction = 0;
    for (int64_t i = range.begin; i < range.end; ++i) {
      const T w = param[i], g = grad[i] * scale;
      new_m[i] = b1 * m[i] + c1 * g;
      new_v[i] = b2 * v[i] + c2 * g * g;
      const auto x = static_cast<double>(w), u = static_cast<double>(direction(w, new_m[i], new_v[i]));
      of_param += x * x;
      of_direction += u * u;
    }
    sums[2 * piece] = of_param;
    sums[2 * piece + 1] = of_direction;
  });
  const auto length = static_cast<T>(step_length(p, p.rate.read(l), sums));
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, p.pieces, piece, 16);
    for (int64_t i = range.begin; i < range.end; ++i) {
      new_param[i] = param[i] - length * direction(param[i], new_m[i], new_v[i]);
    }
  });
}

void run_lamb(const LambPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { apply<T>(p, l); });
}

// ---- SIMD kernel: f32, in place. Inputs are first copied to outputs that the planner could not
// place in the inputs' memory.
Status accepts_simd(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  return {};
}

Result<LambPlan> plan_simd(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(LambPlan p, plan_lamb(v, plan));
  p.fns = static_cast<const simd::SimdTable*>(plan.user)->optimizer;
  return p;
}

void run_simd(const LambPlan& p, const Launch& l) {
  simd::Lamb lamb{.beta1 = p.beta1, .beta2 = p.beta2, .epsilon = p.epsilon, .weight_decay = p.weight_decay};
  if (!bias_corrections(p.functions, p.beta1, p.beta2, l, 5, lamb.correction1, lamb.correction2)) return;
  lamb.grad_scale = static_cast<float>(p.scale.read(l));
  double* sums = l.scratch<double>();
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, p.pieces, piece, 16);
    const int64_t at = range.begin, count = range.end - range.begin;
    const auto in_place = [&](size_t output, size_t input) {
      const float* from = l.in<float>(input) + at;
      float* to = l.out<float>(output) + at;
      if (from != to) std::copy_n(from, count, to);
      return to;
    };
    p.fns->lamb_moments(lamb, in_place(0, 0), l.in<float>(1) + at, in_place(1, 2), in_place(2, 3), count,
                        sums + 2 * piece);
  });
  lamb.step = step_length(p, p.rate.read(l), sums);
  l.parallel()(p.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(p.size, p.pieces, piece, 16);
    const int64_t at = range.begin;
    p.fns->lamb_step(lamb, l.out<float>(0) + at, l.out<float>(1) + at, l.out<float>(2) + at, range.end - range.begin);
  });
}

}  // namespace

Status register_lamb(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) {
    PERCALE_RETURN_IF_ERROR(registry.add_kernel(
        "cpu", make_kernel<&accepts_simd, &plan_simd, &run_simd>("simd.apply_lamb", "ApplyLAMB", "percale", simd)));
  }
  return add_float_kernels<&plan_lamb, &run_lamb>(registry, "ApplyLAMB", "percale", "portable.apply_lamb",
                                                  "portable.apply_lamb_widened");
}

}  // namespace percale
