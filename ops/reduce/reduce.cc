// Reductions over axes, and SumToShape, which undoes broadcasting.
#include "ops/reduce/reduce.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

// ---- Shapes

// Returns which axes of a tensor of that rank a node reduces. `axes` holds the second input's
// elements, or is null if it is absent.
Result<std::array<bool, kMaxRank>> reduced_axes(const Attributes& attributes, const std::vector<int64_t>* axes,
                                                size_t rank) {
  std::array<bool, kMaxRank> out{};
  if (axes == nullptr || axes->empty()) {
    if (attributes.get_int("noop_with_empty_axes") == 0) std::fill_n(out.begin(), rank, true);
    return out;
  }
  PERCALE_ASSIGN_OR_RETURN(const auto normal, normalize_axes(*axes, rank));
  for (size_t axis : normal) out[axis] = true;
  return out;
}

}  // namespace

Status shape_reduce(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const bool keep = context.attributes.get_int("keepdims") != 0;
  const bool has_axes = context.has_input(1);
  int64_t axis_count = 0;
  if (has_axes) {
    PERCALE_ASSIGN_OR_RETURN(axis_count, vector_length(context, 1));
  }
  const auto axes = has_axes ? known_ints(context, 1) : std::nullopt;
  const bool reduces_all = axis_count == 0 && context.attributes.get_int("noop_with_empty_axes") == 0;
  Shape out = Shape::unranked();
  if (reduces_all && !keep) {
    out = Shape();
  } else if (x.known_rank() && (!has_axes || axis_count == 0 || axes.has_value())) {
    const auto mask = reduced_axes(context.attributes, axes.has_value() ? &*axes : nullptr, x.rank());
    if (!mask.ok()) return context.error(mask.status());
    out = Shape();
    for (size_t d = 0; d < x.rank(); ++d) {
      if (!(*mask)[d]) {
        out.push_back(x[d]);
      } else if (keep) {
        out.push_back(1);
      }
    }
  } else if (x.known_rank() && (keep || axis_count > 0)) {
    const int64_t rank = static_cast<int64_t>(x.rank()) - (keep ? 0 : axis_count);
    if (rank < 0) return context.error(axis_count, " axes are too many for ", x);
    PERCALE_ASSIGN_OR_RETURN(out, unknown_shape(rank));
  }
  context.set_output(0, context.dtype(0), out);
  return {};
}

namespace {

Status shape_sum_to_shape(ShapeContext& context) {
  const Shape& x = context.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const int64_t rank, vector_length(context, 1));
  const auto dims = known_ints(context, 1);
  if (!dims.has_value()) {
    auto out = unknown_shape(rank);
    if (!out.ok()) return context.error(out.status());
    context.set_output(0, context.dtype(0), *out);
    return {};
  }
  const auto out = Shape::make(*dims);
  if (!out.ok()) return context.error(out.status());
  if (!out->is_static()) return context.error("the shape ", *out, " has a negative dim");
  if (x.known_rank()) {
    const auto whole = broadcast(x, *out);
    if (!whole.ok() || !compatible(*whole, x)) return context.error(x, " is not a broadcast of ", *out);
  }
  context.set_output(0, context.dtype(0), *out);
  return {};
}

// ---- Gradients

}  // namespace

ValueId with_reduced_dims(GradContext& g, ValueId value) {
  if (g.attributes().get_int("keepdims") != 0 || g.input(1) == kNoValue) return value;
  return g.emit("Unsqueeze", {value, g.input(1)});
}

namespace {

Status grad_reduce_sum(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("Expand", {with_reduced_dims(g, g.grad(0)), shape_of(g, g.input(0))}));
  return g.status();
}

Status grad_reduce_mean(GradContext& g) {
  if (!g.wants(0)) return {};
  const Shape x = g.shape(g.input(0)), y = g.shape(g.output(0));
  const DType dtype = g.dtype(g.input(0));
  ValueId count;
  if (x.is_static() && y.is_static() && y.num_elements() > 0) {
    count = g.scalar(dtype, static_cast<double>(x.num_elements() / y.num_elements()));
  } else {
    count = div(g, cast(g, g.emit("Size", {g.input(0)}), dtype), cast(g, g.emit("Size", {g.output(0)}), dtype));
  }
  const ValueId share = div(g, with_reduced_dims(g, g.grad(0)), count);
  g.set(0, g.emit("Expand", {share, shape_of(g, g.input(0))}));
  return g.status();
}

