// Quantisation of numbers to small integers or floats with a scale and a zero point, and back. All
// ops are composites of elementwise ops.
#include "ops/quantize/quantize.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

constexpr DTypeSet kRealTypes = dtypes::kFloat | DTypeSet::of(DType::kI32);
constexpr DTypeSet kScaleTypes = dtypes::kFloat | DTypeSet::of(DType::kF8E8M0);
constexpr AttrSpec kAxis = attr_int("axis", 1), kBlockSize = attr_int("block_size", 0, 0, static_cast<double>(kMaxDim)),
                   kOutputDType = attr_int("output_dtype", 0);

// Returns the lowest and the highest integer of a dtype of at most 16 bits.
std::pair<double, double> range_of(DType dtype) {
  const double half = static_cast<double>(int64_t{1} << (dtype_bits(dtype) - 1));
  const bool is_signed = dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI4 || dtype == DType::kI2;
  return is_signed ? std::pair{-half, half - 1} : std::pair{0.0, 2 * half - 1};
}

bool is_quantized_float(DType dtype) { return kFloat8Types.contains(dtype) || dtype == DType::kF4E2M1; }

bool is_single(const Shape& shape) { return shape.is_static() && shape.num_elements() == 1; }

bool may_be_single(const Shape& shape) {
  return !shape.known_rank() || std::all_of(shape.begin(), shape.end(), [](int64_t d) { return d == 1 || d < 0; });
}

// ---- Shapes

// Checks the scale and, if present, the zero point of x: one number, one per index along the axis,
// or one per block.
Status check_scale(const ShapeContext& c) {
  const Shape &x = c.shape(0), &scale = c.shape(1);
  const int64_t block = c.attributes.get_int("block_size");
  if (c.has_input(2) && !compatible(scale, c.shape(2)) && !(may_be_single(scale) && may_be_single(c.shape(2)))) {
    return c.error("the zero point has shape ", c.shape(2), ", but the scale has ", scale);
  }
  if (!x.known_rank() || !scale.known_rank() || scale.rank() == 0 || is_single(scale)) return {};
  const auto axis = normalize_axis(c.attributes.get_int("axis"), x.rank());
  if (!axis.ok()) return c.error(axis.status());
  if (block == 0) {
    const int64_t places = x[*axis];
    if (scale.rank() == 1 && (scale[0] < 0 || places < 0 || scale[0] == places)) return {};
    return c.error("the scale is ", scale, ", wanted one number or ", places, " along axis ",
                   static_cast<uint64_t>(*axis), " of ", x);
  }
  Shape blocks = x;
  if (x[*axis] >= 0) blocks[*axis] = x[*axis] / block + (x[*axis] % block != 0 ? 1 : 0);
  if (compatible(scale, blocks)) return {};
  return c.error("the scale is ", scale, ", wanted ", blocks, " for blocks of ", block);
}

Result<DType> chosen(const ShapeContext& c, const char* attribute, DTypeSet types, DType otherwise) {
  const int64_t number = c.attributes.get_int(attribute);
  if (number == 0) return otherwise;
  const auto dtype = static_cast<DType>(number);
  if (number < kNumDTypes && number > 0 && types.contains(dtype)) return dtype;
  return c.error("attribute '", attribute, "' is ", number, ", which is not an allowed dtype");
}

Status shape_quantize(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_scale(c));
  const DType of_zero = c.has_input(2) ? c.dtype(2) : DType::kU8;
  PERCALE_ASSIGN_OR_RETURN(const DType to, chosen(c, "output_dtype", kQuantizedTypes, of_zero));
  if (c.has_input(2) && to != of_zero) return c.error("output_dtype is ", to, ", but the zero point is ", of_zero);
  PERCALE_RETURN_IF_ERROR(chosen(c, "precision", dtypes::kFloat, DType::kF32).status());
  c.set_output(0, to, c.shape(0));
  return {};
}

Status shape_dequantize(ShapeContext& c) {
  PERCALE_RETURN_IF_ERROR(check_scale(c));
  PERCALE_ASSIGN_OR_RETURN(const DType to, chosen(c, "output_dtype", dtypes::kFloat, c.dtype(1)));
  if (!dtypes::kFloat.contains(to)) return c.error("a scale of dtype ", to, " requires the attribute 'output_dtype'");
  c.set_output(0, to, c.shape(0));
  return {};
}

