// Softmax and LogSoftmax.
#include <cmath>
#include <limits>

#include "core/graph/emit/gradient.h"
#include "devices/cpu/simd/simd.h"
#include "ops/support/families.h"
#include "ops/support/float_kernels.h"

namespace percale {
namespace {

Status softmax_shape(ShapeContext& c);
Status softmax_grad(GradContext& g);
Status log_softmax_grad(GradContext& g);

constexpr OpRow kSchemas[] = {
    {.name = "Softmax",
     .since = 13,
     .doc = "exp(x) / sum of exp(x) along `axis`.",
     .inputs = {in("input", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1)},
     .outputs = {out("output", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = &softmax_shape,
     .grad = &softmax_grad,
     .traits = {.split = SplitRule::kSoftmax}},
    {.name = "LogSoftmax",
     .since = 13,
     .doc = "x - log(sum of exp(x)) along `axis`.",
     .inputs = {in("input", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1)},
     .outputs = {out("output", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = &softmax_shape,
     .grad = &log_softmax_grad,
     .traits = {.split = SplitRule::kSoftmax}},
};

Status softmax_shape(ShapeContext& c) {
  if (c.shape(0).known_rank()) {
    const auto axis = normalize_axis(c.attributes.get_int("axis", -1), c.shape(0).rank());
    if (!axis.ok()) return c.error(axis.status());
  }
  c.set_output(0, c.dtype(0), c.shape(0));
  return {};
}

ValueId sum_along_axis(GradContext& g, ValueId value) {
  return g.emit("ReduceSum", {value, g.ints({g.attributes().get_int("axis", -1)})}, {{"keepdims", 1}});
}

// dX = Y * (dY - sum(dY * Y)).
Status softmax_grad(GradContext& g) {
  const ValueId dy = g.grad(0), y = g.output(0);
  if (dy == kNoValue || !g.wants(0)) return {};
  const ValueId weighted = g.emit("Mul", {dy, y});
  g.set(0, g.emit("Mul", {y, g.emit("Sub", {dy, sum_along_axis(g, weighted)})}));
  return g.status();
}

// dX = dY - exp(Y) * sum(dY).
Status log_softmax_grad(GradContext& g) {
  const ValueId dy = g.grad(0);
  if (dy == kNoValue || !g.wants(0)) return {};
  const ValueId p = g.emit("Exp", {g.output(0)});
  g.set(0, g.emit("Sub", {dy, g.emit("Mul", {p, sum_along_axis(g, dy)})}));
  return g.status();
}

struct SoftmaxPlan {
  int64_t outer = 1, size = 1, inner = 1;
  DType dtype = DType::kInvalid;
  const maths::Functions& functions;
};

Result<SoftmaxPlan> plan_softmax(const NodeView& v, KernelPlan&) {
  const Shape& x = v.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(v.attributes.get_int("axis", -1), x.rank()));
  return SoftmaxPlan{x.product(0, axis), x[axis], x.product(axis + 1, x.rank()), v.dtype(0), v.numerics.functions()};
}

// Sums are in f64. The maximum is subtracted so that exp never overflows.
template <class T, bool kLog>
void softmax(const SoftmaxPlan& p, const T* x, T* y, const ParallelFor& parallel) {
  const int64_t lines = p.outer * p.inner;
  if (lines == 0 || p.size == 0) return;
  const int64_t pieces = piece_count(lines, work_of(p.size, 16));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, pieces, piece);
    for (int64_t line = range.begin; line < range.end; ++line) {
      const int64_t at = line / p.inner * p.size * p.inner + line % p.inner;
      const T* from = x + at;
      T* to = y + at;
      T most = from[0];
      for (int64_t i = 1; i < p.size; ++i) most = std::max(most, from[i * p.inner]);
      double sum = 0;
      for (int64_t i = 0; i < p.size; ++i) sum += p.functions.exp(static_cast<double>(from[i * p.inner] - most));
      const double log_sum = p.functions.log(sum);
      for (int64_t i = 0; i < p.size; ++i) {
        const auto shifted = static_cast<double>(from[i * p.inner] - most);
        to[i * p.inner] = static_cast<T>(kLog ? shifted - log_sum : p.functions.exp(shifted) / sum);
      }
    }
  });
}

template <bool kLog>
void run_softmax(const SoftmaxPlan& p, const Launch& l) {
  with_float(p.dtype, [&]<class T>() { softmax<T, kLog>(p, l.in<T>(0), l.out<T>(0), l.parallel()); });
}

// ---- SIMD kernels: f32 along the last axis.
Status accepts_rows(const NodeView& v) {
  if (v.dtype(0) != DType::kF32) return unimplemented("requires f32");
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(v.attributes.get_int("axis", -1), v.shape(0).rank()));
  if (v.shape(0).product(axis + 1, v.shape(0).rank()) != 1) return unimplemented("requires the last axis");
  return {};
}

struct RowsPlan {
  const simd::SoftmaxFns* fns;
  int64_t rows, classes;
};
Result<RowsPlan> plan_rows(const NodeView& v, KernelPlan& plan) {
  PERCALE_ASSIGN_OR_RETURN(const SoftmaxPlan p, plan_softmax(v, plan));
  return RowsPlan{static_cast<const simd::SimdTable*>(plan.user)->softmax, p.outer, p.size};
}
template <bool kLog>
void run_rows(const RowsPlan& p, const Launch& l) {
  (kLog ? p.fns->log_softmax : p.fns->softmax)(l.in<float>(0), p.rows, p.classes, l.out<float>(0), l.parallel());
}

}  // namespace

Status register_softmax(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) {
    PERCALE_RETURN_IF_ERROR(registry.add_kernel(
        "cpu", make_kernel<&accepts_rows, &plan_rows, &run_rows<false>>("simd.softmax", "Softmax", "", simd)));
    PERCALE_RETURN_IF_ERROR(registry.add_kernel(
        "cpu", make_kernel<&accepts_rows, &plan_rows, &run_rows<true>>("simd.log_softmax", "LogSoftmax", "", simd)));
  }
  PERCALE_RETURN_IF_ERROR((add_float_kernels<&plan_softmax, &run_softmax<false>>(
      registry, "Softmax", "", "portable.softmax", "portable.softmax_widened")));
  return add_float_kernels<&plan_softmax, &run_softmax<true>>(registry, "LogSoftmax", "", "portable.log_softmax",
                                                              "portable.log_softmax_widened");
}

}  // namespace percale
