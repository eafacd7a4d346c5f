// Gather and scatter ops by index. Every index is checked where it is used, and an index out of
// range fails the run.
#include <algorithm>
#include <array>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/scatter_join.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// ---- Shapes

Result<size_t> axis_of(const ShapeContext& context, size_t rank) {
  auto axis = normalize_axis(context.attributes.get_int("axis"), rank);
  if (!axis.ok()) return context.error(axis.status());
  return axis;
}

Status shape_gather(ShapeContext& context) {
  const Shape &x = context.shape(0), &indices = context.shape(1);
  Shape out = Shape::unranked();
  if (x.known_rank()) {
    PERCALE_ASSIGN_OR_RETURN(const size_t axis, axis_of(context, x.rank()));
    if (indices.known_rank()) {
      if (x.rank() - 1 + indices.rank() > kMaxRank) {
        return context.error("the result of ", x, " and indices ", indices, " exceeds the rank limit of ",
                             static_cast<uint64_t>(kMaxRank));
      }
      out = Shape();
      for (size_t d = 0; d < axis; ++d) out.push_back(x[d]);
      for (int64_t dim : indices) out.push_back(dim);
      for (size_t d = axis + 1; d < x.rank(); ++d) out.push_back(x[d]);
    }
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

// Inputs: grad, indices, shape of the data.
Status shape_gather_grad(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, 2));
  const auto dims = known_ints(context, 2);
  const auto out = dims.has_value() ? Shape::make(*dims) : unknown_shape(rank);
  if (!out.ok()) return context.error(out.status());
  if (dims.has_value()) {
    const Shape &grad = context.shape(0), &indices = context.shape(1);
    if (!out->is_static()) return context.error("the shape ", *out, " has a negative dim");
    PERCALE_ASSIGN_OR_RETURN(const size_t axis, axis_of(context, out->rank()));
    if (grad.known_rank() && indices.known_rank()) {
      bool fits = grad.rank() + 1 == out->rank() + indices.rank();
      for (size_t d = 0; fits && d < grad.rank(); ++d) {
        const int64_t want = d < axis                    ? (*out)[d]
                             : d < axis + indices.rank() ? indices[d - axis]
                                                         : (*out)[d + 1 - indices.rank()];
        fits = want < 0 || grad[d] < 0 || want == grad[d];
      }
      if (!fits)
        return context.error("grad ", grad, " does not match the result of Gather from ", *out, " by ", indices);
    }
  }
  context.set_output(0, context.dtype(0), *out);
  return {};
}

// Checks that indices have the data's rank and no larger dims except along the axis.
Status check_elements(const ShapeContext& context, const Shape& data, const Shape& indices) {
  if (!data.known_rank() || !indices.known_rank()) return {};
  if (data.rank() != indices.rank()) return context.error("data ", data, " and indices ", indices, " differ in rank");
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, axis_of(context, data.rank()));
  for (size_t d = 0; d < data.rank(); ++d) {
    if (d != axis && data[d] >= 0 && indices[d] > data[d]) {
      return context.error("indices ", indices, " exceed data ", data, " at dim ", static_cast<uint64_t>(d));
    }
  }
  return {};
}
Status shape_gather_elements(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_elements(context, context.shape(0), context.shape(1)));
  context.set_output(0, context.dtype(0), context.shape(1));
  return {};
}
Status shape_scatter_elements(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_elements(context, context.shape(0), context.shape(1)));
  if (!compatible(context.shape(1), context.shape(2))) {
    return context.error("indices ", context.shape(1), " and updates ", context.shape(2), " differ in shape");
  }
  context.set_output(0, context.dtype(0), context.shape(0));
  return {};
}

// ---- Gradients

