// DepthToSpace and SpaceToDepth, which move blocks of pixels to and from channels, and
// CenterCropPad.
#include <numeric>

#include "ops/support/body_util.h"
#include "ops/support/families.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// ---- DepthToSpace, SpaceToDepth

Status check_picture(const ShapeContext& context) {
  const Shape& x = context.shape(0);
  if (x.known_rank() && x.rank() != 4) return context.error("wanted an input [N,C,H,W], got ", x);
  return {};
}
int64_t times(int64_t dim, int64_t factor) { return dim < 0 ? kUnknownDim : dim * factor; }
int64_t over(int64_t dim, int64_t divisor) { return dim < 0 ? kUnknownDim : dim / divisor; }

Status shape_depth_to_space(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_picture(context));
  const Shape& x = context.shape(0);
  const int64_t b = context.attributes.get_int("blocksize");
  const std::string_view mode = context.attributes.get_string("mode");
  if (mode != "DCR" && mode != "CRD") return context.error("attribute 'mode' is '", mode, "', wanted DCR or CRD");
  Shape y{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  if (x.known_rank()) {
    if (x[1] >= 0 && x[1] % (b * b) != 0) return context.error("blocks of ", b, " * ", b, " do not divide ", x);
    y = Shape{x[0], over(x[1], b * b), times(x[2], b), times(x[3], b)};
  }
  context.set_output(0, context.dtype(0), y);
  return {};
}
Status depth_to_space(BodyContext& c) {
  const ValueId x = c.input(0);
  const bool depth_first = c.attributes().get_string("mode") == "DCR";
  const int64_t size = c.attributes().get_int("blocksize");
  const ValueId b = c.ints({size}), n = dim_of(c, x, 0), h = dim_of(c, x, 2), w = dim_of(c, x, 3);
  const ValueId depth = div(c, dim_of(c, x, 1), c.ints({size * size}));
  const ValueId split = depth_first ? reshape(c, x, {n, b, b, depth, h, w}) : reshape(c, x, {n, depth, b, b, h, w});
  const std::vector<int64_t> order =
      depth_first ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
  c.set(0, reshape(c, c.emit("Transpose", {split}, {{"perm", order}}), {n, depth, mul(c, h, b), mul(c, w, b)}));
  return c.status();
}

Status shape_space_to_depth(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_picture(context));
  const Shape& x = context.shape(0);
  const int64_t b = context.attributes.get_int("blocksize");
  Shape y{kUnknownDim, kUnknownDim, kUnknownDim, kUnknownDim};
  if (x.known_rank()) {
    for (size_t d = 2; d < 4; ++d) {
      if (x[d] >= 0 && x[d] % b != 0) return context.error("blocks of ", b, " * ", b, " do not divide ", x);
    }
    y = Shape{x[0], times(x[1], b * b), over(x[2], b), over(x[3], b)};
  }
  context.set_output(0, context.dtype(0), y);
  return {};
}
Status space_to_depth(BodyContext& c) {
  const ValueId x = c.input(0);
  const int64_t size = c.attributes().get_int("blocksize");
  const ValueId b = c.ints({size}), n = dim_of(c, x, 0), depth = dim_of(c, x, 1);
  const ValueId h = div(c, dim_of(c, x, 2), b), w = div(c, dim_of(c, x, 3), b);
  const ValueId split = reshape(c, x, {n, depth, h, b, w, b});
  const ValueId moved = c.emit("Transpose", {split}, {{"perm", std::vector<int64_t>{0, 3, 5, 1, 2, 4}}});
  c.set(0, reshape(c, moved, {n, mul(c, depth, c.ints({size * size})), h, w}));
  return c.status();
}

// ---- CenterCropPad

// Returns the axes that `shape` applies to: all axes if the attribute is absent.
std::vector<int64_t> crop_axes(const Attributes& attributes, size_t rank) {
  if (attributes.contains("axes")) return attributes.get_ints("axes");
  std::vector<int64_t> all(rank);
  std::iota(all.begin(), all.end(), int64_t{0});
  return all;
}