// Applies a reduction to another value with the node's axes and kept dims.
ValueId reduce_kept(GradContext& g, std::string_view op, ValueId value) {
  std::vector<ValueId> inputs = {value};
  if (g.input(1) != kNoValue) inputs.push_back(g.input(1));
  return g.emit(op, inputs, {{"noop_with_empty_axes", g.attributes().get_int("noop_with_empty_axes")}});
}

// Elements that tie for the extreme share its gradient equally, as in PyTorch's amax.
Status grad_reduce_extreme(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId x = g.input(0);
  const ValueId hits = g.emit("Equal", {x, with_reduced_dims(g, g.output(0))});
  const ValueId count = reduce_kept(g, "ReduceSum", cast(g, hits, g.dtype(x)));
  const ValueId share = div(g, with_reduced_dims(g, g.grad(0)), count);
  g.set(0, where(g, hits, share, scalar_like(g, x, 0)));
  return g.status();
}

// The slope is the product of the other elements: product / x. Where x is zero, it is the product
// of the rest, which is zero too unless x is the only zero.
Status grad_reduce_prod(GradContext& g) {
  if (!g.wants(0)) return {};
  const ValueId x = g.input(0);
  const ValueId zero = scalar_like(g, x, 0), one = scalar_like(g, x, 1);
  const ValueId is_zero = g.emit("Equal", {x, zero});
  const ValueId others = where(g, is_zero, one, x);
  const ValueId product = reduce_kept(g, "ReduceProd", others);
  const ValueId zeros = reduce_kept(g, "ReduceSum", cast(g, is_zero, g.dtype(x)));
  const ValueId only = g.emit("And", {is_zero, g.emit("Equal", {zeros, one})});
  const ValueId slope =
      where(g, g.emit("Equal", {zeros, zero}), div(g, product, others), where(g, only, product, zero));
  g.set(0, mul(g, with_reduced_dims(g, g.grad(0)), slope));
  return g.status();
}

Status grad_sum_to_shape(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("Expand", {g.grad(0), shape_of(g, g.input(0))}));
  return g.status();
}

// ---- Schemas

constexpr DTypeSet kWideNumeric = dtypes::kFloat | DTypeSet::of(DType::kI32, DType::kI64, DType::kU32, DType::kU64);
constexpr DTypeSet kExtremeTypes = kWideNumeric | DTypeSet::of(DType::kI8, DType::kU8, DType::kBool);

constexpr OpRow reduction(std::string_view name, int32_t since, DTypeSet types, std::string_view doc, GradFn grad) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("data", 'T', types), in_shape("axes", Presence::kOptional)},
          .attributes = {attr_int("keepdims", 1, 0, 1), attr_int("noop_with_empty_axes", 0, 0, 1)},
          .outputs = {out("reduced", 'T')},
          .shape = shape_reduce,
          .grad = grad};
}

constexpr OpRow kSchemas[] = {
    reduction("ReduceSum", 13, kWideNumeric, "The sum over axes (default: all); 0 for no elements.", grad_reduce_sum),
    reduction("ReduceMean", 18, kWideNumeric, "The mean over axes (default: all); integers truncate towards zero.",
              grad_reduce_mean),
    reduction("ReduceMax", 20, kExtremeTypes, "The greatest element over axes (default: all); NaN if any is NaN.",
              grad_reduce_extreme),
    reduction("ReduceMin", 20, kExtremeTypes, "The least element over axes (default: all); NaN if any is NaN.",
              grad_reduce_extreme),
    reduction("ReduceProd", 18, kWideNumeric, "The product over axes (default: all); 1 for no elements.",
              grad_reduce_prod),
    {.domain = "percale",
     .name = "SumToShape",
     .doc = "Sums x to shape `shape`, over the dims that broadcasting `shape` to the shape of x repeats: the transpose "
            "of Expand.",
     .inputs = {in("x", 'T', dtypes::kNumeric), in_shape("shape")},
     .outputs = {out("y", 'T')},
     .in_place = {InPlace{0, 0}},
     .shape = shape_sum_to_shape,
     .grad = grad_sum_to_shape,
     .traits = {.bf16 = {Bf16Rule::Kind::kFollows}}},
};

// ---- Kernels

// Adjacent outputs along the innermost dim are reduced together, `kLanes` at a time.
constexpr int64_t kLanes = 64;

// The accumulators of a block of lanes, for any accumulator type.
struct Lanes {
  alignas(8) std::array<std::byte, kLanes * 8> bytes;