Status shape_dynamic_quantize(ShapeContext& c) {
  c.set_output(0, DType::kU8, c.shape(0));
  c.set_output(1, DType::kF32, Shape{});
  c.set_output(2, DType::kU8, Shape{});
  return {};
}

// ---- Bodies

// Returns 0, 0, ... 1, 1, ...: the block number of every index along an axis of x.
ValueId blocks_along(BodyContext& c, ValueId x, size_t axis, int64_t block) {
  const int64_t dim = c.shape(x)[axis], first = static_cast<int64_t>(axis);
  const ValueId end = dim >= 0 ? c.scalar(DType::kI64, static_cast<double>(dim))
                               : c.emit("Squeeze", {c.emit("Shape", {x}, {{"start", first}, {"end", first + 1}})});
  const ValueId places = c.emit("Range", {c.scalar(DType::kI64, 0), end, c.scalar(DType::kI64, 1)});
  return div(c, places, c.scalar(DType::kI64, static_cast<double>(block)));
}

// Reshapes or gathers a scale or zero point so that it broadcasts to x, input 0.
Result<ValueId> spread(BodyContext& c, ValueId value) {
  const Shape &x = c.shape(c.input(0)), &shape = c.shape(value);
  if (is_single(shape)) return along_axis(c, value, 0, 0);
  if (!shape.known_rank()) return invalid_argument("the rank of the scale must be known");
  if (shape.rank() == 0) return value;
  if (!x.known_rank()) return invalid_argument("the rank of x must be known");
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(c.attributes().get_int("axis"), x.rank()));
  const int64_t block = c.attributes().get_int("block_size");
  if (block == 0) return along_axis(c, value, axis, x.rank());
  return c.emit("Gather", {value, blocks_along(c, c.input(0), axis, block)}, {{"axis", static_cast<int64_t>(axis)}});
}

// The quotient has the type 'precision' or, by default, that of the scale.
Status quantize(BodyContext& c) {
  const DType of_scale = c.dtype(c.input(1));
  const int64_t asked = c.attributes().get_int("precision"), to = c.attributes().get_int("output_dtype");
  const DType precision = asked != 0                          ? static_cast<DType>(asked)
                          : dtypes::kFloat.contains(of_scale) ? of_scale
                                                              : DType::kF32;
  PERCALE_ASSIGN_OR_RETURN(const ValueId scale, spread(c, cast(c, c.input(1), precision)));
  ValueId zero = c.input(2);
  const DType wanted = zero != kNoValue ? c.dtype(zero) : to != 0 ? static_cast<DType>(to) : DType::kU8;
  const ValueId quotient = div(c, cast(c, c.input(0), precision), scale);
  const ValueId real = cast(c, quotient, precision == DType::kF64 ? DType::kF64 : DType::kF32);
  if (zero != kNoValue) {
    PERCALE_ASSIGN_OR_RETURN(zero, spread(c, cast(c, zero, c.dtype(real))));
  }
  c.set(0, quantized(c, real, zero, wanted, c.attributes().get_int("saturate") != 0));
  return c.status();
}

// Computes (x - zero_point) * scale in f32, or in f64 if a difference of i32 would not fit.
Status dequantize(BodyContext& c) {
  const DType of_scale = c.dtype(c.input(1));
  const bool wide = of_scale == DType::kF64 || c.dtype(c.input(0)) == DType::kI32;
  const DType work = wide ? DType::kF64 : DType::kF32;
  ValueId x = cast(c, c.input(0), work);
  if (c.input(2) != kNoValue) {
    PERCALE_ASSIGN_OR_RETURN(const ValueId zero, spread(c, cast(c, c.input(2), work)));
    x = sub(c, x, zero);
  }
  PERCALE_ASSIGN_OR_RETURN(const ValueId scale, spread(c, cast(c, c.input(1), work)));
  const int64_t to = c.attributes().get_int("output_dtype");
  c.set(0, cast(c, mul(c, x, scale), to != 0 ? static_cast<DType>(to) : of_scale));
  return c.status();
}

