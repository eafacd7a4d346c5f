// QLinearMatMul and QLinearConv: products of quantised operands with a quantised result. They are
// composites of the integer products.
#include <vector>

#include "ops/conv/conv_kernels.h"
#include "ops/matmul/matmul_kernels.h"
#include "ops/quantize/quantize.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/window.h"

namespace percale {
namespace {

constexpr DTypeSet kScales = DTypeSet::of(DType::kF32, DType::kF16, DType::kBF16);
constexpr DTypeSet kProductTypes = kByteTypes | kFloat8Types;

Status shape_qlinear_matmul(ShapeContext& c) {
  const auto y = product_shape(c.shape(0), c.shape(3));
  if (!y.ok()) return c.error(y.status());
  c.set_output(0, c.dtype(7), *y);
  return {};
}

Status shape_qlinear_conv(ShapeContext& c) {
  const auto y = conv_result_shape(c.attributes, c.shape(0), c.shape(3));
  if (!y.ok()) return c.error(y.status());
  const int64_t filters = y->known_rank() ? (*y)[1] : kUnknownDim;
  for (const size_t i : {1u, 2u, 6u, 7u}) PERCALE_RETURN_IF_ERROR(check_per_axis(c, i, 1));
  for (const size_t i : {4u, 5u}) PERCALE_RETURN_IF_ERROR(check_per_axis(c, i, filters));
  if (c.has_input(8) && !compatible(c.shape(8), Shape{filters})) {
    return c.error("the bias is ", c.shape(8), ", wanted ", Shape{filters});
  }
  c.set_output(0, c.dtype(7), *y);
  return {};
}

// Returns x_scale * w_scale / y_scale in f32.
ValueId multiplier(BodyContext& c, ValueId x_scale, ValueId w_scale, ValueId y_scale) {
  return div(c, mul(c, cast(c, x_scale, DType::kF32), cast(c, w_scale, DType::kF32)), cast(c, y_scale, DType::kF32));
}

// Reshape a scale or zero point so that it broadcasts to the product. A vector for A or Y has one
// element per row, one for B has one per column.
ValueId of_rows(BodyContext& c, ValueId value) { return along_axis(c, value, 0, 2); }
ValueId of_columns(BodyContext& c, ValueId value) { return along_axis(c, value, 0, 1); }

// float8 operands have no integer product, so they use an f32 one.
Status qlinear_matmul(BodyContext& c) {
  const ValueId a = c.input(0), b = c.input(3);
  ValueId sums = kNoValue;
  if (kByteTypes.contains(c.dtype(a)) && kByteTypes.contains(c.dtype(b))) {
    sums = cast(c, c.emit("MatMulInteger", {a, b, c.input(2), c.input(5)}), DType::kF32);
  } else {
    const auto real = [&](ValueId x, ValueId zero) {
      return sub(c, cast(c, x, DType::kF32), cast(c, zero, DType::kF32));
    };
    sums = c.emit("MatMul", {real(a, of_rows(c, c.input(2))), real(b, of_columns(c, c.input(5)))});
  }
  const ValueId factor = multiplier(c, of_rows(c, c.input(1)), of_columns(c, c.input(4)), of_rows(c, c.input(6)));
  c.set(0, quantized(c, mul(c, sums, factor), of_rows(c, c.input(7)), c.dtype(c.input(7))));
  return c.status();
}

// The bias is an integer with the scale x_scale * w_scale.
Status qlinear_conv(BodyContext& c) {
  const ValueId x = c.input(0), w = c.input(3);
  ValueId sums = c.emit("ConvInteger", {x, w, c.input(2), c.input(5)}, c.attributes());
  const Shape& shape = c.shape(sums);
  if (!shape.known_rank()) return invalid_argument("the ranks of x and w must be known");
  const size_t rank = shape.rank();
  const auto per_filter = [&](ValueId value) { return along_axis(c, value, 1, rank); };
  if (c.input(8) != kNoValue) sums = add(c, sums, per_filter(c.input(8)));
  const auto single = [&](ValueId value) { return along_axis(c, value, 0, 0); };
  const ValueId factor = multiplier(c, single(c.input(1)), per_filter(c.input(4)), single(c.input(6)));
  const ValueId real = mul(c, cast(c, sums, DType::kF32), factor);
  c.set(0, quantized(c, real, single(c.input(7)), c.dtype(c.input(7))));
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "QLinearConv",
     .since = 10,
     .doc = "Conv of quantised x and w plus B, quantised by y_scale and y_zero_point. Scales and zero points are "
            "single values; those of w may be one per filter. B is i32 with the scale x_scale * w_scale.",
     .inputs = {in("x", 'X', kByteTypes), in("x_scale", 0, DTypeSet::of(DType::kF32)),
                in("x_zero_point", 'X', kByteTypes), in("w", 'W', kByteTypes),
                in("w_scale", 0, DTypeSet::of(DType::kF32)), in("w_zero_point", 'W', kByteTypes),
                in("y_scale", 0, DTypeSet::of(DType::kF32)), in("y_zero_point", 'Y', kByteTypes),
                in_opt("B", 0, DTypeSet::of(DType::kI32))},
     .attributes = {attr_string("auto_pad", "NOTSET"), attr_optional("dilations", AttrKind::kInts, 1, kMaxWindow),
                    attr_int("group", 1, 1, kMaxWindow), attr_optional("kernel_shape", AttrKind::kInts, 1, kMaxWindow),
                    attr_optional("pads", AttrKind::kInts, 0, kMaxWindow),
                    attr_optional("strides", AttrKind::kInts, 1, kMaxWindow)},
     .outputs = {out("y", 'Y')},
     .shape = shape_qlinear_conv,
     .grad = grad::zero,
     .body = qlinear_conv},
    {.name = "QLinearMatMul",
     .since = 21,
     .doc = "MatMul of quantised a and b, quantised by y_scale and y_zero_point. A vector of scales or zero points "
            "holds one per row of a and y, or one per column of b.",
     .inputs = {in("a", 'A', kProductTypes), in("a_scale", 'S', kScales), in("a_zero_point", 'A', kProductTypes),
                in("b", 'B', kProductTypes), in("b_scale", 'S', kScales), in("b_zero_point", 'B', kProductTypes),
                in("y_scale", 'S', kScales), in("y_zero_point", 'Y', kProductTypes)},
     .outputs = {out("y", 'Y')},
     .shape = shape_qlinear_matmul,
     .grad = grad::zero,
     .body = qlinear_matmul},
};

}  // namespace

Status register_qlinear(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
