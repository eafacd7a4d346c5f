#include "ops/support/shape_util.h"

#include <algorithm>
#include <array>

namespace percale {

Status shape_same(ShapeContext& context) {
  for (size_t i = 0; i < context.outputs.size(); ++i) context.set_output(i, context.dtype(0), context.shape(0));
  return {};
}

Result<Shape> broadcast_inputs(const ShapeContext& context, size_t from, size_t to) {
  Shape out;
  for (size_t i = from; i < to && i < context.num_inputs(); ++i) {
    if (!context.has_input(i)) continue;
    auto merged = broadcast(out, context.shape(i));
    if (!merged.ok()) return context.error(merged.status());
    out = *merged;
  }
  return out;
}

Status shape_broadcast(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const Shape shape, broadcast_inputs(context, 0, context.num_inputs()));
  context.set_output(0, context.dtype(0), shape);
  return {};
}

Status shape_broadcast_bool(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const Shape shape, broadcast_inputs(context, 0, context.num_inputs()));
  context.set_output(0, DType::kBool, shape);
  return {};
}

Result<std::vector<size_t>> normalize_axes(std::span<const int64_t> axes, size_t rank) {
  std::vector<size_t> out;
  std::array<bool, kMaxRank> seen{};
  for (int64_t axis : axes) {
    PERCALE_ASSIGN_OR_RETURN(const size_t a, normalize_axis(axis, rank));
    if (seen[a]) return invalid_argument("axis ", axis, " is listed twice");
    seen[a] = true;
    out.push_back(a);
  }
  return out;
}

std::optional<std::vector<int64_t>> known_ints(const ShapeContext& context, size_t i) {
  const Tensor* value = context.value(i);
  if (value == nullptr || !value->defined()) return std::nullopt;
  return to_int64s(*value);
}

std::optional<std::vector<int64_t>> partly_known_ints(const ShapeContext& context, size_t i) {
  if (i >= context.partly_known.size() || !context.partly_known[i].defined()) return known_ints(context, i);
  return to_int64s(context.partly_known[i]);
}

Result<Shape> shape_in_input(const ShapeContext& context, size_t i) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, i));
  auto dims = partly_known_ints(context, i);
  if (!dims.has_value()) {
    auto out = unknown_shape(rank);
    return out.ok() ? out : context.error(out.status());
  }
  const bool negative = std::any_of(dims->begin(), dims->end(), [](int64_t d) { return d < 0 && d != kUnknownNumber; });
  std::replace(dims->begin(), dims->end(), kUnknownNumber, kUnknownDim);
  auto out = Shape::make(*dims);
  if (!out.ok()) return context.error(out.status());
  if (negative) return context.error("the shape ", *out, " has a negative dim");
  return out;
}

Result<int64_t> vector_length(const ShapeContext& context, size_t i) {
  const Shape& shape = context.shape(i);
  if (!shape.known_rank()) return int64_t{-1};
  if (shape.rank() != 1) {
    return context.error("input '", context.schema.input(i).name, "' must be of rank 1, got ", shape);
  }
  return shape[0];
}

Result<Shape> unknown_shape(int64_t rank) {
  if (rank < 0) return Shape::unranked();
  if (rank > static_cast<int64_t>(kMaxRank)) {
    return invalid_argument("rank ", rank, " exceeds the limit of ", static_cast<uint64_t>(kMaxRank));
  }
  Shape out;
  for (int64_t i = 0; i < rank; ++i) out.push_back(kUnknownDim);
  return out;
}

}  // namespace percale