// The range is widened to include 0. If it is 0 alone, the scale is computed for a range of 1.
Status dynamic_quantize(BodyContext& c) {
  const ValueId x = c.input(0), zero = scalar_like(c, x, 0), steps = scalar_like(c, x, 255);
  const ValueId high = c.emit("Max", {c.emit("ReduceMax", {x}, {{"keepdims", 0}}), zero});
  const ValueId low = c.emit("Min", {c.emit("ReduceMin", {x}, {{"keepdims", 0}}), zero});
  const ValueId range = sub(c, high, low);
  const ValueId one = scalar_like(c, x, 1);
  const ValueId scale = div(c, where(c, c.emit("Equal", {range, zero}), one, range), steps);
  const ValueId zero_point = quantized(c, div(c, neg(c, low), scale), kNoValue, DType::kU8);
  c.set(0, c.emit("QuantizeLinear", {x, scale, zero_point}));
  c.set(1, scale);
  c.set(2, zero_point);
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "DequantizeLinear",
     .since = 25,
     .doc = "(x - x_zero_point) * x_scale. There is one scale and zero point for the whole tensor, one per position "
            "along 'axis', or one per block of block_size along it.",
     .inputs = {in("x", 'Q', kQuantizedTypes | DTypeSet::of(DType::kI32)), in("x_scale", 'S', kScaleTypes),
                in_opt("x_zero_point", 'Q', kQuantizedTypes | DTypeSet::of(DType::kI32))},
     .attributes = {kAxis, kBlockSize, kOutputDType},
     .outputs = {out("y", dtypes::kFloat)},
     .shape = shape_dequantize,
     .grad = grad::body,
     .body = dequantize},
    {.name = "DynamicQuantizeLinear",
     .since = 11,
     .doc = "x quantised to u8, with the scale and the zero point of its own value range, extended to include 0.",
     .inputs = {in("x", 'T', DTypeSet::of(DType::kF32))},
     .outputs = {out("y", DTypeSet::of(DType::kU8)), out("y_scale", 'T'),
                 out("y_zero_point", DTypeSet::of(DType::kU8))},
     .shape = shape_dynamic_quantize,
     .grad = grad::none,
     .body = dynamic_quantize},
    {.name = "QuantizeLinear",
     .since = 25,
     .doc = "x / y_scale rounded to nearest (ties to even) + y_zero_point, saturated to the range of the dtype. Scale "
            "and zero point are as in DequantizeLinear; saturate applies to float8 as in Cast.",
     .inputs = {in("x", 'T', kRealTypes), in("y_scale", 'S', kScaleTypes | DTypeSet::of(DType::kI32)),
                in_opt("y_zero_point", 'Q', kQuantizedTypes)},
     .attributes = {kAxis, kBlockSize, kOutputDType, attr_int("precision", 0), attr_int("saturate", 1, 0, 1)},
     .outputs = {out("y", kQuantizedTypes)},
     .shape = shape_quantize,
     .grad = grad::zero,
     .body = quantize},
};

}  // namespace

ValueId quantized(Emitter& e, ValueId real, ValueId zero_point, DType to, bool saturate) {
  const auto shifted = [&](ValueId y) {
    return zero_point == kNoValue ? y : add(e, y, cast(e, zero_point, e.dtype(y)));
  };
  if (is_quantized_float(to)) return e.emit("Cast", {shifted(real)}, {{"to", to}, {"saturate", saturate}});
  const auto [low, high] = range_of(to);
  const ValueId whole = shifted(e.emit("Round", {real}));
  return cast(e, e.emit("Clip", {whole, scalar_like(e, real, low), scalar_like(e, real, high)}), to);
}

ValueId along_axis(Emitter& e, ValueId value, size_t axis, size_t rank) {
  const Shape& shape = e.shape(value);
  if (is_single(shape)) return shape.rank() == 0 ? value : e.emit("Reshape", {value, e.ints({})});
  if (shape.rank() != 1 || axis + 1 >= rank) return value;
  std::vector<int64_t> axes;
  for (size_t d = 1; d < rank - axis; ++d) axes.push_back(static_cast<int64_t>(d));
  return e.emit("Unsqueeze", {value, e.ints(axes)});
}

Status check_per_axis(const ShapeContext& c, size_t i, int64_t count) {
  if (!c.has_input(i) || !c.shape(i).known_rank()) return {};
  const Shape& shape = c.shape(i);
  if (shape.rank() == 0 || is_single(shape)) return {};
  if (shape.rank() == 1 && (shape[0] < 0 || count < 0 || shape[0] == count)) return {};
  return c.error("'", c.schema.input(i).name, "' is ", shape, ", wanted one number or ", count);
}

Status register_quantize(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
