// Pad and Tile, whose outputs copy one input element each (or a constant), computed axis by axis.
// Their gradients sum the elements back.
#include <algorithm>
#include <array>
#include <vector>

#include "core/base/checked.h"
#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

enum class Mode : uint8_t { kConstant, kReflect, kEdge, kWrap };

Result<Mode> mode_of(const Attributes& attributes) {
  const std::string_view mode = attributes.get_string("mode", "constant");
  if (mode == "constant") return Mode::kConstant;
  if (mode == "reflect") return Mode::kReflect;
  if (mode == "edge") return Mode::kEdge;
  if (mode == "wrap") return Mode::kWrap;
  return invalid_argument("mode is '", mode, "', wanted constant, reflect, edge or wrap");
}

// Returns the source of element i of an axis of the larger side, or -1 if there is none. Needs dim
// > 0.
int64_t source_of(Mode mode, int64_t i, int64_t before, int64_t dim) {
  const int64_t at = i - before;
  if (at >= 0 && at < dim) return at;
  switch (mode) {
    case Mode::kConstant: return -1;
    case Mode::kEdge: return at < 0 ? 0 : dim - 1;
    case Mode::kWrap: {
      const int64_t rest = at % dim;
      return rest < 0 ? rest + dim : rest;
    }
    case Mode::kReflect: break;
  }
  if (dim == 1) return 0;
  const int64_t period = 2 * (dim - 1);
  int64_t rest = at % period;
  if (rest < 0) rest += period;
  return rest < dim ? rest : period - rest;
}

// ---- Shapes

// Numbers of elements added before and after each dim.
struct Pads {
  std::array<int64_t, kMaxRank> before{}, after{};
};
Result<Pads> pads_of(const std::vector<int64_t>& pads, const std::vector<int64_t>* axes, size_t rank) {
  std::vector<size_t> normal(rank);
  for (size_t d = 0; d < rank; ++d) normal[d] = d;
  if (axes != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(normal, normalize_axes(*axes, rank));
  }
  if (pads.size() != 2 * normal.size()) {
    return invalid_argument("pads has ", static_cast<uint64_t>(pads.size()), " elements, wanted ",
                            static_cast<uint64_t>(2 * normal.size()));
  }
  Pads out;
  for (size_t i = 0; i < normal.size(); ++i) {
    out.before[normal[i]] = pads[i];
    out.after[normal[i]] = pads[i + normal.size()];
  }
  for (int64_t pad : pads) {
    if (pad < -kMaxDim || pad > kMaxDim)
      return invalid_argument("pads contains ", pad, ", whose magnitude exceeds 2^40");
  }
  return out;
}

Result<Shape> padded(const Shape& x, const Pads& pads, Mode mode) {
  Shape out = x;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (x[d] < 0) continue;
    out[d] = x[d] + pads.before[d] + pads.after[d];
    if (out[d] < 0 || out[d] > kMaxDim) {
      return invalid_argument("pads would make dim ", static_cast<uint64_t>(d), " of ", x, " equal to ", out[d]);
    }
    if (x[d] == 0 && out[d] > 0 && mode != Mode::kConstant) {
      return invalid_argument("dim ", static_cast<uint64_t>(d), " of ", x, " has no elements to pad with");
    }
  }
  return out;
}

// Computes the padded shape from the inputs `pads` and `axes`, which may be absent. Dims are
// unknown if these inputs are.
template <class Context>
Result<Shape> padded_by_inputs(const Context& context, const Shape& x, size_t pads, size_t axes, Mode mode, Pads& out) {
  const bool has_axes = context.has_input(axes);
  if (!x.known_rank()) return Shape::unranked();
  if (context.value(pads) == nullptr || (has_axes && context.value(axes) == nullptr)) {
    return unknown_shape(static_cast<int64_t>(x.rank()));
  }
  const std::vector<int64_t> axis_list = has_axes ? to_int64s(*context.value(axes)) : std::vector<int64_t>();
  PERCALE_ASSIGN_OR_RETURN(out, pads_of(to_int64s(*context.value(pads)), has_axes ? &axis_list : nullptr, x.rank()));
  return padded(x, out, mode);
}

Status shape_pad(ShapeContext& context) {
  const auto mode = mode_of(context.attributes);
  if (!mode.ok()) return context.error(mode.status());
  PERCALE_RETURN_IF_ERROR(vector_length(context, 1).status());
  if (context.has_input(2) && context.shape(2).known_rank() && context.shape(2).rank() != 0 &&
      !(context.shape(2) == Shape{1})) {
    return context.error("constant_value must be a scalar, got ", context.shape(2));
  }
  Pads pads;
  const auto out = padded_by_inputs(context, context.shape(0), 1, 3, *mode, pads);
  if (!out.ok()) return context.error(out.status());
  context.set_output(0, context.dtype(0), *out);
  return {};
}