Status grad_gather(GradContext& g) {
  if (g.wants(0)) {
    g.set(0, g.emit("percale:GatherGrad", {g.grad(0), g.input(1), shape_of(g, g.input(0))},
                    {{"axis", g.attributes().get_int("axis")}}));
  }
  return g.status();
}
Status grad_gather_grad(GradContext& g) {
  if (g.wants(0)) {
    g.set(0, g.emit("Gather", {g.grad(0), g.input(1)}, {{"axis", g.attributes().get_int("axis")}}));
  }
  return g.status();
}
Status grad_gather_elements(GradContext& g) {
  if (g.wants(0)) {
    g.set(0, g.emit("ScatterElements", {full_like(g, g.input(0), 0), g.input(1), g.grad(0)},
                    {{"axis", g.attributes().get_int("axis")}, {"reduction", "add"}}));
  }
  return g.status();
}
Status grad_scatter_elements(GradContext& g) {
  const std::string_view reduction = g.attributes().get_string("reduction");
  const int64_t axis = g.attributes().get_int("axis");
  if (reduction != "none" && reduction != "add") {
    g.fail(unimplemented("ScatterElements '", g.node().name, "': the gradient with reduction '", reduction,
                         "' is not supported"));
    return g.status();
  }
  if (g.wants(0)) {
    g.set(0, reduction == "add"
                 ? g.grad(0)
                 : g.emit("ScatterElements", {g.grad(0), g.input(1), full_like(g, g.input(2), 0)}, {{"axis", axis}}));
  }
  if (g.wants(2)) g.set(2, g.emit("GatherElements", {g.grad(0), g.input(1)}, {{"axis", axis}}));
  return g.status();
}

// ---- Schemas

constexpr OpRow kSchemas[] = {
    {.name = "Gather",
     .since = 13,
     .doc = "The slices of data along `axis` that the indices select; negative indices count from the end.",
     .inputs = {in("data", 'T', dtypes::kAny), in_index("indices")},
     .attributes = {attr_int("axis", 0)},
     .outputs = {out("output", 'T')},
     .shape = shape_gather,
     .grad = grad_gather,
     .traits = {.role = Role::kGather, .split = SplitRule::kTable}},
    {.domain = "percale",
     .name = "GatherGrad",
     .doc = "The gradient of Gather with respect to data, of shape `shape`: slices of grad are summed at the positions "
            "they were gathered from.",
     .inputs = {in("grad", 'T', dtypes::kNumeric), in_index("indices"), in_shape("shape")},
     .attributes = {attr_int("axis", 0)},
     .outputs = {out("data_grad", 'T')},
     .shape = shape_gather_grad,
     .grad = grad_gather_grad},
    {.name = "GatherElements",
     .since = 13,
     .doc = "For each index, the element of data at the same position, with the coordinate along `axis` replaced by "
            "the index.",
     .inputs = {in("data", 'T', dtypes::kAny), in_index("indices")},
     .attributes = {attr_int("axis", 0)},
     .outputs = {out("output", 'T')},
     .shape = shape_gather_elements,
     .grad = grad_gather_elements},
    {.name = "ScatterElements",
     .since = 18,
     .doc = "data with updates set, added, multiplied, or combined by max or min, in the order of the indices, at the "
            "positions that GatherElements would read.",
     .inputs = {in("data", 'T', dtypes::kAny), in_index("indices"), in("updates", 'T', dtypes::kAny)},
     .attributes = {attr_int("axis", 0), attr_string("reduction", "none")},
     .outputs = {out("output", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_scatter_elements,
     .grad = grad_scatter_elements},
};

// ---- Kernels

// Returns element i of the indices, with negative ones counted from the end. If it is not in
// [-size, size), the function fails the run and returns -1.
int64_t checked_index(const char* indices, bool wide, int64_t i, int64_t size, const Launch& launch) {
  const int64_t given =
      wide ? reinterpret_cast<const int64_t*>(indices)[i] : int64_t{reinterpret_cast<const int32_t*>(indices)[i]};
  if (given < -size || given >= size) {
    launch.fail(RunError::kIndexOutOfRange, given);
    return -1;
  }
  return given < 0 ? given + size : given;
}

struct GatherPlan {
  int64_t outer = 1, size = 1, count = 1;  // dims before the axis, the axis, indices
  // elements (GatherGrad) or bytes (Gather) per index of the axis
  int64_t inner = 1;
  bool wide = false;  // i64 indices
  void (*run)(const GatherPlan&, const Launch&) = nullptr;
};
Result<GatherPlan> make_gather(const NodeView& node, const Shape& data, int64_t item) {
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), data.rank()));
  GatherPlan plan;
  plan.outer = data.product(0, axis);
  plan.size = data[axis];
  plan.count = node.shape(1).num_elements();
  plan.inner = data.product(axis + 1, data.rank()) * item;
  plan.wide = node.dtype(1) == DType::kI64;
  return plan;
}
Result<GatherPlan> plan_gather(const NodeView& node, KernelPlan&) {
  return make_gather(node, node.shape(0), item_bytes(node.dtype(0)));
}
void run_gather(const GatherPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  const char* indices = launch.in<char>(1);
  char* y = launch.out<char>(0);
  const int64_t rows = plan.outer * plan.count;
  if (rows == 0) return;
  const int64_t pieces = std::min(rows, pieces_for(rows * std::max<int64_t>(1, plan.inner / 4)));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t r = range.begin; r < range.end; ++r) {
      const int64_t at = checked_index(indices, plan.wide, r % plan.count, plan.size, launch);
      char* to = y + r * plan.inner;
      if (at < 0) {
        std::fill_n(to, plan.inner, char{0});
      } else {
        std::copy_n(x + (r / plan.count * plan.size + at) * plan.inner, plan.inner, to);
      }
    }
  });
}

