// Window functions that taper a signal before its spectrum is computed: sums of cosines (Harris
// 1978).
#include <array>
#include <numbers>

#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

Status shape_taper(ShapeContext& context) {
  if (!compatible(context.shape(0), Shape{})) {
    return context.error("size must be a scalar, got ", context.shape(0));
  }
  const int64_t dtype = context.attributes.get_int("output_datatype");
  if (dtype <= 0 || dtype >= kNumDTypes || !dtypes::kNumeric.contains(static_cast<DType>(dtype))) {
    return context.error("attribute 'output_datatype' is ", dtype, ", which is not a number type");
  }
  int64_t size = kUnknownDim;
  if (const auto known = known_ints(context, 0)) {
    size = known->front();
    if (size < 0 || size > kMaxDim) return context.error("size is ", size, ", wanted 0 to 2^40");
  }
  context.set_output(0, static_cast<DType>(dtype), Shape{size});
  return {};
}

// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N) in f64. N is the size or, for a symmetric window,
// the size minus 1.
Status taper(BodyContext& c, std::array<double, 3> a) {
  const auto number = [&](double value) { return c.scalar(DType::kF64, value); };
  const ValueId size = cast(c, c.input(0), DType::kF64);
  const ValueId n = c.emit("Range", {number(0), size, number(1)});
  ValueId period = size;
  if (c.attributes().get_int("periodic") == 0) {
    // a window of one element is the same in both forms
    period = c.emit("Max", {sub(c, size, number(1)), number(1)});
  }
  const ValueId angle = div(c, mul(c, n, number(2 * std::numbers::pi)), period);
  ValueId y = sub(c, number(a[0]), mul(c, number(a[1]), c.emit("Cos", {angle})));
  if (a[2] != 0) y = add(c, y, mul(c, number(a[2]), c.emit("Cos", {mul(c, angle, number(2))})));
  const auto dtype = static_cast<DType>(c.attributes().get_int("output_datatype"));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}
Status blackman(BodyContext& c) { return taper(c, {0.42, 0.5, 0.08}); }
Status hamming(BodyContext& c) { return taper(c, {25.0 / 46, 21.0 / 46, 0}); }
Status hann(BodyContext& c) { return taper(c, {0.5, 0.5, 0}); }

constexpr OpRow window(std::string_view name, std::string_view doc, BodyFn body) {
  return {.name = name,
          .since = 17,
          .doc = doc,
          .inputs = {InputSpec{"size", 0, dtypes::kIndex, Presence::kRequired, Bounds::kShape}},
          .attributes = {attr_int("output_datatype", 1), attr_int("periodic", 1, 0, 1)},
          .outputs = {out("output", dtypes::kNumeric)},
          .shape = shape_taper,
          .grad = grad::none,
          .body = body};
}

constexpr OpRow kSchemas[] = {
    window("BlackmanWindow",
           "0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N) for n below size; N is size if periodic, "
           "else size - 1.",
           blackman),
    window("HammingWindow", "25/46 - 21/46 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.",
           hamming),
    window("HannWindow", "1/2 - 1/2 cos(2 pi n / N) for n below size; N is size if periodic, else size - 1.", hann),
};

}  // namespace

Status register_taper(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