// Sets the output to the shape that the input `shape_input` holds. `check(shape)` returns the shape
// that grad must have.
template <class F>
Status shape_from_input(ShapeContext& context, size_t shape_input, F&& check) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, shape_input));
  const auto dims = known_ints(context, shape_input);
  const auto out = dims.has_value() ? Shape::make(*dims) : unknown_shape(rank);
  if (!out.ok()) return context.error(out.status());
  if (dims.has_value()) {
    if (!out->is_static()) return context.error("the shape ", *out, " has a negative dim");
    const Result<Shape> wanted = check(*out);
    if (!wanted.ok()) return context.error(wanted.status());
    if (!compatible(*wanted, context.shape(0))) {
      return context.error("grad is ", context.shape(0), ", wanted ", *wanted);
    }
  }
  context.set_output(0, context.dtype(0), *out);
  return {};
}

Status shape_pad_grad(ShapeContext& context) {
  const auto mode = mode_of(context.attributes);
  if (!mode.ok()) return context.error(mode.status());
  return shape_from_input(context, 2, [&](const Shape& x) {
    Pads pads;
    return padded_by_inputs(context, x, 1, 3, *mode, pads);
  });
}

Result<Shape> tiled(const Shape& x, const std::vector<int64_t>& repeats) {
  if (repeats.size() != x.rank()) {
    return invalid_argument("repeats has ", static_cast<uint64_t>(repeats.size()), " elements, but the input is ", x);
  }
  Shape out = x;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (repeats[d] < 0) return invalid_argument("repeats must not be negative, got ", repeats[d]);
    if (x[d] < 0) continue;
    const auto dim = checked_mul(x[d], repeats[d]);
    if (!dim.has_value() || *dim > kMaxDim) return invalid_argument("repeats make a dim of ", x, " exceed 2^40");
    out[d] = *dim;
  }
  return out;
}

Status shape_tile(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, 1));
  const auto repeats = known_ints(context, 1);
  const Shape& x = context.shape(0);
  const auto out = x.known_rank() && repeats.has_value()
                       ? tiled(x, *repeats)
                       : unknown_shape(x.known_rank() ? static_cast<int64_t>(x.rank()) : rank);
  if (!out.ok()) return context.error(out.status());
  context.set_output(0, context.dtype(0), *out);
  return {};
}

Status shape_tile_grad(ShapeContext& context) {
  const auto repeats = known_ints(context, 1);
  return shape_from_input(context, 2, [&](const Shape& x) -> Result<Shape> {
    return repeats.has_value() ? tiled(x, *repeats) : unknown_shape(static_cast<int64_t>(x.rank()));
  });
}

// ---- Gradients

Status grad_pad(GradContext& g) {
  const std::string mode(g.attributes().get_string("mode"));
  if (g.wants(0)) {
    std::vector<ValueId> inputs = {g.grad(0), g.input(1), shape_of(g, g.input(0))};
    if (g.input(3) != kNoValue) inputs.push_back(g.input(3));
    g.set(0, g.emit("percale:PadGrad", inputs, {{"mode", mode}}));
  }
  if (g.wants(2) && mode == "constant") {
    // The gradient of the padding value: the sum of the gradient minus the part that goes to the
    // data.
    ValueId all = g.emit("ReduceSum", {g.grad(0)}, {{"keepdims", 0}});
    std::vector<ValueId> inputs = {g.grad(0), g.input(1), shape_of(g, g.input(0))};
    if (g.input(3) != kNoValue) inputs.push_back(g.input(3));
    const ValueId inner = g.emit("percale:PadGrad", inputs, {{"mode", mode}});
    const ValueId rest = sub(g, all, g.emit("ReduceSum", {inner}, {{"keepdims", 0}}));
    g.set(2, g.emit("Reshape", {rest, shape_of(g, g.input(2))}));
  }
  return g.status();
}
Status grad_pad_grad(GradContext& g) {
  if (!g.wants(0)) return {};
  std::vector<ValueId> inputs = {g.grad(0), g.input(1)};
  if (g.input(3) != kNoValue) inputs.insert(inputs.end(), {kNoValue, g.input(3)});
  g.set(0, g.emit("Pad", inputs, {{"mode", std::string(g.attributes().get_string("mode"))}}));
  return g.status();
}
Status grad_tile(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("percale:TileGrad", {g.grad(0), g.input(1), shape_of(g, g.input(0))}));
  return g.status();
}
Status grad_tile_grad(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("Tile", {g.grad(0), g.input(1)}));
  return g.status();
}

