// Ops that move elements without changing them: Transpose, Concat, Split.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/simd_kernels.h"
#include "ops/support/small_types.h"
#include "ops/support/strided_copy.h"

namespace percale {
namespace {

// ---- Transpose

// Dim d of the result is dim perm[d] of the input.
Result<std::vector<size_t>> permutation(const Attributes& attributes, size_t rank) {
  const std::vector<int64_t>& given = attributes.get_ints("perm");
  std::vector<size_t> perm(rank);
  if (!attributes.contains("perm")) {
    std::iota(perm.rbegin(), perm.rend(), size_t{0});
    return perm;
  }
  PERCALE_ASSIGN_OR_RETURN(perm, normalize_axes(given, rank));
  if (perm.size() != rank) {
    return invalid_argument("perm has ", static_cast<uint64_t>(perm.size()),
                            " entries, wanted a permutation of the dims of rank ", static_cast<uint64_t>(rank));
  }
  return perm;
}

Status shape_transpose(ShapeContext& context) {
  const Shape& x = context.shape(0);
  Shape out = Shape::unranked();
  if (x.known_rank()) {
    const auto perm = permutation(context.attributes, x.rank());
    if (!perm.ok()) return context.error(perm.status());
    out = Shape();
    for (size_t axis : *perm) out.push_back(x[axis]);
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

Status grad_transpose(GradContext& g) {
  if (!g.wants(0)) return {};
  const std::vector<int64_t>& perm = g.attributes().get_ints("perm");
  Attributes attributes;
  if (g.attributes().contains("perm")) {
    const auto rank = static_cast<int64_t>(perm.size());
    std::vector<int64_t> inverse(perm.size());
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t from = perm[static_cast<size_t>(d)];
      inverse[static_cast<size_t>(from < 0 ? from + rank : from)] = d;
    }
    attributes.set("perm", inverse);
  }
  g.set(0, g.emit("Transpose", {g.grad(0)}, std::move(attributes)));
  return g.status();
}

struct CopyPlan {
  StridedCopy copy;
};
Result<CopyPlan> plan_transpose(const NodeView& node, KernelPlan&) {
  const int64_t item = item_bytes(node.dtype(0));
  PERCALE_ASSIGN_OR_RETURN(const auto perm, permutation(node.attributes, node.shape(0).rank()));
  const auto own = contiguous_strides(node.shape(0), item);
  std::array<int64_t, kMaxRank> from{};
  for (size_t d = 0; d < perm.size(); ++d) from[d] = own[perm[d]];
  const Shape& y = node.output_shape(0);
  return CopyPlan{StridedCopy::make(y, item, contiguous_strides(y, item), from)};
}
void run_copy(const CopyPlan& plan, const Launch& launch) {
  plan.copy.run(launch.parallel(), launch.in<char>(0), launch.out<char>(0));
}

// ---- Concat and Split

Status shape_concat(ShapeContext& context) {
  Shape out = Shape::unranked();
  size_t axis = 0;
  int64_t total = 0;
  for (size_t i = 0; i < context.num_inputs(); ++i) {
    const Shape& x = context.shape(i);
    if (!x.known_rank()) {
      total = kUnknownDim;
      continue;
    }
    if (x.rank() == 0) return context.error("input ", static_cast<uint64_t>(i), " is a scalar, wanted rank 1 or more");
    const auto normal = normalize_axis(context.attributes.get_int("axis"), x.rank());
    if (!normal.ok()) return context.error(normal.status());
    axis = *normal;
    Shape open = x;  // except along the axis, all shapes must agree
    open[axis] = kUnknownDim;
    if (!compatible(open, out)) {
      return context.error("input ", static_cast<uint64_t>(i), " has shape ", x, ", which does not match ", out);
    }
    out = merge(out, open);
    if (total >= 0) total = x[axis] < 0 ? kUnknownDim : total + x[axis];
    if (total > kMaxDim) return context.error("the dims along the axis sum to more than 2^40");
  }
  if (out.known_rank()) out[axis] = total;
  context.set_output(0, context.dtype(0), out);
  return {};
}

Status grad_concat(GradContext& g) {
  const int64_t axis = g.attributes().get_int("axis");
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    const Shape& x = g.shape(g.input(i));
    const auto normal = normalize_axis(axis, x.rank());
    if (!x.known_rank() || !normal.ok() || x[*normal] < 0) break;
    sizes.push_back(x[*normal]);
  }
  ValueId split;
  if (sizes.size() == g.num_inputs()) {
    split = g.ints(sizes);
  } else {
    Attributes range{{"start", axis}};
    if (axis != -1) range.set("end", axis + 1);
    std::vector<ValueId> dims;
    for (size_t i = 0; i < g.num_inputs(); ++i) dims.push_back(g.emit("Shape", {g.input(i)}, range));
    split = g.emit("Concat", dims, {{"axis", 0}});
  }
  const auto parts = g.emit_many("Split", {g.grad(0), split}, g.num_inputs(), {{"axis", axis}});
  for (size_t i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.set(i, parts[i]);
  }
  return g.status();
}

// Returns the sizes of the parts along a dim, -1 if the dim is unknown.
Result<std::vector<int64_t>> split_sizes(int64_t dim, size_t parts, const std::vector<int64_t>* given,
                                         const Attributes& attributes) {
  const auto count = static_cast<int64_t>(parts);
  if (given != nullptr) {
    if (given->size() != parts) {
      return invalid_argument("split has ", static_cast<uint64_t>(given->size()), " sizes, but the node has ", count,
                              " outputs");
    }
    int64_t total = 0;
    for (int64_t size : *given) {
      if (size < 0 || size > kMaxDim) return invalid_argument("split sizes must be in [0, 2^40], got ", size);
      total += size;
    }
    if (dim >= 0 && total != dim) return invalid_argument("split sums to ", total, ", but the dim is ", dim);
    return *given;
  }
  if (const int64_t wanted = attributes.get_int("num_outputs", count); wanted != count) {
    return invalid_argument("num_outputs is ", wanted, ", but the node has ", count, " outputs");
  }
  if (dim < 0) return std::vector<int64_t>(parts, kUnknownDim);
  // The last parts may be smaller or empty. A branch that is not taken may split 5 into 4 parts.
  const int64_t size = (dim + count - 1) / count;
  std::vector<int64_t> sizes(parts);
  for (int64_t i = 0; i < count; ++i) sizes[static_cast<size_t>(i)] = std::clamp<int64_t>(dim - size * i, 0, size);
  return sizes;
}

Status shape_split(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const bool has_sizes = context.has_input(1);
  if (has_sizes) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t count, vector_length(context, 1));
    if (count >= 0 && count != static_cast<int64_t>(context.outputs.size())) {
      return context.error("split has ", count, " sizes, but the node has ",
                           static_cast<uint64_t>(context.outputs.size()), " outputs");
    }
    if (context.attributes.contains("num_outputs"))
      return context.error("split and num_outputs must not both be given");
  }
  const auto given = has_sizes ? known_ints(context, 1) : std::nullopt;
  std::vector<int64_t> sizes(context.outputs.size(), kUnknownDim);
  size_t axis = 0;
  if (x.known_rank()) {
    const auto normal = normalize_axis(context.attributes.get_int("axis"), x.rank());
    if (!normal.ok()) return context.error(normal.status());
    axis = *normal;
    if (!has_sizes || given.has_value()) {
      auto known = split_sizes(x[axis], sizes.size(), given.has_value() ? &*given : nullptr, context.attributes);
      if (!known.ok()) return context.error(known.status());
      sizes = *known;
    }
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape out = x;
    if (x.known_rank()) out[axis] = sizes[i];
    context.set_output(i, context.dtype(0), out);
  }
  return {};
}