  template <class Acc>
  Acc* of() {
    return reinterpret_cast<Acc*>(bytes.data());
  }
};

// The parts that differ between reductions and element types. All other code is shared.
struct ReducePlan;
struct ReduceSteps {
  void (*start)(Lanes& lanes);  // sets the value of an empty reduction
  // Accumulates the elements [begin, end) of the reduction whose first input is at `x`.
  void (*accumulate)(const ReducePlan& plan, const char* x, int64_t lanes, int64_t begin, int64_t end, Lanes& to);
  void (*join)(Lanes& to, Lanes& from);
  // stores the result of `count` elements
  void (*store)(Lanes& from, char* y, int64_t lanes, int64_t count);
};

struct ReducePlan {
  StridedLoop outer;    // outputs except lanes; operands: output, input (bytes)
  StridedLoop reduced;  // the elements of one output; operand: input (bytes)
  int64_t lanes = 1;    // outputs along a kept innermost dim
  int64_t lane_blocks = 1;
  int64_t chunks = 1;  // parts that a long reduction is cut into
  int64_t item = 1;    // bytes of an element
  ReduceSteps steps{};
};

Result<ReducePlan> make_reduce(const NodeView& node, const std::array<bool, kMaxRank>& mask) {
  const Shape& x = node.shape(0);
  const int64_t item = item_bytes(node.dtype(0));
  ReducePlan plan;
  plan.item = item;
  const auto in_strides = contiguous_strides(x, item);
  size_t rank = x.rank();
  // The last dim that is not 1 decides whether there are lanes.
  size_t last = rank;
  while (last > 0 && x[last - 1] == 1) --last;
  size_t lane_from = last;  // kept dims [lane_from, last) are the lanes
  while (lane_from > 0 && (!mask[lane_from - 1] || x[lane_from - 1] == 1)) --lane_from;
  for (size_t d = lane_from; d < last; ++d) plan.lanes *= x[d];
  rank = lane_from;
  Shape outer, reduced;
  std::array<std::array<int64_t, kMaxRank>, 2> outer_strides{};
  std::array<int64_t, kMaxRank> reduced_strides{};
  for (size_t d = 0; d < rank; ++d) {
    if (mask[d]) {
      reduced_strides[reduced.rank()] = in_strides[d];
      reduced.push_back(x[d]);
    } else {
      outer_strides[1][outer.rank()] = in_strides[d];
      outer.push_back(x[d]);
    }
  }
  outer_strides[0] = contiguous_strides(outer, plan.lanes * item);
  plan.outer = StridedLoop::make(outer, outer_strides);
  plan.reduced = StridedLoop::make(reduced, std::span(&reduced_strides, 1));
  plan.lane_blocks = plan.lanes / kLanes + (plan.lanes % kLanes != 0 ? 1 : 0);
  // The number of chunks decides the order of a sum, so it must not depend on kept dims if one may
  // be the batch.
  const int64_t tasks = plan.outer.total * plan.lane_blocks;
  if (tasks > 0 && tasks < kMaxPieces && !node.numerics.batch_invariant) {
    const int64_t wanted = pieces_for(plan.reduced.total * std::min(plan.lanes, kLanes));
    plan.chunks = std::min(wanted, (kMaxPieces + tasks - 1) / tasks);
  }
  return plan;
}

template <class T>
using SumAcc = std::conditional_t<is_float_like<T>, double, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

// A reduction defines the value of an empty reduction, how an element or a partial result is
// joined, and the final result. Sums and products of floats are computed in f64, those of integers
// modulo 2^64.
template <class T>
struct SumOf {
  using Acc = SumAcc<T>;
  static constexpr Acc kStart = 0;
  static Acc join(Acc a, Acc b) { return wrap::add(a, b); }
  static Wide<T> finish(Acc a, int64_t) { return static_cast<Wide<T>>(a); }
};
template <class T>
struct MeanOf {
  // Integer means of no elements are rejected when planning.
  static Wide<T> finish(SumAcc<T> a, int64_t count) { return static_cast<Wide<T>>(a / static_cast<SumAcc<T>>(count)); }
};
template <class T>
struct ProdOf {
  using Acc = SumAcc<T>;
  static constexpr Acc kStart = 1;
  static Acc join(Acc a, Acc b) { return wrap::mul(a, b); }
  static Wide<T> finish(Acc a, int64_t) { return static_cast<Wide<T>>(a); }
};
template <class T>
struct MaxOf {
  using Acc = Wide<T>;
  static constexpr Acc kStart = std::numeric_limits<Acc>::has_infinity ? -std::numeric_limits<Acc>::infinity()
                                                                       : std::numeric_limits<Acc>::lowest();
  static Acc join(Acc a, Acc b) { return a > b || a != a ? a : b; }
  static Acc finish(Acc a, int64_t) { return a; }
};
template <class T>
struct MinOf {
  using Acc = Wide<T>;
  static constexpr Acc kStart =
      std::numeric_limits<Acc>::has_infinity ? std::numeric_limits<Acc>::infinity() : std::numeric_limits<Acc>::max();
  static Acc join(Acc a, Acc b) { return a < b || a != a ? a : b; }
  static Acc finish(Acc a, int64_t) { return a; }
};