// Each piece owns some columns after the axis, or some of the dims before it, and adds the indices
// in order.
template <class T>
void run_gather_grad_of(const GatherPlan& plan, const Launch& launch) {
  const T* g = launch.in<T>(0);
  const char* indices = launch.in<char>(1);
  T* y = launch.out<T>(0);
  constexpr int64_t kColumns = 64;
  const int64_t blocks = (plan.inner + kColumns - 1) / kColumns;
  const int64_t tasks = plan.outer * blocks;
  if (tasks == 0) return;
  const int64_t pieces = std::min(tasks, pieces_for(tasks * (plan.count + plan.size) * std::min(plan.inner, kColumns)));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(tasks, pieces, piece);
    for (int64_t task = range.begin; task < range.end; ++task) {
      const int64_t outer = task / blocks, column = task % blocks * kColumns;
      const int64_t width = std::min(kColumns, plan.inner - column);
      T* to = y + outer * plan.size * plan.inner + column;
      const T* from = g + outer * plan.count * plan.inner + column;
      for (int64_t r = 0; r < plan.size; ++r) std::fill_n(to + r * plan.inner, width, T{});
      for (int64_t i = 0; i < plan.count; ++i) {
        const int64_t at = checked_index(indices, plan.wide, i, plan.size, launch);
        if (at < 0) continue;
        T* row = to + at * plan.inner;
        const T* add = from + i * plan.inner;
        for (int64_t c = 0; c < width; ++c) row[c] = narrow<T>(wrap::add(widen(row[c]), widen(add[c])));
      }
    }
  });
}
Result<GatherPlan> plan_gather_grad(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(GatherPlan plan, make_gather(node, node.output_shape(0), 1));
  dispatch(kNumericList, node.dtype(0), [&]<class T>() { plan.run = run_gather_grad_of<T>; });
  return plan;
}
void run_gather_plan(const GatherPlan& plan, const Launch& launch) { plan.run(plan, launch); }

// A loop over the lines of the indices along the axis.
struct ElementsPlan {
  StridedLoop lines;           // over all dims but the axis; operands in elements: indices, data
  int64_t length = 0;          // indices along the axis
  int64_t index_step = 0;      // elements between indices
  int64_t size = 0, step = 0;  // the data's axis: dim and stride in elements
  int64_t total = 0;           // elements of the data
  int64_t item = 1;            // bytes of an element
  bool wide = false;
  // Processes one line. `first` is the position of its first index, `base` the offset in the data
  // where the line starts.
  void (*line)(const ElementsPlan&, const Launch&, int64_t first, int64_t base) = nullptr;
};
Result<ElementsPlan> make_elements(const NodeView& node) {
  const Shape &data = node.shape(0), &indices = node.shape(1);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), data.rank()));
  auto index_strides = contiguous_strides(indices, 1), data_strides = contiguous_strides(data, 1);
  ElementsPlan plan;
  plan.length = indices[axis];
  plan.index_step = index_strides[axis];
  plan.size = data[axis];
  plan.step = data_strides[axis];
  plan.total = data.num_elements();
  plan.item = item_bytes(node.dtype(0));
  plan.wide = node.dtype(1) == DType::kI64;
  Shape lines = indices;
  lines[axis] = 1;
  plan.lines = StridedLoop::make(lines, std::array{index_strides, data_strides});
  return plan;
}

