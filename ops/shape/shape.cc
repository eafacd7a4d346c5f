// Shapes as values, and ops that change only the shape of a tensor.
#include <algorithm>
#include <array>
#include <vector>

#include "core/base/checked.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"
#include "ops/support/strided_copy.h"

namespace percale {
namespace {

// ---- Shapes

// Returns the product of the dims [from, to), or -1 if one is unknown.
int64_t known_product(const Shape& shape, size_t from, size_t to) {
  for (size_t d = from; d < to; ++d) {
    if (shape[d] < 0) return kUnknownDim;
  }
  return shape.product(from, to);
}

// Returns the dim that -1 stands for. `dims` holds the wanted dims, with -1 at `open` and where
// they are unknown. Copied dims are already replaced. `copied[d]` is true if dim d is dim d of x,
// known or not.
Result<int64_t> open_dim(const Shape& x, const std::vector<int64_t>& dims, size_t open,
                         const std::array<bool, kMaxRank>& copied) {
  if (!x.known_rank()) return kUnknownDim;
  // A copied dim is on both sides and cancels out, so it may be unknown, unless it is zero.
  CheckedSize have = 1, want = 1;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (copied[d] && x[d] != 0) continue;
    if (x[d] < 0) return kUnknownDim;
    have = have * x[d];
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d == open || (copied[d] && x[d] != 0)) continue;
    if (dims[d] < 0) return kUnknownDim;
    want = want * dims[d];
  }
  if (!want.valid()) return invalid_argument("the shape has more than 2^63 elements");
  if (want.value() == 0) return invalid_argument("-1 cannot be inferred beside a dim of 0");
  if (have.value() % want.value() != 0) {
    return invalid_argument("the elements of ", x, " cannot be divided by the other dims, whose product is ",
                            want.value());
  }
  return have.value() / want.value();
}

Result<Shape> reshaped(const Shape& x, std::vector<int64_t> dims, bool allow_zero) {
  if (dims.size() > kMaxRank) return Shape::make(dims).status();
  std::array<bool, kMaxRank> copied{};
  size_t open = dims.size();
  bool zero = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == kUnknownNumber) {
      dims[d] = kUnknownDim;
    } else if (dims[d] == -1) {
      if (open != dims.size()) return invalid_argument("the shape contains more than one -1");
      open = d;
    } else if (dims[d] == 0 && allow_zero) {
      zero = true;
    } else if (dims[d] == 0) {
      if (x.known_rank() && d >= x.rank()) {
        return invalid_argument("dim ", static_cast<uint64_t>(d), " is 0 (copy the dim), but the data has shape ", x);
      }
      copied[d] = true;
      dims[d] = x.known_rank() ? x[d] : kUnknownDim;
    } else if (dims[d] < 0) {
      return invalid_argument("dim ", static_cast<uint64_t>(d), " must not be ", dims[d]);
    }
  }
  if (open < dims.size()) {
    if (zero) return invalid_argument("the shape contains both -1 and 0, which allowzero forbids");
    PERCALE_ASSIGN_OR_RETURN(dims[open], open_dim(x, dims, open, copied));
  }
  PERCALE_ASSIGN_OR_RETURN(const Shape out, Shape::make(dims));
  if (x.is_static() && out.is_static()) {
    PERCALE_RETURN_IF_ERROR(byte_size(DType::kU8, out).status());
    if (x.num_elements() != out.num_elements()) return invalid_argument("cannot reshape ", x, " to ", out);
  }
  return out;
}

Status shape_reshape(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, 1));
  const auto dims = partly_known_ints(context, 1);
  const auto out = dims.has_value() ? reshaped(context.shape(0), *dims, context.attributes.get_int("allowzero") != 0)
                                    : unknown_shape(rank);
  if (!out.ok()) return context.error(out.status());
  context.set_output(0, context.dtype(0), *out);
  return {};
}

