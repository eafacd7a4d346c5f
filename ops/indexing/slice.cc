// Slice, which extracts a block of elements by starts, ends and steps, and its gradient.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/strided_copy.h"

namespace percale {
namespace {

// The elements taken along each dim: first, first + step, ..., `count` of them.
struct Slices {
  Shape counts;  // the result's shape
  std::array<int64_t, kMaxRank> first{}, step{};
};

// Computes one axis as numpy does: negative starts and ends count from the end, and all are clamped
// to the dim.
void slice_axis(int64_t dim, int64_t start, int64_t end, int64_t step, size_t axis, Slices& out) {
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  uint64_t span = 0;
  uint64_t stride = 0;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, dim);
    end = std::clamp<int64_t>(end, 0, dim);
    if (end > start) span = static_cast<uint64_t>(end - start);
    stride = static_cast<uint64_t>(step);
  } else {
    start = std::clamp<int64_t>(start, -1, dim - 1);
    end = std::clamp<int64_t>(end, -1, dim - 1);
    if (start > end) span = static_cast<uint64_t>(start - end);
    stride = uint64_t{0} - static_cast<uint64_t>(step);
  }
  const auto count = static_cast<int64_t>(span / stride + (span % stride != 0 ? 1 : 0));
  out.counts[axis] = count;
  out.first[axis] = count > 0 ? start : 0;
  out.step[axis] = count > 1 ? step : 0;  // a single element needs no step
}

using OptionalInts = std::optional<std::vector<int64_t>>;

// Computes the slices. Dims that are unknown, or whose starts or ends are unknown, stay unknown.
Result<Slices> slices_of(const Shape& x, const OptionalInts& starts, const OptionalInts& ends, bool has_axes,
                         const OptionalInts& axes, bool has_steps, const OptionalInts& steps) {
  Slices out;
  out.counts = x;
  out.step.fill(1);
  std::optional<size_t> length;
  for (const OptionalInts* list : {&starts, &ends, &axes, &steps}) {
    if (!list->has_value()) continue;
    if (length.value_or((*list)->size()) != (*list)->size()) {
      return invalid_argument("starts, ends, axes and steps differ in length");
    }
    length = (*list)->size();
  }
  const size_t count = length.value_or(0);
  std::vector<int64_t> default_axes(count);
  std::iota(default_axes.begin(), default_axes.end(), int64_t{0});
  if (!has_axes && count > x.rank()) return invalid_argument("there are more starts than dims of ", x);
  if ((has_axes && !axes.has_value()) || (!has_axes && !starts.has_value() && !ends.has_value())) {
    for (size_t d = 0; d < x.rank(); ++d) out.counts[d] = kUnknownDim;
    return out;
  }
  PERCALE_ASSIGN_OR_RETURN(const auto normal, normalize_axes(has_axes ? *axes : default_axes, x.rank()));
  for (size_t i = 0; i < normal.size(); ++i) {
    const size_t axis = normal[i];
    if (steps.has_value() && (*steps)[i] == 0) return invalid_argument("steps must not be 0");
    const bool known = starts.has_value() && ends.has_value() && (!has_steps || steps.has_value()) && x[axis] >= 0;
    if (known) {
      slice_axis(x[axis], (*starts)[i], (*ends)[i], has_steps ? (*steps)[i] : 1, axis, out);
    } else {
      out.counts[axis] = kUnknownDim;
    }
  }
  return out;
}

// Reads starts, ends, axes and steps from the inputs from `first` on.
template <class Context>
Result<Slices> slices_of_inputs(const Context& context, const Shape& x, size_t first) {
  const auto ints = [&](size_t i) -> OptionalInts {
    const Tensor* value = context.value(i);
    if (value == nullptr || !value->defined()) return std::nullopt;
    return to_int64s(*value);
  };
  return slices_of(x, ints(first), ints(first + 1), context.has_input(first + 2), ints(first + 2),
                   context.has_input(first + 3), ints(first + 3));
}

Status check_slice_vectors(const ShapeContext& context, size_t first) {
  for (size_t i = first; i < first + 4; ++i) {
    if (!context.has_input(i)) continue;
    PERCALE_RETURN_IF_ERROR(vector_length(context, i).status());
  }
  return {};
}

Status shape_slice(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_slice_vectors(context, 1));
  Shape out = Shape::unranked();
  if (context.shape(0).known_rank()) {
    const auto slices = slices_of_inputs(context, context.shape(0), 1);
    if (!slices.ok()) return context.error(slices.status());
    out = slices->counts;
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

Status shape_slice_grad(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_slice_vectors(context, 2));
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, 1));
  const auto dims = known_ints(context, 1);
  auto out = dims.has_value() ? Shape::make(*dims) : unknown_shape(rank);
  if (!out.ok()) return context.error(out.status());
  if (dims.has_value()) {
    if (!out->is_static()) return context.error("the shape ", *out, " has a negative dim");
    const auto slices = slices_of_inputs(context, *out, 2);
    if (!slices.ok()) return context.error(slices.status());
    if (!compatible(slices->counts, context.shape(0))) {
      return context.error("the slice of ", *out, " has the shape ", slices->counts, ", but grad is ",
                           context.shape(0));
    }
  }
  context.set_output(0, context.dtype(0), *out);
  return {};
}

