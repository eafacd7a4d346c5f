// Composite ops defined piecewise: PRelu, Shrink, Hardmax.
#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// ---- PRelu

Status shape_prelu(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const auto both = broadcast(x, context.shape(1));
  if (!both.ok()) return context.error(both.status());
  if (!compatible(*both, x)) return context.error("slope ", context.shape(1), " does not broadcast to X ", x);
  context.set_output(0, context.dtype(0), x);
  return {};
}
Status prelu(BodyContext& c) {
  const ValueId x = c.input(0);
  c.set(0, where(c, c.emit("Less", {x, scalar_like(c, x, 0)}), mul(c, c.input(1), x), x));
  return c.status();
}

// ---- Shrink

// Integers are computed in f64.
Status shrink(BodyContext& c) {
  const DType dtype = c.dtype(c.input(0));
  const ValueId x = cast(c, c.input(0), is_integer(dtype) ? DType::kF64 : compute_type(dtype));
  const ValueId limit = number_like(c, x, "lambd"), bias = number_like(c, x, "bias");
  const ValueId above = where(c, c.emit("Greater", {x, limit}), sub(c, x, bias), scalar_like(c, x, 0));
  const ValueId y = where(c, c.emit("Less", {x, neg(c, limit)}), add(c, x, bias), above);
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

// ---- Hardmax

Status shape_hardmax(ShapeContext& context) {
  if (context.shape(0).known_rank()) {
    const auto axis = normalize_axis(context.attributes.get_int("axis"), context.shape(0).rank());
    if (!axis.ok()) return context.error(axis.status());
  }
  return shape_same(context);
}
Status hardmax(BodyContext& c) {
  const ValueId x = c.input(0);
  const int64_t axis = c.attributes().get_int("axis");
  const ValueId best = c.emit("ArgMax", {x}, {{"axis", axis}, {"keepdims", 1}});
  const ValueId ones = cast(c, full_like(c, best, 1), c.dtype(x));
  c.set(0, c.emit("ScatterElements", {full_like(c, x, 0), best, ones}, {{"axis", axis}}));
  return c.status();
}

constexpr DTypeSet kPReluTypes = dtypes::kFloat | DTypeSet::of(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

constexpr OpRow kSchemas[] = {
    {.name = "Hardmax",
     .since = 13,
     .doc = "1 at the first greatest element along `axis`, 0 elsewhere.",
     .inputs = {in("input", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1)},
     .outputs = {out("output", 'T')},
     .shape = shape_hardmax,
     .grad = grad::zero,
     .body = hardmax},
    {.name = "PRelu",
     .since = 16,
     .doc = "X where X >= 0, otherwise slope * X; slope broadcasts to X (He et al. 2015).",
     .inputs = {in("X", 'T', kPReluTypes), in("slope", 'T', kPReluTypes)},
     .outputs = {out("Y", 'T')},
     .shape = shape_prelu,
     .grad = grad::body,
     .body = prelu},
    {.name = "Shrink",
     .since = 9,
     .doc = "x + bias where x < -lambd, x - bias where x > lambd, otherwise 0.",
     .inputs = {in("input", 'T', dtypes::kNumeric)},
     .attributes = {attr_float("bias", 0), attr_float("lambd", 0.5)},
     .outputs = {out("output", 'T')},
     .shape = shape_same,
     .grad = grad::body,
     .body = shrink},
};

}  // namespace

Status register_piecewise(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
