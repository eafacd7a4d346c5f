// Normalisations expressed by other ops. f16 and bf16 are computed in f32.
#include <numeric>

#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

ValueId mean(BodyContext& c, ValueId x, ValueId axes) { return c.emit("ReduceMean", {x, axes}, {{"keepdims", 1}}); }

// x minus its mean over the axes, and the mean of the square of that.
struct Centred {
  ValueId x, variance;
};
Centred centred(BodyContext& c, ValueId x, ValueId axes) {
  const ValueId shifted = sub(c, x, mean(c, x, axes));
  return {shifted, mean(c, mul(c, shifted, shifted), axes)};
}

// Returns x divided by its standard deviation.
ValueId standardized(BodyContext& c, const Centred& part) {
  return div(c, part.x, c.emit("Sqrt", {add(c, part.variance, number_like(c, part.x, "epsilon"))}));
}

// Reshapes a vector with one number per channel so that it broadcasts to [N,C,...] of rank `rank`.
ValueId per_channel(BodyContext& c, ValueId vector, DType dtype, size_t rank) {
  std::vector<int64_t> axes(rank - 2);
  std::iota(axes.begin(), axes.end(), int64_t{1});
  const ValueId wide = cast(c, vector, dtype);
  return axes.empty() ? wide : c.emit("Unsqueeze", {wide, c.ints(axes)});
}

// Checks that inputs 1 to `vectors` each have one element per channel of input 0, [N,C,...].
Status check_images(const ShapeContext& context, size_t vectors) {
  const Shape& x = context.shape(0);
  if (x.known_rank() && x.rank() < 2) return context.error("the input has shape ", x, ", wanted [N,C,...]");
  const int64_t channels = x.known_rank() ? x[1] : kUnknownDim;
  for (size_t i = 1; i <= vectors; ++i) {
    if (compatible(context.shape(i), Shape{channels})) continue;
    return context.error("input '", context.schema.input(i).name, "' has shape ", context.shape(i), ", wanted ",
                         Shape{channels});
  }
  return {};
}

// ---- InstanceNormalization

Status shape_instance_norm(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_images(context, 2));
  return shape_same(context);
}
Status instance_norm(BodyContext& c) {
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, rank_of(c, c.input(0)));
  const DType dtype = c.dtype(c.input(0)), wide = compute_type(dtype);
  std::vector<int64_t> axes(rank - 2);
  std::iota(axes.begin(), axes.end(), int64_t{2});
  const ValueId x = cast(c, c.input(0), wide);
  // Without dims after the channels, each element is its own mean.
  const ValueId over = c.ints(axes);
  const Centred part = axes.empty() ? Centred{sub(c, x, x), scalar_like(c, x, 0)} : centred(c, x, over);
  const ValueId scaled = mul(c, standardized(c, part), per_channel(c, c.input(1), wide, rank));
  const ValueId y = add(c, scaled, per_channel(c, c.input(2), wide, rank));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

// ---- GroupNormalization