// Appends the node's inputs from `first` on to `inputs`.
std::vector<ValueId> with_slice_inputs(const GradContext& g, std::vector<ValueId> inputs, size_t first) {
  for (size_t i = first; i < g.num_inputs(); ++i) inputs.push_back(g.input(i));
  return inputs;
}
Status grad_slice(GradContext& g) {
  if (g.wants(0)) {
    g.set(0, g.emit("percale:SliceGrad", with_slice_inputs(g, {g.grad(0), shape_of(g, g.input(0))}, 1)));
  }
  return g.status();
}
Status grad_slice_grad(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("Slice", with_slice_inputs(g, {g.grad(0)}, 2)));
  return g.status();
}

StridedCopy slice_copy(const Shape& whole, const Slices& slices, int64_t item, bool from_whole) {
  const auto own = contiguous_strides(whole, item), packed = contiguous_strides(slices.counts, item);
  std::array<int64_t, kMaxRank> strides{};
  int64_t base = 0;
  for (size_t d = 0; d < whole.rank(); ++d) {
    base += slices.first[d] * own[d];
    strides[d] = slices.step[d] * own[d];
  }
  return from_whole ? StridedCopy::make(slices.counts, item, packed, strides, 0, base)
                    : StridedCopy::make(slices.counts, item, strides, packed, base, 0);
}
Result<StridedCopy> plan_slice(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const Slices slices, slices_of_inputs(node, node.shape(0), 1));
  if (!slices.counts.is_static()) return internal_error("the starts and ends must be known when the kernel is planned");
  return slice_copy(node.shape(0), slices, item_bytes(node.dtype(0)), true);
}
void run_slice(const StridedCopy& copy, const Launch& launch) {
  copy.run(launch.parallel(), launch.in<char>(0), launch.out<char>(0));
}

struct SliceGradPlan {
  StridedCopy copy;
  int64_t bytes = 0;  // size of the output
};
Result<SliceGradPlan> plan_slice_grad(const NodeView& node, KernelPlan&) {
  const Shape& whole = node.output_shape(0);
  const int64_t item = item_bytes(node.dtype(0));
  PERCALE_ASSIGN_OR_RETURN(const Slices slices, slices_of_inputs(node, whole, 2));
  if (!slices.counts.is_static()) return internal_error("the starts and ends must be known when the kernel is planned");
  return SliceGradPlan{slice_copy(whole, slices, item, false), whole.num_elements() * item};
}
void run_slice_grad(const SliceGradPlan& plan, const Launch& launch) {
  char* y = launch.out<char>(0);
  std::fill_n(y, plan.bytes, char{0});
  plan.copy.run(launch.parallel(), launch.in<char>(0), y);
}

constexpr InputSpec kStarts = in_shape("starts", Presence::kRequired, dtypes::kIndex);
constexpr InputSpec kEnds = in_shape("ends", Presence::kRequired, dtypes::kIndex);
constexpr InputSpec kAxes = in_shape("axes", Presence::kOptional, dtypes::kIndex);
constexpr InputSpec kSteps = in_shape("steps", Presence::kOptional, dtypes::kIndex);

constexpr OpRow kSchemas[] = {
    {.name = "Slice",
     .since = 13,
     .doc = "The elements from starts to before ends, by steps, along axes, as numpy's x[start:end:step].",
     .inputs = {in("data", 'T', dtypes::kAny), kStarts, kEnds, kAxes, kSteps},
     .outputs = {out("output", 'T')},
     .shape = shape_slice,
     .grad = grad_slice,
     .traits = {.role = Role::kSlice, .bf16 = {Bf16Rule::Kind::kMoves}}},
    {.domain = "percale",
     .name = "SliceGrad",
     .doc = "Zeros of shape `shape`, with grad at the positions that Slice reads.",
     .inputs = {in("grad", 'T', dtypes::kNumeric), in_shape("shape"), kStarts, kEnds, kAxes, kSteps},
     .outputs = {out("x_grad", 'T')},
     .shape = shape_slice_grad,
     .grad = grad_slice_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kMoves}}},
};

}  // namespace

Status register_slice(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_types<kAnyList>, plan_slice, run_slice>("portable.Slice", "Slice"),
                    make_kernel<accepts_types<kNumericList>, plan_slice_grad, run_slice_grad>("portable.SliceGrad",
                                                                                              "SliceGrad", "percale"),
                });
}

}  // namespace percale