template <class Op, class T>
void accumulate(const ReducePlan& plan, const char* x, int64_t lanes, int64_t begin, int64_t end, Lanes& to) {
  using Acc = typename Op::Acc;
  Acc* acc = to.of<Acc>();
  const int64_t stride = plan.reduced.strides[plan.reduced.rank - 1][0];
  plan.reduced.run(begin, end, [&](const StridedLoop::Offsets& offsets, int64_t n, int64_t) {
    const char* row = x + offsets[0];
    if (lanes == 1) {
      Acc sum = acc[0];
      for (int64_t i = 0; i < n; ++i) {
        sum = Op::join(sum, static_cast<Acc>(widen(*reinterpret_cast<const T*>(row + i * stride))));
      }
      acc[0] = sum;
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      const T* element = reinterpret_cast<const T*>(row + i * stride);
      for (int64_t l = 0; l < lanes; ++l) acc[l] = Op::join(acc[l], static_cast<Acc>(widen(element[l])));
    }
  });
}

// ReduceMean differs from ReduceSum in `store` alone.
template <class Op, class T, class Store>
constexpr ReduceSteps steps_of() {
  using Acc = typename Op::Acc;
  return {.start = [](Lanes& lanes) { std::fill_n(lanes.of<Acc>(), kLanes, Op::kStart); },
          .accumulate = accumulate<Op, T>,
          .join =
              [](Lanes& to, Lanes& from) {
                for (int64_t l = 0; l < kLanes; ++l) to.of<Acc>()[l] = Op::join(to.of<Acc>()[l], from.of<Acc>()[l]);
              },
          .store =
              [](Lanes& from, char* y, int64_t lanes, int64_t count) {
                T* to = reinterpret_cast<T*>(y);
                for (int64_t l = 0; l < lanes; ++l) to[l] = narrow<T>(Store::finish(from.of<Acc>()[l], count));
              }};
}

void run_reduce(const ReducePlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  char* y = launch.out<char>(0);
  const int64_t count = plan.reduced.total;
  const int64_t tasks = plan.outer.total * plan.lane_blocks;
  if (tasks == 0) return;

  // A task is one block of lanes of one outer index. Calls f(its input, its output, lanes).
  const auto for_task = [&](int64_t task, auto&& f) {
    const int64_t lane = task % plan.lane_blocks * kLanes;
    const int64_t outer = task / plan.lane_blocks;
    plan.outer.run(outer, outer + 1, [&](const StridedLoop::Offsets& offsets, int64_t, int64_t) {
      f(x + offsets[1] + lane * plan.item, y + offsets[0] + lane * plan.item, std::min(kLanes, plan.lanes - lane));
    });
  };
  if (plan.chunks == 1) {
    const int64_t pieces = std::min(tasks, pieces_for(std::max<int64_t>(1, count) * plan.outer.total * plan.lanes));
    launch.parallel()(pieces, [&](int64_t piece) {
      const PieceRange range = piece_range(tasks, pieces, piece);
      for (int64_t task = range.begin; task < range.end; ++task) {
        for_task(task, [&](const char* from, char* to, int64_t lanes) {
          Lanes acc;
          plan.steps.start(acc);
          plan.steps.accumulate(plan, from, lanes, 0, count, acc);
          plan.steps.store(acc, to, lanes, count);
        });
      }
    });
    return;
  }
  Lanes* parts = launch.scratch<Lanes>();
  launch.parallel()(tasks * plan.chunks, [&](int64_t piece) {
    const PieceRange range = piece_range(count, plan.chunks, piece % plan.chunks);
    plan.steps.start(parts[piece]);
    for_task(piece / plan.chunks, [&](const char* from, char*, int64_t lanes) {
      plan.steps.accumulate(plan, from, lanes, range.begin, range.end, parts[piece]);
    });
  });
  for (int64_t task = 0; task < tasks; ++task) {
    Lanes* of_task = parts + task * plan.chunks;
    for (int64_t c = 1; c < plan.chunks; ++c) plan.steps.join(of_task[0], of_task[c]);
    for_task(task, [&](const char*, char* to, int64_t lanes) { plan.steps.store(of_task[0], to, lanes, count); });
  }
}