Status shape_center_crop_pad(ShapeContext& context) {
  const Shape& x = context.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const int64_t length, vector_length(context, 1));
  Shape y = x;
  if (x.known_rank()) {
    const auto axes = normalize_axes(crop_axes(context.attributes, x.rank()), x.rank());
    if (!axes.ok()) return context.error(axes.status());
    if (length >= 0 && length != static_cast<int64_t>(axes->size())) {
      return context.error("shape has ", length, " dims, but there are ", static_cast<uint64_t>(axes->size()), " axes");
    }
    const auto dims = known_ints(context, 1);
    for (size_t i = 0; i < axes->size(); ++i) {
      y[(*axes)[i]] = dims.has_value() ? (*dims)[i] : kUnknownDim;
      if (dims.has_value() && ((*dims)[i] < 0 || (*dims)[i] > kMaxDim)) {
        return context.error("dim ", (*dims)[i], " must be in [0, 2^40]");
      }
    }
  }
  context.set_output(0, context.dtype(0), y);
  return {};
}
// With an odd difference, the extra element is removed or added at the end.
Status center_crop_pad(BodyContext& c) {
  const ValueId x = c.input(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t rank, rank_of(c, x));
  const std::vector<int64_t> given = crop_axes(c.attributes(), rank);
  if (given.empty()) {
    c.set(0, c.emit("Identity", {x}));
    return c.status();
  }
  PERCALE_ASSIGN_OR_RETURN(const auto normal, normalize_axes(given, rank));
  std::vector<ValueId> parts;
  for (size_t axis : normal) parts.push_back(dim_of(c, x, axis));
  const ValueId dims = c.emit("Concat", parts, {{"axis", 0}});
  const ValueId target = cast(c, c.input(1), DType::kI64), axes = c.ints(given);
  const ValueId two = c.ints({2}), kept = c.emit("Min", {dims, target});
  const ValueId start = div(c, sub(c, dims, kept), two);
  const ValueId missing = sub(c, target, kept), before = div(c, missing, two);
  const ValueId cut = c.emit("Slice", {x, start, add(c, start, kept), axes});
  const ValueId pads = c.emit("Concat", {before, sub(c, missing, before)}, {{"axis", 0}});
  c.set(0, c.emit("Pad", {cut, pads, kNoValue, axes}));
  return c.status();
}

constexpr AttrSpec kBlockSize = {
    .name = "blocksize", .kind = AttrKind::kInt, .required = true, .min = 1, .max = 1 << 11};

constexpr OpRow kSchemas[] = {
    {.name = "CenterCropPad",
     .since = 18,
     .doc = "The centre of the input along axes (default: all), cropped or padded with zeros to the dims in shape. If "
            "the difference is odd, the extra element is at the end.",
     .inputs = {in("input_data", 'T', dtypes::kAny), in_shape("shape", Presence::kRequired, dtypes::kIndex)},
     .attributes = {attr_optional("axes", AttrKind::kInts)},
     .outputs = {out("output_data", 'T')},
     .shape = shape_center_crop_pad,
     .grad = grad::body,
     .body = center_crop_pad},
    {.name = "DepthToSpace",
     .since = 13,
     .doc = "Moves channels of [N,C,H,W] into blocks of blocksize * blocksize pixels. The position in the block is the "
            "outer part (mode DCR) or the inner part (CRD) of the channel index.",
     .inputs = {in("input", 'T', dtypes::kAny)},
     .attributes = {kBlockSize, attr_string("mode", "DCR")},
     .outputs = {out("output", 'T')},
     .shape = shape_depth_to_space,
     .grad = grad::body,
     .body = depth_to_space},
    {.name = "SpaceToDepth",
     .since = 13,
     .doc = "Moves blocks of blocksize * blocksize pixels of [N,C,H,W] into channels. The position in the block is the "
            "outer part of the channel index.",
     .inputs = {in("input", 'T', dtypes::kAny)},
     .attributes = {kBlockSize},
     .outputs = {out("output", 'T')},
     .shape = shape_space_to_depth,
     .grad = grad::body,
     .body = space_to_depth},
};

}  // namespace

Status register_blocks(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