Status grad_split(GradContext& g) {
  if (!g.wants(0)) return {};
  std::vector<ValueId> parts;
  for (size_t i = 0; i < g.node().outputs.size(); ++i) {
    if (g.output(i) == kNoValue) {
      g.fail(unimplemented("Split '", g.node().name, "': the gradient requires all outputs"));
      return g.status();
    }
    parts.push_back(g.grad_or_zeros(i));
  }
  g.set(0, g.emit("Concat", parts, {{"axis", g.attributes().get_int("axis")}}));
  return g.status();
}

// One copy per part. Part k is input k of Concat or output k of Split.
struct PartsPlan {
  std::vector<StridedCopy> parts;
};
StridedCopy part_copy(const Shape& whole, const Shape& part, size_t axis, int64_t before, int64_t item, bool join) {
  const auto whole_strides = contiguous_strides(whole, item), part_strides = contiguous_strides(part, item);
  const int64_t base = before * whole_strides[axis];
  return join ? StridedCopy::make(part, item, whole_strides, part_strides, base, 0)
              : StridedCopy::make(part, item, part_strides, whole_strides, 0, base);
}
Result<PartsPlan> plan_concat(const NodeView& node, KernelPlan&) {
  const Shape& whole = node.output_shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), whole.rank()));
  PartsPlan plan;
  int64_t before = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    plan.parts.push_back(part_copy(whole, node.shape(i), axis, before, item_bytes(node.dtype(0)), true));
    before += node.shape(i)[axis];
  }
  return plan;
}
void run_concat(const PartsPlan& plan, const Launch& launch) {
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    plan.parts[i].run(launch.parallel(), launch.in<char>(i), launch.out<char>(0));
  }
}
Result<PartsPlan> plan_split(const NodeView& node, KernelPlan&) {
  const Shape& whole = node.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), whole.rank()));
  // Unused outputs have a size too, so sizes are not read from the outputs' shapes.
  const bool has_sizes = node.has_input(1);
  if (has_sizes && node.value(1) == nullptr)
    return internal_error("the sizes must be known when the kernel is planned");
  const std::vector<int64_t> given = has_sizes ? to_int64s(*node.value(1)) : std::vector<int64_t>();
  PERCALE_ASSIGN_OR_RETURN(
      const auto sizes, split_sizes(whole[axis], node.outputs.size(), has_sizes ? &given : nullptr, node.attributes));
  PartsPlan plan;
  int64_t before = 0;
  for (int64_t size : sizes) {
    Shape part = whole;
    part[axis] = size;
    plan.parts.push_back(part_copy(whole, part, axis, before, item_bytes(node.dtype(0)), false));
    before += size;
  }
  return plan;
}
void run_split(const PartsPlan& plan, const Launch& launch) {
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    char* out = launch.out<char>(i);
    if (out != nullptr) plan.parts[i].run(launch.parallel(), launch.in<char>(0), out);
  }
}