// ---- Schemas

constexpr OpRow kSchemas[] = {
    {.name = "Pad",
     .since = 25,
     .doc = "Pads data before and after its dims, with a constant, reflected data, its edge, or data wrapped around. "
            "Negative pads crop.",
     .inputs = {in("data", 'T', kStorable), in_shape("pads"), in_opt("constant_value", 'T', kStorable),
                in_shape("axes", Presence::kOptional, dtypes::kIndex)},
     .attributes = {attr_string("mode", "constant")},
     .outputs = {out("output", 'T')},
     .shape = shape_pad,
     .grad = grad_pad},
    {.name = "Tile",
     .since = 13,
     .doc = "The input repeated repeats[d] times along each dim d.",
     .inputs = {in("input", 'T', dtypes::kAny), in_shape("repeats")},
     .outputs = {out("output", 'T')},
     .shape = shape_tile,
     .grad = grad_tile},
    {.domain = "percale",
     .name = "PadGrad",
     .doc = "The gradient of Pad with respect to data, of shape `shape`: each element of grad is added to the element "
            "that Pad read.",
     .inputs = {in("grad", 'T', dtypes::kNumeric), in_shape("pads"), in_shape("shape"),
                in_shape("axes", Presence::kOptional, dtypes::kIndex)},
     .attributes = {attr_string("mode", "constant")},
     .outputs = {out("x_grad", 'T')},
     .shape = shape_pad_grad,
     .grad = grad_pad_grad,
     .traits = {.bf16 = {Bf16Rule::Kind::kMoves}}},
    {.domain = "percale",
     .name = "TileGrad",
     .doc = "The gradient of Tile, of shape `shape`: the sum over all repetitions.",
     .inputs = {in("grad", 'T', dtypes::kNumeric), in_shape("repeats"), in_shape("shape")},
     .outputs = {out("x_grad", 'T')},
     .shape = shape_tile_grad,
     .grad = grad_tile_grad},
};

// ---- Kernels

struct PadPlan {
  Shape small, large;
  std::array<int64_t, kMaxRank> before{};
  Mode mode = Mode::kConstant;
  bool has_value = false;
  // Product of the leading dims that are not padded. Rows of different groups do not overlap.
  int64_t groups = 1;
  void (*run)(const PadPlan&, const Launch&) = nullptr;
};

// Calls row(small offset or -1, large offset), in elements, for each innermost row of group
// `group`.
template <class F>
void for_each_row(const PadPlan& plan, int64_t group, F&& row) {
  const size_t rank = plan.large.rank();
  const int64_t rows = plan.large.product(0, rank - 1) / plan.groups;
  const int64_t width = plan.large[rank - 1];
  for (int64_t r = group * rows; r < (group + 1) * rows; ++r) {
    int64_t rest = r, small = 0, stride = plan.small[rank - 1];
    for (size_t d = rank - 1; d-- > 0;) {
      const int64_t source = source_of(plan.mode, rest % plan.large[d], plan.before[d], plan.small[d]);
      rest /= plan.large[d];
      if (source < 0) {
        small = -1;
        break;
      }
      small += source * stride;
      stride *= plan.small[d];
    }
    row(small, r * width);
  }
}

int64_t pieces_of_groups(const PadPlan& plan) { return std::min(plan.groups, pieces_for(plan.large.num_elements())); }

template <class T>
void run_pad_of(const PadPlan& plan, const Launch& launch) {
  const T* x = launch.in<T>(0);
  T* y = launch.out<T>(0);
  const T value = plan.has_value ? *launch.in<T>(2) : T{};
  if (plan.large.num_elements() == 0) return;
  if (plan.small.num_elements() == 0) {
    std::fill_n(y, plan.large.num_elements(), value);
    return;
  }
  const int64_t width = plan.large.back(), inner = plan.small.back(), before = plan.before[plan.large.rank() - 1];
  const int64_t pieces = pieces_of_groups(plan);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.groups, pieces, piece);
    for (int64_t group = range.begin; group < range.end; ++group) {
      for_each_row(plan, group, [&](int64_t small, int64_t large) {
        T* to = y + large;
        if (small < 0) {
          std::fill_n(to, width, value);
          return;
        }
        const T* from = x + small;
        for (int64_t i = 0; i < width; ++i) {
          const int64_t at = i - before;
          if (at >= 0 && at < inner) {
            to[i] = from[at];
          } else {
            const int64_t source = source_of(plan.mode, i, before, inner);
            to[i] = source < 0 ? value : from[source];
          }
        }
      });
    }
  });
}

