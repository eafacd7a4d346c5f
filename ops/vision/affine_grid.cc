// AffineGrid: the coordinates that an affine map assigns to the elements of an image, in the form
// that GridSample reads. A composite op.
#include <vector>

#include "core/graph/emit/composite.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// Shape function: size is [N,C,(D,)H,W] and theta [N,rank,rank + 1].
Status shape_affine_grid(ShapeContext& c) {
  const Shape& theta = c.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const int64_t length, vector_length(c, 1));
  int64_t rank = length < 0 ? kUnknownDim : length - 2;
  if (theta.known_rank() && theta.rank() == 3 && theta[1] >= 0) rank = theta[1];
  if (rank >= 0 && rank != 2 && rank != 3) return c.error("wanted 2 or 3 spatial dims, got ", rank);
  const Shape wanted{kUnknownDim, rank, rank < 0 ? rank : rank + 1};
  if (!compatible(theta, wanted) || (length >= 0 && rank >= 0 && length != rank + 2)) {
    return c.error("theta has shape ", theta, ", which does not match the ", length, " numbers of size");
  }
  Shape out = Shape::unranked();
  if (rank >= 0) {
    out = Shape{theta.known_rank() ? theta[0] : kUnknownDim};
    for (int64_t d = 0; d < rank; ++d) out.push_back(kUnknownDim);
    out.push_back(rank);
  }
  if (const auto size = known_ints(c, 1); size.has_value() && out.known_rank()) {
    const auto shape = Shape::make(*size);
    if (!shape.ok()) return c.error(shape.status());
    if (!shape->is_static()) return c.error("size must not contain negative dims, got ", *shape);
    if (out[0] >= 0 && out[0] != (*shape)[0]) return c.error("theta has shape ", theta, ", but size is ", *shape);
    out[0] = (*shape)[0];
    for (size_t d = 2; d < shape->rank(); ++d) out[d - 1] = (*shape)[d];
  }
  c.set_output(0, c.dtype(0), out);
  return {};
}

// Returns coordinates from -1 to 1 along a dim: from the first to the last element, or the centres
// of equal parts.
ValueId places(BodyContext& c, ValueId count, DType dtype) {
  const auto whole = [&](double n) { return c.scalar(DType::kI64, n); };
  const auto real = [&](double n) { return c.scalar(dtype, n); };
  const ValueId up = cast(c, c.emit("Range", {whole(0), count, whole(1)}), dtype);
  if (c.attributes().get_int("align_corners") != 0) {
    const ValueId steps = cast(c, c.emit("Max", {sub(c, count, whole(1)), whole(1)}), dtype);
    return sub(c, div(c, mul(c, up, real(2)), steps), real(1));
  }
  return sub(c, div(c, add(c, mul(c, up, real(2)), real(1)), cast(c, count, dtype)), real(1));
}

// Sums the columns of theta times x, y and z, each along its own dim, and the last column.
Status affine_grid(BodyContext& c) {
  const DType dtype = c.dtype(c.input(0)), wide = dtype == DType::kF64 ? dtype : DType::kF32;
  const Shape &theta = c.shape(c.input(0)), &size = c.shape(c.input(1));
  int64_t rank = theta.known_rank() ? theta[1] : kUnknownDim;
  if (rank < 0 && size.known_rank() && size[0] >= 0) rank = size[0] - 2;
  if (rank < 0) return unimplemented("the number of spatial dims must be known");
  const ValueId map = cast(c, c.input(0), wide);
  const auto column = [&](int64_t k) {
    std::vector<int64_t> axes;
    for (int64_t d = 1; d <= rank; ++d) axes.push_back(d);
    const ValueId one = c.emit("Gather", {map, c.scalar(DType::kI64, static_cast<double>(k))}, {{"axis", 2}});
    return c.emit("Unsqueeze", {one, c.ints(axes)});
  };
  ValueId sum = kNoValue;
  for (int64_t k = 0; k < rank; ++k) {
    const ValueId count =
        c.emit("Gather", {c.input(1), c.scalar(DType::kI64, static_cast<double>(rank + 1 - k))}, {{"axis", 0}});
    std::vector<int64_t> axes;
    for (int64_t d = 1; d <= k + 1; ++d) axes.push_back(d);
    const ValueId part = mul(c, c.emit("Unsqueeze", {places(c, count, wide), c.ints(axes)}), column(k));
    sum = sum == kNoValue ? part : add(c, sum, part);
  }
  c.set(0, cast(c, add(c, sum, column(rank)), dtype));
  return c.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "AffineGrid",
     .since = 20,
     .doc = "The sampling grid theta times (x, y, 1) or (x, y, z, 1) for each element of images of `size` "
            "[N,C,(D,)H,W]. x, y and z run from -1 to 1 between the centres of the first and last elements "
            "(align_corners) or the outer edges.",
     .inputs = {in("theta", 'T', dtypes::kFloat), in_shape("size")},
     .attributes = {attr_int("align_corners", 0, 0, 1)},
     .outputs = {out("grid", 'T')},
     .shape = shape_affine_grid,
     .grad = grad::body,
     .body = affine_grid},
};

}  // namespace

Status register_affine_grid(Registry& registry, const simd::SimdTable*) { return registry.add_ops<kSchemas>(); }

}  // namespace percale