// ---- Schemas

constexpr OpRow kSchemas[] = {
    {.name = "Transpose",
     .since = 25,
     .doc = "The input with permuted dims: dim d of the result is dim perm[d] of the input. Without perm, all dims are "
            "reversed.",
     .inputs = {in("data", 'T', kStorable)},
     .attributes = {attr_optional("perm", AttrKind::kInts, 0)},
     .outputs = {out("transposed", 'T')},
     .shape = shape_transpose,
     .grad = grad_transpose,
     .traits = {.role = Role::kTranspose, .bf16 = {Bf16Rule::Kind::kMoves}, .split = SplitRule::kTranspose}},
    {.name = "Concat",
     .since = 13,
     .doc = "The inputs concatenated along `axis`.",
     .inputs = {in_variadic("inputs", 'T', dtypes::kAny)},
     .attributes = {attr_required("axis", AttrKind::kInt)},
     .outputs = {out("concat_result", 'T')},
     .shape = shape_concat,
     .grad = grad_concat,
     .traits = {.role = Role::kConcat, .bf16 = {Bf16Rule::Kind::kMoves}}},
    {.name = "Split",
     .since = 18,
     .doc = "Splits the input along `axis` into parts of the given sizes. Without sizes, the parts are equal and the "
            "last may be smaller.",
     .inputs = {in("input", 'T', dtypes::kAny), in_shape("split", Presence::kOptional)},
     .attributes = {attr_int("axis", 0), attr_optional("num_outputs", AttrKind::kInt, 1)},
     .outputs = {OutputSpec{"outputs", 'T', {}, Presence::kVariadic}},
     .shape = shape_split,
     .grad = grad_split,
     .traits = {.bf16 = {Bf16Rule::Kind::kMoves}}},
};

}  // namespace

Status register_layout(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_layout_simd(registry, *simd));
  return add_cpu_kernels(
      registry, {
                    small_kernel<plan_transpose, run_copy>("portable.Transpose_small", "Transpose"),
                    make_kernel<accepts_types<kAnyList>, plan_transpose, run_copy>("portable.Transpose", "Transpose"),
                    make_kernel<accepts_types<kAnyList>, plan_concat, run_concat>("portable.Concat", "Concat"),
                    make_kernel<accepts_types<kAnyList>, plan_split, run_split>("portable.Split", "Split"),
                });
}

}  // namespace percale
