// Helpers for the bodies of composite ops: the compute type and dims that may be unknown.
#ifndef PERCALE_OPS_SUPPORT_BODY_UTIL_H_
#define PERCALE_OPS_SUPPORT_BODY_UTIL_H_

#include <vector>

#include "core/graph/emit/composite.h"
#include "ops/support/grad_util.h"

namespace percale {

// Returns the type that a body computes in: f64 for f64, f32 for every other float.
inline DType compute_type(DType dtype) { return dtype == DType::kF64 ? DType::kF64 : DType::kF32; }

inline ValueId number_like(BodyContext& c, ValueId like, std::string_view attribute) {
  return scalar_like(c, like, c.attributes().get_float(attribute));
}

// Returns dim `d` of x as an i64 vector of one element. It is a constant if the dim is known.
inline ValueId dim_of(Emitter& e, ValueId x, size_t d) {
  const Shape& shape = e.shape(x);
  if (shape.known_rank() && d < shape.rank() && shape[d] >= 0) return e.ints({shape[d]});
  return e.emit("Shape", {x}, {{"start", static_cast<int64_t>(d)}, {"end", static_cast<int64_t>(d) + 1}});
}

// Reshapes x to the dims obtained by concatenating the vectors in `dims`.
inline ValueId reshape(Emitter& e, ValueId x, const std::vector<ValueId>& dims) {
  return e.emit("Reshape", {x, e.emit("Concat", dims, {{"axis", 0}})}, {{"allowzero", 1}});
}

// Returns the product of the dims [from, to) of x as an i64 vector of one element.
inline ValueId dims_product(Emitter& e, ValueId x, size_t from, size_t to) {
  ValueId out = e.ints({1});
  for (size_t d = from; d < to; ++d) out = mul(e, out, dim_of(e, x, d));
  return out;
}

// Returns the square root of a non-negative x. Its slope at 0 is 0, where that of Sqrt is infinite.
inline ValueId root_of_sum(Emitter& e, ValueId x) {
  const ValueId zero = scalar_like(e, x, 0), is_zero = e.emit("Equal", {x, zero});
  return where(e, is_zero, zero, e.emit("Sqrt", {where(e, is_zero, scalar_like(e, x, 1), x)}));
}

// Returns the rank of x. It is an error if the rank is unknown.
inline Result<size_t> rank_of(const Emitter& e, ValueId x) {
  const Shape& shape = e.shape(x);
  if (!shape.known_rank()) return invalid_argument("the rank of the input must be known");
  return shape.rank();
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_BODY_UTIL_H_