Status shape_group_norm(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_images(context, 2));
  const int64_t groups = context.attributes.get_int("num_groups");
  const Shape& x = context.shape(0);
  if (x.known_rank() && x[1] >= 0 && x[1] % groups != 0) {
    return context.error("num_groups = ", groups, " does not divide the ", x[1], " channels");
  }
  const int64_t stash = context.attributes.get_int("stash_type");
  if (stash < 0 || stash >= kNumDTypes || !dtypes::kFloat.contains(static_cast<DType>(stash))) {
    return context.error("attribute 'stash_type' is ", stash, ", wanted f32, f64, f16 or bf16");
  }
  return shape_same(context);
}
Status group_norm(BodyContext& c) {
  const ValueId given = c.input(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, rank_of(c, given));
  const DType dtype = c.dtype(given);
  const auto stash = static_cast<DType>(c.attributes().get_int("stash_type"));
  const DType wide = dtype == DType::kF64 ? dtype : stash;
  const ValueId groups = c.ints({c.attributes().get_int("num_groups")});
  const ValueId size = div(c, dims_product(c, given, 1, rank), groups);
  const ValueId rows = reshape(c, cast(c, given, wide), {dim_of(c, given, 0), groups, size});
  const ValueId flat = standardized(c, centred(c, rows, c.ints({2})));
  const ValueId whole = c.emit("Reshape", {flat, shape_of(c, given)}, {{"allowzero", 1}});
  const ValueId scaled = mul(c, whole, per_channel(c, c.input(1), wide, rank));
  const ValueId y = add(c, scaled, per_channel(c, c.input(2), wide, rank));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

// ---- MeanVarianceNormalization

Status shape_mvn(ShapeContext& context) {
  if (context.shape(0).known_rank()) {
    const std::vector<int64_t>& given = context.attributes.get_ints("axes");
    const auto axes = normalize_axes(given.empty() ? std::vector<int64_t>{0, 2, 3} : given, context.shape(0).rank());
    if (!axes.ok()) return context.error(axes.status());
  }
  return shape_same(context);
}
Status mvn(BodyContext& c) {
  const DType dtype = c.dtype(c.input(0));
  const ValueId x = cast(c, c.input(0), compute_type(dtype));
  const std::vector<int64_t>& given = c.attributes().get_ints("axes");
  const Centred part = centred(c, x, c.ints(given.empty() ? std::vector<int64_t>{0, 2, 3} : given));
  const ValueId y = div(c, part.x, add(c, root_of_sum(c, part.variance), scalar_like(c, x, 1e-9)));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

// ---- LpNormalization

Status shape_lp_norm(ShapeContext& context) {
  if (context.shape(0).known_rank()) {
    const auto axis = normalize_axis(context.attributes.get_int("axis"), context.shape(0).rank());
    if (!axis.ok()) return context.error(axis.status());
  }
  return shape_same(context);
}
Status lp_norm(BodyContext& c) {
  const DType dtype = c.dtype(c.input(0));
  const ValueId x = cast(c, c.input(0), compute_type(dtype));
  const ValueId axes = c.ints({c.attributes().get_int("axis")});
  const ValueId norm = c.emit(c.attributes().get_int("p") == 1 ? "ReduceL1" : "ReduceL2", {x, axes});
  const ValueId divisor = where(c, c.emit("Equal", {norm, scalar_like(c, x, 0)}), scalar_like(c, x, 1), norm);
  const ValueId y = div(c, x, divisor);
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

// ---- LRN

Status shape_lrn(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_images(context, 0));
  return shape_same(context);
}
// The mean of squares over neighbouring channels is a pool over [N,1,C,rest]. Channels beyond the
// ends count as 0.
Status lrn(BodyContext& c) {
  const ValueId given = c.input(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, rank_of(c, given));
  const DType dtype = c.dtype(given);
  const int64_t size = c.attributes().get_int("size"), before = (size - 1) / 2;
  const ValueId x = cast(c, given, compute_type(dtype));
  const ValueId planes = reshape(
      c, mul(c, x, x), {dim_of(c, given, 0), c.ints({1}), dim_of(c, given, 1), dims_product(c, given, 2, rank)});
  const ValueId pooled = c.emit("AveragePool", {planes},
                                {{"kernel_shape", std::vector<int64_t>{size, 1}},
                                 {"pads", std::vector<int64_t>{before, 0, size - 1 - before, 0}},
                                 {"count_include_pad", 1}});
  const ValueId squares = c.emit("Reshape", {pooled, shape_of(c, given)}, {{"allowzero", 1}});
  const ValueId base = add(c, number_like(c, x, "bias"), mul(c, number_like(c, x, "alpha"), squares));
  const ValueId y = div(c, x, c.emit("Pow", {base, number_like(c, x, "beta")}));
  c.set(0, y == kNoValue ? y : cast(c, y, dtype));
  return c.status();
}

constexpr double kMost = 2147483647;

constexpr OpRow kSchemas[] = {
    {.name = "GroupNormalization",
     .since = 21,
     .doc = "(X - mean) / sqrt(var + epsilon) * scale + bias, with mean and biased variance over each of num_groups "
            "groups of channels, and one scale and bias per channel (Wu and He 2018). It is computed in stash_type, or "
            "in f64 for f64 inputs.",
     .inputs = {in("X", 'T', dtypes::kFloat), in("scale", 'T', dtypes::kFloat), in("bias", 'T', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0),
                    AttrSpec{.name = "num_groups", .kind = AttrKind::kInt, .required = true, .min = 1, .max = kMost},
                    attr_int("stash_type", 1)},
     .outputs = {out("Y", 'T')},
     .shape = shape_group_norm,
     .grad = grad::body,
     .body = group_norm},
    {.name = "InstanceNormalization",
     .since = 22,
     .doc = "(input - mean) / sqrt(var + epsilon) * scale + B, with mean and biased variance over each channel of each "
            "image (Ulyanov et al. 2016).",
     .inputs = {in("input", 'T', dtypes::kFloat), in("scale", 'T', dtypes::kFloat), in("B", 'T', dtypes::kFloat)},
     .attributes = {attr_float("epsilon", 1e-5, 0)},
     .outputs = {out("output", 'T')},
     .shape = shape_instance_norm,
     .grad = grad::body,
     .body = instance_norm},
    {.name = "LRN",
     .since = 13,
     .doc = "X / (bias + alpha / size * sum of squares over size neighbouring channels)^beta; channels beyond the ends "
            "count as 0 (Krizhevsky et al. 2012).",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {attr_float("alpha", 1e-4), attr_float("beta", 0.75), attr_float("bias", 1),
                    AttrSpec{.name = "size", .kind = AttrKind::kInt, .required = true, .min = 1, .max = kMost}},
     .outputs = {out("Y", 'T')},
     .shape = shape_lrn,
     .grad = grad::body,
     .body = lrn},
    {.name = "LpNormalization",
     .since = 22,
     .doc = "The input divided by its norm along `axis`: the sum of magnitudes (p = 1) or the root of the sum of "
            "squares (p = 2). The result is 0 where the norm is 0.",
     .inputs = {in("input", 'T', dtypes::kFloat)},
     .attributes = {attr_int("axis", -1), attr_int("p", 2, 1, 2)},
     .outputs = {out("output", 'T')},
     .shape = shape_lp_norm,
     .grad = grad::body,
     .body = lp_norm},
    {.name = "MeanVarianceNormalization",
     .since = 13,
     .doc = "(X - mean) / (standard deviation + 1e-9) over axes, by default [0, 2, 3].",
     .inputs = {in("X", 'T', dtypes::kFloat)},
     .attributes = {attr_optional("axes", AttrKind::kInts)},
     .outputs = {out("Y", 'T')},
     .shape = shape_mvn,
     .grad = grad::body,
     .body = mvn},
};

}  // namespace

Status register_norm_body(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