Status shape_flatten(ShapeContext& context) {
  const Shape& x = context.shape(0);
  Shape out{kUnknownDim, kUnknownDim};
  if (x.known_rank()) {
    const auto rank = static_cast<int64_t>(x.rank());
    int64_t axis = context.attributes.get_int("axis");
    if (axis < -rank || axis > rank) return context.error("axis ", axis, " is out of range for ", x);
    if (axis < 0) axis += rank;
    out = Shape{known_product(x, 0, static_cast<size_t>(axis)), known_product(x, static_cast<size_t>(axis), x.rank())};
    if (x.is_static()) {
      for (int64_t dim : out) {
        if (dim > kMaxDim || dim < 0) return context.error("flattening ", x, " gives a dim above 2^40");
      }
    } else {
      for (size_t d = 0; d < 2; ++d) {
        if (out[d] > kMaxDim || out[d] < 0) out[d] = kUnknownDim;
      }
    }
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

// Returns the number of axes in input 1, or -1 if it is unknown. Exporters also write a single axis
// as a scalar.
Result<int64_t> axes_length(const ShapeContext& context) {
  const Shape& axes = context.shape(1);
  return axes.known_rank() && axes.rank() == 0 ? Result<int64_t>(1) : vector_length(context, 1);
}

Status shape_squeeze(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const bool has_axes = context.has_input(1);
  int64_t axis_count = 0;
  if (has_axes) {
    PERCALE_ASSIGN_OR_RETURN(axis_count, axes_length(context));
  }
  const auto axes = has_axes ? known_ints(context, 1) : std::nullopt;
  Shape out = Shape::unranked();
  if (x.known_rank() && axes.has_value()) {
    const auto normal = normalize_axes(*axes, x.rank());
    if (!normal.ok()) return context.error(normal.status());
    out = Shape();
    for (size_t d = 0; d < x.rank(); ++d) {
      if (std::find(normal->begin(), normal->end(), d) == normal->end()) {
        out.push_back(x[d]);
      } else if (x[d] != 1 && x[d] != kUnknownDim) {
        return context.error("dim ", static_cast<uint64_t>(d), " of ", x, " is not 1");
      }
    }
  } else if (x.is_static() && !has_axes) {
    out = Shape();
    for (int64_t dim : x) {
      if (dim != 1) out.push_back(dim);
    }
  } else if (x.known_rank() && axis_count > 0) {
    const auto partial = unknown_shape(std::max<int64_t>(0, static_cast<int64_t>(x.rank()) - axis_count));
    out = *partial;
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

Status shape_unsqueeze(ShapeContext& context) {
  const Shape& x = context.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const int64_t axis_count, axes_length(context));
  const auto axes = known_ints(context, 1);
  Shape out = Shape::unranked();
  if (x.known_rank() && axis_count >= 0) {
    auto partial = unknown_shape(static_cast<int64_t>(x.rank()) + axis_count);
    if (!partial.ok()) return context.error(partial.status());
    out = *partial;
    if (axes.has_value()) {
      const auto normal = normalize_axes(*axes, out.rank());
      if (!normal.ok()) return context.error(normal.status());
      for (size_t axis : *normal) out[axis] = 1;
      size_t from = 0;
      for (size_t d = 0; d < out.rank(); ++d) {
        if (std::find(normal->begin(), normal->end(), d) == normal->end()) out[d] = x[from++];
      }
    }
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

Status shape_expand(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const Shape want, shape_in_input(context, 1));
  const auto out = broadcast(context.shape(0), want);
  if (!out.ok()) return context.error(out.status());
  context.set_output(0, context.dtype(0), *out);
  return {};
}

// Returns the range [first, last) of the dims that a Shape node returns for a tensor of that rank.
std::pair<size_t, size_t> shape_range(const Attributes& attributes, size_t rank) {
  const auto r = static_cast<int64_t>(rank);
  const auto place = [&](int64_t i) { return static_cast<size_t>(std::clamp<int64_t>(i < 0 ? i + r : i, 0, r)); };
  const size_t first = place(attributes.get_int("start"));
  return {first, std::max(first, place(attributes.get_int("end", r)))};
}

Status shape_shape(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const auto [first, last] = shape_range(context.attributes, x.rank());
  context.set_output(0, DType::kI64, Shape{x.known_rank() ? static_cast<int64_t>(last - first) : int64_t{kUnknownDim}});
  return {};
}

Status shape_size(ShapeContext& context) {
  context.set_output(0, DType::kI64, Shape{});
  return {};
}

// ---- Gradients

// A zero in the shape is a dim of size zero here, not "copy".
Status grad_view(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("Reshape", {g.grad(0), shape_of(g, g.input(0))}, {{"allowzero", 1}}));
  return g.status();
}

Status grad_expand(GradContext& g) {
  if (g.wants(0)) g.set(0, sum_to_shape_of(g, g.grad(0), g.input(0)));
  return g.status();
}

// ---- Schemas

constexpr OpRow kSchemas[] = {
    {.name = "Reshape",
     .since = 25,
     .doc = "data in another shape. -1 is inferred from the number of elements; 0 copies the dim of data unless "
            "allowzero is set.",
     .inputs = {in("data", 'T', kStorable), in_shape("shape")},
     .attributes = {attr_int("allowzero", 0, 0, 1)},
     .outputs = {out("reshaped", 'T')},
     .flags = kPure | kView,
     .in_place = {InPlace{0, 0}},
     .shape = shape_reshape,
     .grad = grad_view,
     .traits = {.role = Role::kReshape, .split = SplitRule::kReshape}},
    {.name = "Flatten",
     .since = 25,
     .doc = "The input as a matrix: the dims before `axis` become its rows, the others its columns.",
     .inputs = {in("input", 'T', kStorable)},
     .attributes = {attr_int("axis", 1)},
     .outputs = {out("output", 'T')},
     .flags = kPure | kView,
     .in_place = {InPlace{0, 0}},
     .shape = shape_flatten,
     .grad = grad_view},
    {.name = "Squeeze",
     .since = 25,
     .doc = "Removes dims of size 1: those in axes, or all without axes.",
     .inputs = {in("data", 'T', kStorable), in_shape("axes", Presence::kOptional)},
     .outputs = {out("squeezed", 'T')},
     .flags = kPure | kView,
     .in_place = {InPlace{0, 0}},
     .shape = shape_squeeze,
     .grad = grad_view},
    {.name = "Unsqueeze",
     .since = 25,
     .doc = "Inserts dims of size 1 at the positions `axes` of the result.",
     .inputs = {in("data", 'T', kStorable), in_shape("axes")},
     .outputs = {out("expanded", 'T')},
     .flags = kPure | kView,
     .in_place = {InPlace{0, 0}},
     .shape = shape_unsqueeze,
     .grad = grad_view},
    {.name = "Expand",
     .since = 13,
     .doc = "The input broadcast with `shape`.",
     .inputs = {in("input", 'T', dtypes::kAny), in_shape("shape")},
     .outputs = {out("output", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_expand,
     .grad = grad_expand},
    {.name = "Shape",
     .since = 25,
     .doc = "The dims [start, end) of the input's shape; negative bounds count from the end.",
     .inputs = {in("data", 'T', kStorable)},
     .attributes = {attr_int("start", 0), attr_optional("end", AttrKind::kInt)},
     .outputs = {out("shape", dtypes::kI64Only)},
     .shape = shape_shape,
     .grad = grad::zero,
     .traits = {.role = Role::kShape}},
    {.name = "Size",
     .since = 25,
     .doc = "The number of elements of the input.",
     .inputs = {in("data", 'T', kStorable)},
     .outputs = {out("size", dtypes::kI64Only)},
     .shape = shape_size,
     .grad = grad::zero,
     .traits = {.role = Role::kSize}},
};

// ---- Kernels

struct NumbersPlan {
  std::array<int64_t, kMaxRank> numbers{};
  size_t count = 0;
};
Result<NumbersPlan> plan_shape(const NodeView& node, KernelPlan&) {
  const auto [first, last] = shape_range(node.attributes, node.shape(0).rank());
  NumbersPlan plan;
  for (size_t d = first; d < last; ++d) plan.numbers[plan.count++] = node.shape(0)[d];
  return plan;
}
Result<NumbersPlan> plan_size(const NodeView& node, KernelPlan&) {
  return NumbersPlan{{node.shape(0).num_elements()}, 1};
}
void run_numbers(const NumbersPlan& plan, const Launch& launch) {
  std::copy_n(plan.numbers.begin(), plan.count, launch.out<int64_t>(0));
}

Result<MapPlan> plan_expand(const NodeView& node, KernelPlan&) {
  return make_map(node, 1, copy_row(item_bytes(node.dtype(0))));
}

[[gnu::always_inline]] inline Kernel view_kernel(KernelName name) {
  return make_kernel<accepts_storable, plan_view, run_view>(name.text, name.op);
}

}  // namespace

Status register_shape(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry,
                         {
                             view_kernel("portable.Reshape"),
                             view_kernel("portable.Flatten"),
                             view_kernel("portable.Squeeze"),
                             view_kernel("portable.Unsqueeze"),
                             make_kernel<accepts_types<kAnyList>, plan_expand, run_map>("portable.Expand", "Expand"),
                             make_kernel<accepts_storable, plan_shape, run_numbers>("portable.Shape", "Shape"),
                             make_kernel<accepts_storable, plan_size, run_numbers>("portable.Size", "Size"),
                         });
}

}  // namespace percale
