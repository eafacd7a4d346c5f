// Activations: elementwise functions of one operand.
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

// ---- Shapes

Status shape_clip(ShapeContext& context) {
  for (size_t i = 1; i < context.num_inputs(); ++i) {
    if (context.has_input(i) && context.shape(i).known_rank() && context.shape(i).rank() != 0) {
      return context.error("input '", context.schema.input(i).name, "' must be a scalar, got ", context.shape(i));
    }
  }
  return shape_same(context);
}

Status shape_relu_grad(ShapeContext& context) {
  if (!compatible(context.shape(0), context.shape(1))) {
    return context.error("the shapes differ: ", context.shape(0), " and ", context.shape(1));
  }
  context.set_output(0, context.dtype(0), merge(context.shape(0), context.shape(1)));
  return {};
}

// ---- Gradients

Status grad_relu(GradContext& g) {
  g.set(0, g.emit("percale:ReluGrad", {g.grad(0), g.output(0)}));
  return g.status();
}
Status grad_relu_grad(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("percale:ReluGrad", {g.grad(0), g.input(1)}));
  return g.status();
}
Status grad_leaky_relu(GradContext& g) {
  const ValueId x = g.input(0);
  const ValueId low = mul(g, g.grad(0), scalar_like(g, x, g.attributes().get_float("alpha")));
  g.set(0, where(g, g.emit("Greater", {x, scalar_like(g, x, 0)}), g.grad(0), low));
  return g.status();
}
Status grad_sigmoid(GradContext& g) {
  const ValueId y = g.output(0);
  g.set(0, mul(g, mul(g, g.grad(0), y), sub(g, scalar_like(g, y, 1), y)));
  return g.status();
}
Status grad_tanh(GradContext& g) {
  const ValueId y = g.output(0);
  g.set(0, mul(g, g.grad(0), sub(g, scalar_like(g, y, 1), mul(g, y, y))));
  return g.status();
}
Status grad_erf(GradContext& g) {
  const ValueId x = g.input(0);
  const ValueId bell = g.emit("Exp", {neg(g, mul(g, x, x))});
  g.set(0, mul(g, g.grad(0), mul(g, bell, scalar_like(g, x, 2 * std::numbers::inv_sqrtpi))));
  return g.status();
}

// At a limit the gradient flows to the input, beyond it to the limit.
Status grad_clip(GradContext& g) {
  const ValueId x = g.input(0), low = g.input(1), high = g.input(2);
  const ValueId zero = scalar_like(g, x, 0);
  ValueId raised = x, below = kNoValue, above = kNoValue, inside = g.grad(0);
  if (low != kNoValue) {
    below = g.emit("Less", {x, low});
    raised = g.emit("Max", {x, low});
    inside = where(g, below, zero, inside);
  }
  if (high != kNoValue) {
    above = g.emit("Greater", {raised, high});
    inside = where(g, above, zero, inside);
  }
  g.set(0, inside);
  if (g.wants(1) && low != kNoValue) {
    ValueId share = where(g, below, g.grad(0), zero);
    if (above != kNoValue) share = where(g, above, zero, share);
    g.set(1, sum_to_shape_of(g, share, low));
  }
  if (g.wants(2) && high != kNoValue) {
    g.set(2, sum_to_shape_of(g, where(g, above, g.grad(0), zero), high));
  }
  return g.status();
}

Status grad_hard_sigmoid(GradContext& g) {
  const ValueId y = g.output(0);
  const ValueId zero = scalar_like(g, y, 0);
  const ValueId inside = g.emit("And", {g.emit("Greater", {y, zero}), g.emit("Less", {y, scalar_like(g, y, 1)})});
  const ValueId slope = scalar_like(g, y, g.attributes().get_float("alpha"));
  g.set(0, where(g, inside, mul(g, g.grad(0), slope), zero));
  return g.status();
}

// Slope: 0 up to -3, x/3 + 1/2 up to 3, then 1.
Status grad_hard_swish(GradContext& g) {
  const ValueId x = g.input(0);
  const ValueId ramp = add(g, div(g, x, scalar_like(g, x, 3)), scalar_like(g, x, 0.5));
  const ValueId low = g.emit("LessOrEqual", {x, scalar_like(g, x, -3)});
  const ValueId high = g.emit("GreaterOrEqual", {x, scalar_like(g, x, 3)});
  const ValueId slope = where(g, low, scalar_like(g, x, 0), where(g, high, scalar_like(g, x, 1), ramp));
  g.set(0, mul(g, g.grad(0), slope));
  return g.status();
}

// ---- Schemas

constexpr DTypeSet kReluTypes = dtypes::kFloat | dtypes::kSigned;

constexpr OpRow activation(std::string_view name, int32_t since, std::string_view doc, GradFn grad,
                           DTypeSet types = dtypes::kFloat, List<AttrSpec, kMaxAttributes> attributes = {}) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("X", 'T', types)},
          .attributes = attributes,
          .outputs = {out("Y", 'T')},
          .flags = kPure | kElementwise,
          .in_place = {InPlace{0, 0}},
          .shape = shape_same,
          .grad = grad};
}

