// MaxUnpool: puts the elements that a MaxPool selected back at their positions.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/base/checked.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/window.h"

namespace percale {
namespace {

// ---- MaxUnpool

// Returns the shape that the indices refer to: that of the MaxPool's input, as far as it is known.
Result<Shape> pooled_from(const Attributes& attributes, const Shape& x) {
  if (x.rank() < 3) return invalid_argument("the input has shape ", x, ", wanted [N,C,D1,...]");
  const size_t rank = x.rank() - 2;
  PERCALE_ASSIGN_OR_RETURN(const auto kernel, ints_or(attributes, "kernel_shape", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto strides, ints_or(attributes, "strides", rank, 1));
  PERCALE_ASSIGN_OR_RETURN(const auto pads, ints_or(attributes, "pads", 2 * rank, 0));
  Shape out{x[0], x[1]};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t dim = x[d + 2];
    int64_t size = kUnknownDim;
    if (dim >= 0) {
      const CheckedSize reach = CheckedSize(std::max<int64_t>(dim - 1, 0)) * strides[d] + kernel[d];
      size = reach.valid() ? reach.value() - pads[d] - pads[rank + d] : int64_t{-1};
      if (size < 0 || size > kMaxDim)
        return invalid_argument("dim ", size, " of the shape that ", x, " was pooled from is out of range");
    }
    out.push_back(size);
  }
  return out;
}

Status shape_max_unpool(ShapeContext& context) {
  const Shape& x = context.shape(0);
  if (!compatible(x, context.shape(1))) return context.error("X ", x, " and I ", context.shape(1), " differ in shape");
  Shape y = Shape::unranked();
  if (x.known_rank()) {
    const auto inner = pooled_from(context.attributes, x);
    if (!inner.ok()) return context.error(inner.status());
    y = *inner;
    if (context.has_input(2)) {
      PERCALE_ASSIGN_OR_RETURN(const int64_t length, vector_length(context, 2));
      if (length >= 0 && length != static_cast<int64_t>(x.rank())) {
        return context.error("output_shape has ", length, " dims, but X is ", x);
      }
      const auto dims = known_ints(context, 2);
      for (size_t d = 0; d < y.rank(); ++d) {
        const int64_t dim = dims.has_value() ? (*dims)[d] : kUnknownDim;
        if (dims.has_value() && (dim < 0 || dim > kMaxDim || (y[d] >= 0 && dim < y[d]))) {
          return context.error("dim ", dim, " of output_shape is too small for ", *inner);
        }
        y[d] = dim;
      }
    }
  }
  context.set_output(0, context.dtype(0), y);
  return {};
}

// The gradient gathers dY at the positions that the indices refer to.
Status grad_max_unpool(GradContext& g) {
  if (!g.wants(0)) return {};
  ValueId dy = g.grad(0);
  if (g.input(2) != kNoValue) {
    const size_t rank = g.attributes().get_ints("kernel_shape").size();
    PERCALE_ASSIGN_OR_RETURN(const auto strides, ints_or(g.attributes(), "strides", rank, 1));
    PERCALE_ASSIGN_OR_RETURN(const auto pads, ints_or(g.attributes(), "pads", 2 * rank, 0));
    std::vector<int64_t> more = g.attributes().get_ints("kernel_shape"), axes(rank);
    for (size_t d = 0; d < rank; ++d) more[d] -= strides[d] + pads[d] + pads[rank + d];
    std::iota(axes.begin(), axes.end(), int64_t{2});
    const ValueId dims = g.emit("Shape", {g.input(0)}, {{"start", 2}});
    const ValueId ends = add(g, mul(g, dims, g.ints(strides)), g.ints(more));
    dy = g.emit("Slice", {dy, g.ints(std::vector<int64_t>(rank)), ends, g.ints(axes)});
  }
  g.set(0, g.emit("Gather", {g.emit("Reshape", {dy, g.ints({-1})}), g.input(1)}));
  return g.status();
}

struct UnpoolPlan {
  Shape inner, outer;  // the shape that the indices refer to; the output's shape
  std::array<int64_t, kMaxRank> strides{};
  int64_t count = 0, item = 0, bytes = 0;
};
Result<UnpoolPlan> plan_max_unpool(const NodeView& node, KernelPlan&) {
  UnpoolPlan plan;
  PERCALE_ASSIGN_OR_RETURN(plan.inner, pooled_from(node.attributes, node.shape(0)));
  PERCALE_RETURN_IF_ERROR(byte_size(node.dtype(0), plan.inner).status());
  plan.outer = node.output_shape(0);
  plan.item = item_bytes(node.dtype(0));
  plan.strides = contiguous_strides(plan.outer, plan.item);
  plan.count = node.shape(0).num_elements();
  plan.bytes = plan.outer.num_elements() * plan.item;
  return plan;
}
void run_max_unpool(const UnpoolPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  const auto* indices = launch.in<int64_t>(1);
  char* y = launch.out<char>(0);
  std::fill_n(y, plan.bytes, char{0});
  const int64_t limit = plan.inner.num_elements();
  for (int64_t i = 0; i < plan.count; ++i) {
    if (indices[i] < 0 || indices[i] >= limit) return launch.fail(RunError::kIndexOutOfRange, indices[i]);
    int64_t rest = indices[i], at = 0;
    for (size_t d = plan.inner.rank(); d-- > 0;) {
      at += rest % plan.inner[d] * plan.strides[d];
      rest /= plan.inner[d];
    }
    std::memcpy(y + at, x + i * plan.item, static_cast<size_t>(plan.item));
  }
}

constexpr AttrSpec kPads = attr_optional("pads", AttrKind::kInts, 0, kMaxWindow);
constexpr AttrSpec kStrides = attr_optional("strides", AttrKind::kInts, 1, kMaxWindow);

constexpr OpRow kSchemas[] = {
    {.name = "MaxUnpool",
     .since = 22,
     .doc = "Zeros, with each element of X at the position that I gives. I are the indices of a MaxPool. output_shape "
            "may be larger than the shape that the window implies.",
     .inputs = {in("X", 'T', dtypes::kFloat), in_index("I", dtypes::kI64Only),
                in_shape("output_shape", Presence::kOptional)},
     .attributes = {AttrSpec{
                        .name = "kernel_shape", .kind = AttrKind::kInts, .required = true, .min = 1, .max = kMaxWindow},
                    kPads, kStrides},
     .outputs = {out("output", 'T')},
     .shape = shape_max_unpool,
     .grad = grad_max_unpool},
};

}  // namespace

Status register_unpool(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry, {make_kernel<accepts_types<kFloatList>, plan_max_unpool, run_max_unpool>(
                                       "portable.MaxUnpool", "MaxUnpool")});
}

}  // namespace percale
