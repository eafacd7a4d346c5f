// Element-wise losses of two tensors of the same shape.
#include <algorithm>
#include <cmath>

#include "core/graph/emit/gradient.h"
#include "ops/loss/loss_reduction.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

Status pair_loss_shape(ShapeContext& c) {
  if (!compatible(c.shape(0), c.shape(1)))
    return c.error("the inputs ", c.shape(0), " and ", c.shape(1), " differ in shape");
  const auto reduction = reduction_of(c.attributes);
  if (!reduction.ok()) return c.error(reduction.status());
  c.set_output(0, c.dtype(0), *reduction == Reduction::kNone ? merge(c.shape(0), c.shape(1)) : Shape{});
  return {};
}

// Returns dloss per element: divided by the number of elements if the loss is their mean.
ValueId grad_per_element(GradContext& g) {
  if (g.attributes().get_string("reduction", "mean") != "mean") return g.grad(0);
  const Shape& x = g.shape(g.input(0));
  if (x.is_static()) return g.emit("Div", {g.grad(0), g.scalar(g.dtype(g.grad(0)), work_of(x.num_elements()))});
  const ValueId count = g.emit("Cast", {g.emit("Size", {g.input(0)})}, {{"to", g.dtype(g.grad(0))}});
  return g.emit("Div", {g.grad(0), count});
}

// dx = sigmoid(x) - t, dt = -x.
Status binary_cross_entropy_grad(GradContext& g) {
  if (g.grad(0) == kNoValue) return {};
  const ValueId d = grad_per_element(g);
  if (g.wants(0)) {
    g.set(0, g.emit("Mul", {g.emit("Sub", {g.emit("Sigmoid", {g.input(0)}), g.input(1)}), d}));
  }
  if (g.wants(1)) g.set(1, g.emit("Neg", {g.emit("Mul", {g.input(0), d})}));
  return g.status();
}

// d(loss)/d(input) = input - target, clamped to [-delta, delta].
Status huber_grad(GradContext& g) {
  if (g.grad(0) == kNoValue) return {};
  const double delta = g.attributes().get_float("delta", 1);
  const DType dtype = g.dtype(g.input(0));
  const ValueId difference = g.emit("Sub", {g.input(0), g.input(1)});
  const ValueId held = g.emit("Clip", {difference, g.scalar(dtype, -delta), g.scalar(dtype, delta)});
  const ValueId d = g.emit("Mul", {held, grad_per_element(g)});
  if (g.wants(0)) g.set(0, d);
  if (g.wants(1)) g.set(1, g.emit("Neg", {d}));
  return g.status();
}

constexpr OpRow kSchemas[] = {
    {.domain = "percale",
     .name = "BinaryCrossEntropyWithLogits",
     .doc =
         "max(x, 0) - x * t + log(1 + exp(-|x|)) for logits x and targets t of the same shape, reduced by `reduction`.",
     .inputs = {in("logits", 'T', dtypes::kFloat), in("targets", 'T', dtypes::kFloat)},
     .attributes = {kReduction},
     .outputs = {out("loss", 'T')},
     .shape = &pair_loss_shape,
     .grad = &binary_cross_entropy_grad},
    {.domain = "percale",
     .name = "Huber",
     .doc = "With d = input - target, of the same shape: d^2 / 2 where |d| <= delta, otherwise delta * (|d| - delta / "
            "2); reduced by `reduction`.",
     .inputs = {in("input", 'T', dtypes::kFloat), in("target", 'T', dtypes::kFloat)},
     .attributes = {attr_float("delta", 1, 0), kReduction},
     .outputs = {out("loss", 'T')},
     .shape = &pair_loss_shape,
     .grad = &huber_grad},
};

struct PairLossPlan {
  int64_t size = 0;
  Reduction reduction = Reduction::kMean;
  double delta = 1;
  DType dtype = DType::kInvalid;
  const maths::Functions& functions;
};

Result<PairLossPlan> plan_pair_loss(const NodeView& v, KernelPlan& plan) {
  PairLossPlan p{.size = v.shape(0).num_elements(),
                 .delta = v.attributes.get_float("delta", 1),
                 .dtype = v.dtype(0),
                 .functions = v.numerics.functions()};
  PERCALE_ASSIGN_OR_RETURN(p.reduction, reduction_of(v.attributes));
  plan.scratch_bytes = kMaxLossSums * static_cast<int64_t>(sizeof(double));
  return p;
}

double binary_cross_entropy(const PairLossPlan& p, double x, double t) {
  return std::max(x, 0.0) - x * t + p.functions.log1p(p.functions.exp(-std::abs(x)));
}
double huber(const PairLossPlan& p, double x, double t) {
  const double d = std::abs(x - t);
  return d <= p.delta ? d * d / 2 : p.delta * (d - p.delta / 2);
}

template <auto Loss>
void pair_loss_run(const PairLossPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() {
    const T *x = l.in<T>(0), *t = l.in<T>(1);
    T* y = l.out<T>(0);
    double* sums = l.scratch<double>();
    const int64_t pieces = piece_count(p.size, 8);
    l.parallel()(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(p.size, pieces, piece);
      double sum = 0;
      for (int64_t i = range.begin; i < range.end; ++i) {
        const double loss = Loss(p, static_cast<double>(x[i]), static_cast<double>(t[i]));
        if (p.reduction == Reduction::kNone) y[i] = static_cast<T>(loss);
        sum += loss;
      }
      sums[piece] = sum;
    });
    if (p.reduction == Reduction::kNone) return;
    double sum = 0;
    for (int64_t i = 0; i < pieces; ++i) sum += sums[i];
    *y = static_cast<T>(p.reduction == Reduction::kMean ? sum / static_cast<double>(p.size) : sum);
  });
}

}  // namespace

Status register_loss(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_pair_loss, &pair_loss_run<&binary_cross_entropy>>(
      registry, "BinaryCrossEntropyWithLogits", "percale", "portable.binary_cross_entropy",
      "portable.binary_cross_entropy_widened")));
  return add_float_kernels<&plan_pair_loss, &pair_loss_run<&huber>>(registry, "Huber", "percale", "portable.huber",
                                                                    "portable.huber_widened");
}

}  // namespace percale
