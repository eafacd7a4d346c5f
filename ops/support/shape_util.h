// What shape functions share.
#ifndef PERCALE_OPS_SUPPORT_SHAPE_UTIL_H_
#define PERCALE_OPS_SUPPORT_SHAPE_UTIL_H_

#include <optional>
#include <span>
#include <vector>

#include "core/registry/shape_context.h"

namespace percale {

// Output 0 (and every further one) has the dtype and shape of input 0.
Status shape_same(ShapeContext& context);
// Output 0 has the dtype of input 0 and the broadcast shape of all present inputs.
Status shape_broadcast(ShapeContext& context);
// Output 0 is of dtype bool and has the broadcast shape of all present inputs.
Status shape_broadcast_bool(ShapeContext& context);

// The broadcast shape of the present inputs [from, to), an error naming two that do not agree.
Result<Shape> broadcast_inputs(const ShapeContext& context, size_t from, size_t to);

// `axes` of a tensor of that rank in [0, rank), in the given order; an error for one that is out of range or given twice.
Result<std::vector<size_t>> normalize_axes(std::span<const int64_t> axes, size_t rank);

// The elements of the i32 or i64 input i where its value is known.
std::optional<std::vector<int64_t>> known_ints(const ShapeContext& context, size_t i);
// The same where some elements are known; the others are kUnknownNumber.
std::optional<std::vector<int64_t>> partly_known_ints(const ShapeContext& context, size_t i);
// The shape whose dims are the elements of input i, as far as they are known; an error for negative ones.
Result<Shape> shape_in_input(const ShapeContext& context, size_t i);
// How many elements the rank-1 input i has: -1 when not known, an error when it is of another rank.
Result<int64_t> vector_length(const ShapeContext& context, size_t i);
// A shape of `rank` unknown dims; unranked for -1; an error above the limit.
Result<Shape> unknown_shape(int64_t rank);

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SHAPE_UTIL_H_
