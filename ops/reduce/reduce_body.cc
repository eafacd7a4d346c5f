// Reductions expressed by other ops: norms, sums of squares, logarithms of sums. f16 and bf16 are
// computed in f32.
#include "ops/reduce/reduce.h"
#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"

namespace percale {
namespace {

// Applies the reduction `op` to another value with the node's axes.
ValueId reduce(BodyContext& c, std::string_view op, ValueId x, int64_t keepdims) {
  std::vector<ValueId> inputs = {x};
  if (c.input(1) != kNoValue) inputs.push_back(c.input(1));
  return c.emit(op, inputs,
                {{"keepdims", keepdims}, {"noop_with_empty_axes", c.attributes().get_int("noop_with_empty_axes")}});
}
ValueId reduce_sum(BodyContext& c, ValueId x) { return reduce(c, "ReduceSum", x, c.attributes().get_int("keepdims")); }

ValueId sum_of_squares(BodyContext& c, ValueId x) { return reduce_sum(c, mul(c, x, x)); }
ValueId norm1(BodyContext& c, ValueId x) {
  const DType dtype = c.dtype(x);
  const bool no_sign = is_integer(dtype) && !is_signed_integer(dtype);
  return reduce_sum(c, no_sign ? x : c.emit("Abs", {x}));
}
ValueId norm2(BodyContext& c, ValueId x) { return c.emit("Sqrt", {sum_of_squares(c, x)}); }
ValueId log_sum(BodyContext& c, ValueId x) { return c.emit("Log", {reduce_sum(c, x)}); }
// Subtracts the greatest element, so that exp never overflows. An infinite element is not
// subtracted.
ValueId log_sum_exp(BodyContext& c, ValueId x) {
  const ValueId most = reduce(c, "ReduceMax", x, 1);
  const ValueId shift = where(c, c.emit("IsInf", {most}), scalar_like(c, x, 0), most);
  const ValueId log = c.emit("Log", {reduce_sum(c, c.emit("Exp", {sub(c, x, shift)}))});
  // Without kept dims, the shift is reduced over the same axes, along which it has one element
  // each.
  return add(c, log, c.attributes().get_int("keepdims") != 0 ? shift : reduce(c, "ReduceMax", shift, 0));
}

// Integers are computed in their own type, or in f64 if the formula gives real numbers.
template <ValueId (*kFormula)(BodyContext&, ValueId), bool kReal>
Status body(BodyContext& c) {
  const DType dtype = c.dtype(c.input(0));
  const DType wide = !is_integer(dtype) ? compute_type(dtype) : kReal ? DType::kF64 : dtype;
  const ValueId y = kFormula(c, cast(c, c.input(0), wide));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

// x / norm, 0 where the norm is 0.
Status grad_norm2(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId y = with_reduced_dims(g, g.output(0));
  const ValueId zero = scalar_like(g, y, 0), is_zero = g.emit("Equal", {y, zero});
  const ValueId slope = where(g, is_zero, zero, div(g, g.input(0), where(g, is_zero, scalar_like(g, y, 1), y)));
  g.set(0, mul(g, with_reduced_dims(g, g.grad(0)), slope));
  return g.status();
}

// exp(x - y), which is the softmax; 0 where the result is infinite.
Status grad_log_sum_exp(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId y = with_reduced_dims(g, g.output(0));
  const ValueId share = g.emit("Exp", {sub(g, g.input(0), y)});
  const ValueId slope = where(g, g.emit("IsInf", {y}), scalar_like(g, y, 0), share);
  g.set(0, mul(g, with_reduced_dims(g, g.grad(0)), slope));
  return g.status();
}

constexpr DTypeSet kTypes = dtypes::kFloat | DTypeSet::of(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

constexpr OpRow reduction(std::string_view name, std::string_view doc, BodyFn body, GradFn grad = grad::body) {
  return {.name = name,
          .since = 18,
          .doc = doc,
          .inputs = {in("data", 'T', kTypes), in_shape("axes", Presence::kOptional)},
          .attributes = {attr_int("keepdims", 1, 0, 1), attr_int("noop_with_empty_axes", 0, 0, 1)},
          .outputs = {out("reduced", 'T')},
          .shape = shape_reduce,
          .grad = grad,
          .body = body};
}

constexpr OpRow kSchemas[] = {
    reduction("ReduceL1", "The sum of absolute values over axes (default: all); 0 for no elements.",
              body<norm1, false>),
    reduction("ReduceL2", "The square root of the sum of squares over axes (default: all); integers truncate.",
              body<norm2, true>, grad_norm2),
    reduction("ReduceLogSum", "The logarithm of the sum over axes (default: all); integers truncate.",
              body<log_sum, true>),
    reduction("ReduceLogSumExp",
              "The logarithm of the sum of exp over axes (default: all), computed without overflow; integers truncate.",
              body<log_sum_exp, true>, grad_log_sum_exp),
    reduction("ReduceSumSquare", "The sum of squares over axes (default: all); integers wrap.",
              body<sum_of_squares, false>),
};

}  // namespace

Status register_reduce_body(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
