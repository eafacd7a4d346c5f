// What bodies of composite ops share: the type that is computed in, dims that need not be known.
#ifndef PERCALE_OPS_SUPPORT_BODY_UTIL_H_
#define PERCALE_OPS_SUPPORT_BODY_UTIL_H_

#include <vector>

#include "core/graph/composite.h"
#include "ops/support/grad_util.h"

namespace percale {

// f64 stays f64, every other float is computed in f32.
inline DType compute_type(DType dtype) { return dtype == DType::kF64 ? DType::kF64 : DType::kF32; }

inline ValueId number_like(BodyContext& c, ValueId like, std::string_view attribute) {
  return scalar_like(c, like, c.attributes().get_float(attribute));
}

// Dim `d` of x as a vector of one i64: a constant where it is known.
inline ValueId dim_of(Emitter& e, ValueId x, size_t d) {
  const Shape& shape = e.shape(x);
  if (shape.known_rank() && d < shape.rank() && shape[d] >= 0) return e.ints({shape[d]});
  return e.emit("Shape", {x}, {{"start", static_cast<int64_t>(d)}, {"end", static_cast<int64_t>(d) + 1}});
}

// x with the dims that the vectors hold one after the other.
inline ValueId reshape(Emitter& e, ValueId x, const std::vector<ValueId>& dims) {
  return e.emit("Reshape", {x, e.emit("Concat", dims, {{"axis", 0}})}, {{"allowzero", 1}});
}

// The product of the dims [from, to) of x as a vector of one i64.
inline ValueId dims_product(Emitter& e, ValueId x, size_t from, size_t to) {
  ValueId out = e.ints({1});
  for (size_t d = from; d < to; ++d) out = mul(e, out, dim_of(e, x, d));
  return out;
}

// The square root of what is not negative, with slope 0 at 0, where its own is infinite.
inline ValueId root_of_sum(Emitter& e, ValueId x) {
  const ValueId zero = scalar_like(e, x, 0), is_zero = e.emit("Equal", {x, zero});
  return where(e, is_zero, zero, e.emit("Sqrt", {where(e, is_zero, scalar_like(e, x, 1), x)}));
}

// An error for values whose rank the body must know.
inline Result<size_t> rank_of(const Emitter& e, ValueId x) {
  const Shape& shape = e.shape(x);
  if (!shape.known_rank()) return invalid_argument("the rank of the input is not known");
  return shape.rank();
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_BODY_UTIL_H_