template <class T>
void run_pad_grad_of(const PadPlan& plan, const Launch& launch) {
  const T* g = launch.in<T>(0);
  T* y = launch.out<T>(0);
  std::fill_n(y, plan.small.num_elements(), T{});
  if (plan.large.num_elements() == 0 || plan.small.num_elements() == 0) return;
  const int64_t width = plan.large.back(), inner = plan.small.back(), before = plan.before[plan.large.rank() - 1];
  const int64_t pieces = pieces_of_groups(plan);
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.groups, pieces, piece);
    for (int64_t group = range.begin; group < range.end; ++group) {
      for_each_row(plan, group, [&](int64_t small, int64_t large) {
        if (small < 0) return;
        for (int64_t i = 0; i < width; ++i) {
          const int64_t source = source_of(plan.mode, i, before, inner);
          if (source < 0) continue;
          T& to = y[small + source];
          to = narrow<T>(wrap::add(widen(to), widen(g[large + i])));
        }
      });
    }
  });
}

PadPlan make_pad(const Shape& small, const Shape& large, const std::array<int64_t, kMaxRank>& before, Mode mode) {
  PadPlan plan;
  plan.small = small;
  plan.large = large;
  plan.before = before;
  plan.mode = mode;
  if (large.rank() == 0) {  // a scalar is one row of one element
    plan.small = plan.large = Shape{1};
  }
  for (size_t d = 0; d + 1 < large.rank() && small[d] == large[d] && before[d] == 0; ++d) plan.groups *= large[d];
  if (plan.groups == 0) plan.groups = 1;
  return plan;
}

void set_copy(const NodeView& node, PadPlan& plan) {
  switch (item_bytes(node.dtype(0))) {
    case 1: plan.run = run_pad_of<uint8_t>; break;
    case 2: plan.run = run_pad_of<uint16_t>; break;
    case 4: plan.run = run_pad_of<uint32_t>; break;
    default: plan.run = run_pad_of<uint64_t>; break;
  }
}

Result<PadPlan> plan_pad(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const Mode mode, mode_of(node.attributes));
  Pads pads;
  PERCALE_ASSIGN_OR_RETURN(const Shape large, padded_by_inputs(node, node.shape(0), 1, 3, mode, pads));
  if (large != node.output_shape(0)) return internal_error("the pads must be known when the kernel is planned");
  PadPlan plan = make_pad(node.shape(0), large, pads.before, mode);
  plan.has_value = node.has_input(2);
  set_copy(node, plan);
  return plan;
}
Result<PadPlan> plan_pad_grad(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(const Mode mode, mode_of(node.attributes));
  Pads pads;
  PERCALE_ASSIGN_OR_RETURN(const Shape large, padded_by_inputs(node, node.output_shape(0), 1, 3, mode, pads));
  if (large != node.shape(0)) return internal_error("the pads must be known when the kernel is planned");
  PadPlan plan = make_pad(node.output_shape(0), large, pads.before, mode);
  dispatch(kNumericList, node.dtype(0), [&]<class T>() { plan.run = run_pad_grad_of<T>; });
  return plan;
}
Result<PadPlan> plan_tile(const NodeView& node, KernelPlan&) {
  PadPlan plan = make_pad(node.shape(0), node.output_shape(0), {}, Mode::kWrap);
  set_copy(node, plan);
  return plan;
}
Result<PadPlan> plan_tile_grad(const NodeView& node, KernelPlan&) {
  PadPlan plan = make_pad(node.output_shape(0), node.shape(0), {}, Mode::kWrap);
  dispatch(kNumericList, node.dtype(0), [&]<class T>() { plan.run = run_pad_grad_of<T>; });
  return plan;
}
void run_pad(const PadPlan& plan, const Launch& launch) { plan.run(plan, launch); }

}  // namespace

Status register_pad(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry,
      {
          small_kernel<plan_pad, run_pad>("portable.Pad_small", "Pad"),
          make_kernel<accepts_types<kAnyList>, plan_pad, run_pad>("portable.Pad", "Pad"),
          make_kernel<accepts_types<kAnyList>, plan_tile, run_pad>("portable.Tile", "Tile"),
          make_kernel<accepts_types<kNumericList>, plan_pad_grad, run_pad>("portable.PadGrad", "PadGrad", "percale"),
          make_kernel<accepts_types<kNumericList>, plan_tile_grad, run_pad>("portable.TileGrad", "TileGrad", "percale"),
      });
}

}  // namespace percale