constexpr OpRow kSchemas[] = {
    activation("Relu", 14, "max(X, 0); NaN stays NaN.", grad_relu, kReluTypes),
    activation("LeakyRelu", 16, "X where X >= 0, otherwise alpha X.", grad_leaky_relu, dtypes::kFloat,
               {attr_float("alpha", 0.01)}),
    activation("Sigmoid", 13, "1 / (1 + exp(-X)).", grad_sigmoid),
    activation("Tanh", 13, "The hyperbolic tangent of X.", grad_tanh),
    activation("Erf", 13, "The error function of X.", grad_erf),
    activation("HardSigmoid", 22, "max(0, min(1, alpha X + beta)).", grad_hard_sigmoid, dtypes::kFloat,
               {attr_float("alpha", 0.2), attr_float("beta", 0.5)}),
    activation("HardSwish", 22, "X max(0, min(1, X / 6 + 1/2)).", grad_hard_swish),
    {.name = "Clip",
     .since = 13,
     .doc = "min(max(X, min), max) with optional scalar limits; NaN stays NaN.",
     .inputs = {in("input", 'T', dtypes::kNumeric), in_opt("min", 'T', dtypes::kNumeric),
                in_opt("max", 'T', dtypes::kNumeric)},
     .outputs = {out("output", 'T')},
     .flags = kPure | kElementwise,
     .in_place = {InPlace{0, 0}},
     .shape = shape_clip,
     .grad = grad_clip},
    {.domain = "percale",
     .name = "ReluGrad",
     .doc = "The gradient of Relu, from the gradient and the value of its result: grad, or 0 where y <= 0.",
     .inputs = {in("grad", 'T', kReluTypes), in("y", 'T', kReluTypes)},
     .outputs = {out("x_grad", 'T')},
     .flags = kPure | kElementwise,
     .in_place = {InPlace{0, 0}, InPlace{0, 1}},
     .shape = shape_relu_grad,
     .grad = grad_relu_grad},
};

// ---- Kernels

struct ReluOp {
  template <class T>
  T operator()(T x) const {
    return x < T{0} ? T{0} : x;
  }
};
struct ReluGradOp {
  template <class T>
  T operator()(T grad, T y) const {
    return y <= T{0} ? T{0} : grad;
  }
};
struct LeakyReluOp {
  double alpha;
  explicit LeakyReluOp(const double* params) : alpha(params[0]) {}
  template <class T>
  T operator()(T x) const {
    return x < T{0} ? static_cast<T>(alpha) * x : x;
  }
};
struct SigmoidOp {
  const maths::Functions& functions;
  explicit SigmoidOp(const maths::Functions& f) : functions(f) {}
  template <class T>
  T operator()(T x) const {
    return T{1} / (T{1} + functions.exp(-x));
  }
};
template <class T>
T clamp(T x, T low, T high) {
  const T raised = x < low ? low : x;
  return raised > high ? high : raised;
}
struct HardSigmoidOp {
  double alpha, beta;
  explicit HardSigmoidOp(const double* params) : alpha(params[0]), beta(params[1]) {}
  template <class T>
  T operator()(T x) const {
    return clamp(static_cast<T>(alpha) * x + static_cast<T>(beta), T{0}, T{1});
  }
};
struct HardSwishOp {
  template <class T>
  T operator()(T x) const {
    return x * clamp(x / T{6} + T{0.5}, T{0}, T{1});
  }
};

struct ClipPlan {
  int64_t total = 0;
  bool has_low = false, has_high = false;
  void (*run)(const ClipPlan&, const Launch&) = nullptr;
};
template <class T>
void run_clip_of(const ClipPlan& plan, const Launch& launch) {
  using W = Wide<T>;
  using Limits = std::numeric_limits<W>;
  const T* x = launch.in<T>(0);
  T* y = launch.out<T>(0);
  const W low = plan.has_low ? widen(*launch.in<T>(1))
                             : (Limits::has_infinity ? static_cast<W>(-Limits::infinity()) : Limits::lowest());
  const W high = plan.has_high ? widen(*launch.in<T>(2)) : (Limits::has_infinity ? Limits::infinity() : Limits::max());
  const int64_t pieces = pieces_for(plan.total);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.total, pieces, piece, 16);
    for (int64_t i = range.begin; i < range.end; ++i) y[i] = narrow<T>(clamp(widen(x[i]), low, high));
  });
}
Result<ClipPlan> plan_clip(const NodeView& node, KernelPlan&) {
  ClipPlan plan{node.shape(0).num_elements(), node.has_input(1), node.has_input(2)};
  dispatch(kNumericList, node.dtype(0), [&]<class T>() { plan.run = run_clip_of<T>; });
  return plan;
}
void run_clip(const ClipPlan& plan, const Launch& launch) { plan.run(plan, launch); }

inline constexpr auto kReluList = kFloatList + kSignedList;

}  // namespace

Status register_activation(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_activation_simd(registry, *simd));
  return add_cpu_kernels(registry,
                         {
                             unary_kernel<ReluOp, kReluList>("portable.Relu"),
                             unary_kernel<LeakyReluOp, kFloatList>("portable.LeakyRelu"),
                             unary_kernel<SigmoidOp, kFloatList>("portable.Sigmoid"),
                             unary_kernel<ElementaryOp<&maths::Functions::tanh>, kFloatList>("portable.Tanh"),
                             unary_kernel<ElementaryOp<&maths::Functions::erf>, kFloatList>("portable.Erf"),
                             unary_kernel<HardSigmoidOp, kFloatList>("portable.HardSigmoid"),
                             unary_kernel<HardSwishOp, kFloatList>("portable.HardSwish"),
                             make_kernel<accepts_types<kNumericList>, plan_clip, run_clip>("portable.Clip", "Clip"),
                             binary_kernel<ReluGradOp, kReluList>("portable.ReluGrad", "percale"),
                         });
}

}  // namespace percale