// Runs the lines in parallel, because they do not overlap.
void run_lines(const ElementsPlan& plan, const Launch& launch) {
  if (plan.length == 0) return;
  const auto& strides = plan.lines.strides[plan.lines.rank - 1];
  const int64_t pieces = std::max<int64_t>(1, std::min(plan.lines.total, pieces_for(plan.lines.total * plan.length)));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.lines.total, pieces, piece);
    plan.lines.run(range.begin, range.end, [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t) {
      for (int64_t line = 0; line < n; ++line) {
        plan.line(plan, launch, offsets[0] + line * strides[0], offsets[1] + line * strides[1]);
      }
    });
  });
}

// Calls f(position of the index, its offset in the data) for each valid index of a line, and
// f(position, -1) for invalid ones.
template <class F>
void for_each_index(const ElementsPlan& plan, const Launch& launch, int64_t first, int64_t base, F&& f) {
  const char* indices = launch.in<char>(1);
  for (int64_t i = 0; i < plan.length; ++i) {
    const int64_t number = first + i * plan.index_step;
    const int64_t at = checked_index(indices, plan.wide, number, plan.size, launch);
    f(number, at < 0 ? -1 : base + at * plan.step);
  }
}

template <class T>
void gather_line(const ElementsPlan& plan, const Launch& launch, int64_t first, int64_t base) {
  const T* x = launch.in<T>(0);
  T* y = launch.out<T>(0);
  for_each_index(plan, launch, first, base, [&](int64_t i, int64_t at) { y[i] = at < 0 ? T{} : x[at]; });
}
Result<ElementsPlan> plan_gather_elements(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(ElementsPlan plan, make_elements(node));
  switch (plan.item) {
    case 1: plan.line = gather_line<uint8_t>; break;
    case 2: plan.line = gather_line<uint16_t>; break;
    case 4: plan.line = gather_line<uint32_t>; break;
    default: plan.line = gather_line<uint64_t>; break;
  }
  return plan;
}

template <class T, ScatterJoin kJoin>
void scatter_line(const ElementsPlan& plan, const Launch& launch, int64_t first, int64_t base) {
  const T* updates = launch.in<T>(2);
  T* y = launch.out<T>(0);
  for_each_index(plan, launch, first, base, [&](int64_t i, int64_t at) {
    if (at >= 0) y[at] = scatter_join<T, kJoin>(y[at], updates[i]);
  });
}
Result<ElementsPlan> plan_scatter(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(ElementsPlan plan, make_elements(node));
  PERCALE_RETURN_IF_ERROR(
      dispatch_scatter(node, [&]<class T, ScatterJoin kJoin>() { plan.line = scatter_line<T, kJoin>; }));
  return plan;
}
void run_scatter(const ElementsPlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  char* y = launch.out<char>(0);
  if (x != y) std::copy_n(x, plan.total * plan.item, y);
  run_lines(plan, launch);
}

}  // namespace

Status register_index(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_types<kAnyList>, plan_gather, run_gather>("portable.Gather", "Gather"),
                    make_kernel<accepts_types<kNumericList>, plan_gather_grad, run_gather_plan>(
                        "portable.GatherGrad", "GatherGrad", "percale"),
                    make_kernel<accepts_types<kAnyList>, plan_gather_elements, run_lines>("portable.GatherElements",
                                                                                          "GatherElements"),
                    make_kernel<accepts_types<kAnyList>, plan_scatter, run_scatter>("portable.ScatterElements",
                                                                                    "ScatterElements"),
                });
}

}  // namespace percale