// `Store` names the reduction that computes the stored results.
template <template <class> class Op, const auto& List, template <class> class Store = Op>
Result<ReducePlan> plan_mask(const NodeView& node, const std::array<bool, kMaxRank>& mask, KernelPlan& booked) {
  const DType dtype = node.dtype(0);
  PERCALE_ASSIGN_OR_RETURN(ReducePlan plan, make_reduce(node, mask));
  dispatch(List, dtype, [&]<class T>() { plan.steps = steps_of<Op<T>, T, Store<T>>(); });
  if (plan.chunks > 1) {
    booked.scratch_bytes = plan.outer.total * plan.lane_blocks * plan.chunks * int64_t{sizeof(Lanes)};
  }
  return plan;
}

template <template <class> class Op, const auto& List, template <class> class Store = Op>
Result<ReducePlan> plan_reduce(const NodeView& node, KernelPlan& booked) {
  PERCALE_ASSIGN_OR_RETURN(const auto mask, reduction_mask(node));
  PERCALE_ASSIGN_OR_RETURN(ReducePlan plan, (plan_mask<Op, List, Store>(node, mask, booked)));
  if (node.schema.name == "ReduceMean" && plan.reduced.total == 0 && !is_float(node.dtype(0))) {
    return invalid_argument("the mean of no elements is undefined for integers");
  }
  return plan;
}

Result<ReducePlan> plan_sum_to_shape(const NodeView& node, KernelPlan& booked) {
  PERCALE_ASSIGN_OR_RETURN(const auto mask, reduction_mask(node));
  return plan_mask<SumOf, kNumericList>(node, mask, booked);
}

void run_sum_to_shape(const ReducePlan& plan, const Launch& launch) {
  if (plan.reduced.total == 1 && launch.in<char>(0) == launch.out<char>(0)) return;
  run_reduce(plan, launch);
}

inline constexpr TypeList<int32_t, int64_t, uint32_t, uint64_t> kWideIntegers;
inline constexpr TypeList<int8_t, uint8_t, bool> kNarrowIntegers;
inline constexpr auto kWideList = kFloatList + kWideIntegers;
inline constexpr auto kExtremeList = kWideList + kNarrowIntegers;

template <template <class> class Op, const auto& List, template <class> class Store = Op>
[[gnu::always_inline]] inline Kernel reduce_kernel(KernelName name) {
  return make_kernel<accepts_types<List>, plan_reduce<Op, List, Store>, run_reduce>(name.text, name.op);
}

}  // namespace

Result<std::array<bool, kMaxRank>> reduction_mask(const NodeView& node) {
  const Shape& x = node.shape(0);
  if (node.schema.name == "SumToShape") {
    const Shape& y = node.output_shape(0);
    std::array<bool, kMaxRank> mask{};
    const size_t shift = x.rank() - y.rank();
    for (size_t d = 0; d < x.rank(); ++d) mask[d] = d < shift || (y[d - shift] == 1 && x[d] != 1);
    return mask;
  }
  const bool has_axes = node.has_input(1);
  if (has_axes && node.value(1) == nullptr) return internal_error("the axes must be known when the kernel is planned");
  const std::vector<int64_t> axes = has_axes ? to_int64s(*node.value(1)) : std::vector<int64_t>();
  return reduced_axes(node.attributes, &axes, x.rank());
}

Status register_reduce(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_reduce_simd(registry, *simd));
  return add_cpu_kernels(registry, {
                                       reduce_kernel<SumOf, kWideList>("portable.ReduceSum"),
                                       reduce_kernel<SumOf, kWideList, MeanOf>("portable.ReduceMean"),
                                       reduce_kernel<MaxOf, kExtremeList>("portable.ReduceMax"),
                                       reduce_kernel<MinOf, kExtremeList>("portable.ReduceMin"),
                                       reduce_kernel<ProdOf, kWideList>("portable.ReduceProd"),
                                       make_kernel<accepts_types<kNumericList>, plan_sum_to_shape, run_sum_to_shape>(
                                           "portable.SumToShape", "SumToShape", "percale"),
                                   });
}

}  // namespace percale
