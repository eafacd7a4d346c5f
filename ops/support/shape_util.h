// Helpers for shape functions.
#ifndef PERCALE_OPS_SUPPORT_SHAPE_UTIL_H_
#define PERCALE_OPS_SUPPORT_SHAPE_UTIL_H_

#include <optional>
#include <span>
#include <vector>

#include "core/registry/shape_context.h"

namespace percale {

// Output 0 and every further output have the dtype and shape of input 0.
Status shape_same(ShapeContext& context);
// Output 0 has the dtype of input 0 and the broadcast shape of all present inputs.
Status shape_broadcast(ShapeContext& context);
// Output 0 has dtype bool and the broadcast shape of all present inputs.
Status shape_broadcast_bool(ShapeContext& context);

// Returns the broadcast shape of the present inputs [from, to). An error names two incompatible
// shapes.
Result<Shape> broadcast_inputs(const ShapeContext& context, size_t from, size_t to);

// Normalizes `axes` of a tensor of that rank to [0, rank) and keeps their order. An axis that is
// out of range or given twice is an error.
Result<std::vector<size_t>> normalize_axes(std::span<const int64_t> axes, size_t rank);

// Returns the elements of the i32 or i64 input i if its value is known.
std::optional<std::vector<int64_t>> known_ints(const ShapeContext& context, size_t i);
// Like known_ints(), for values that are known in part. Unknown elements are kUnknownNumber.
std::optional<std::vector<int64_t>> partly_known_ints(const ShapeContext& context, size_t i);
// Returns the shape whose dims are the elements of input i. Unknown elements become unknown dims. A
// negative element is an error.
Result<Shape> shape_in_input(const ShapeContext& context, size_t i);
// Returns the number of elements of the rank-1 input i, or -1 if it is unknown. Another rank is an
// error.
Result<int64_t> vector_length(const ShapeContext& context, size_t i);
// Returns a shape of `rank` unknown dims, or an unranked shape for -1. A rank above the limit is an
// error.
Result<Shape> unknown_shape(int64_t rank);

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SHAPE_UTIL_H_
