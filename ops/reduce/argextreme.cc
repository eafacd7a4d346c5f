// ArgMax, ArgMin and OneHot.
#include <algorithm>
#include <limits>

#include "ops/support/families.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/simd_kernels.h"

namespace percale {
namespace {

// ---- Shapes

Status shape_arg(ShapeContext& context) {
  const Shape& x = context.shape(0);
  Shape out = Shape::unranked();
  if (x.known_rank()) {
    const auto axis = normalize_axis(context.attributes.get_int("axis"), x.rank());
    if (!axis.ok()) return context.error(axis.status());
    if (x[*axis] == 0) return context.error("dim ", static_cast<uint64_t>(*axis), " of ", x, " must not be empty");
    out = Shape();
    for (size_t d = 0; d < x.rank(); ++d) {
      if (d != *axis) {
        out.push_back(x[d]);
      } else if (context.attributes.get_int("keepdims") != 0) {
        out.push_back(1);
      }
    }
  }
  context.set_output(0, DType::kI64, out);
  return {};
}

// Returns a number of any dtype as an integer. Floats are truncated towards zero.
int64_t whole_number(DType dtype, const void* at) {
  int64_t out = 0;
  dispatch(kNumericList, dtype, [&]<class T>() {
    const auto value = widen(*static_cast<const T*>(at));
    if constexpr (is_float_like<T>) {
      out = saturate<int64_t>(value);
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      out = value > uint64_t{INT64_MAX} ? INT64_MAX : static_cast<int64_t>(value);
    } else {
      out = static_cast<int64_t>(value);
    }
  });
  return out;
}

Status shape_one_hot(ShapeContext& context) {
  const Shape &indices = context.shape(0), &depth = context.shape(1), &values = context.shape(2);
  if (depth.known_rank() && depth.rank() != 0 && depth != Shape{1} && depth != Shape{kUnknownDim}) {
    return context.error("depth must be a scalar, got ", depth);
  }
  if (!compatible(values, Shape{2})) return context.error("values must be [off, on], got ", values);
  Shape out = Shape::unranked();
  if (indices.known_rank()) {
    if (indices.rank() == kMaxRank) return context.error("indices already have the maximum rank");
    const auto axis = normalize_axis(context.attributes.get_int("axis"), indices.rank() + 1);
    if (!axis.ok()) return context.error(axis.status());
    int64_t count = kUnknownDim;
    if (const Tensor* value = context.value(1)) {
      count = whole_number(value->dtype(), value->data());
      if (count <= 0 || count > kMaxDim) return context.error("depth is ", count, ", wanted 1 to 2^40");
    }
    out = Shape();
    for (size_t d = 0; d <= indices.rank(); ++d)
      out.push_back(d < *axis ? indices[d] : d == *axis ? count : indices[d - 1]);
  }
  context.set_output(0, context.dtype(2), out);
  return {};
}

// ---- Schemas

constexpr OpRow arg(std::string_view name, std::string_view doc) {
  return {.name = name,
          .since = 13,
          .doc = doc,
          .inputs = {in("data", 'T', dtypes::kNumeric)},
          .attributes = {attr_int("axis", 0), attr_int("keepdims", 1, 0, 1), attr_int("select_last_index", 0, 0, 1)},
          .outputs = {out("reduced", dtypes::kI64Only)},
          .shape = shape_arg,
          .grad = grad::zero};
}

constexpr OpRow kSchemas[] = {
    arg("ArgMax",
        "The index of the greatest element along `axis`: the first of equals, or the last with select_last_index. NaN "
        "counts as greatest."),
    arg("ArgMin",
        "The index of the least element along `axis`: the first of equals, or the last with select_last_index. NaN "
        "counts as least."),
    {.name = "OneHot",
     .since = 11,
     .doc = "One-hot vectors of size depth along a new dim `axis`: values[1] at the index (negative indices count from "
            "the end), values[0] elsewhere. An index out of range gives values[0] everywhere.",
     .inputs = {InputSpec{"indices", 0, dtypes::kNumeric, Presence::kRequired, Bounds::kChecked},
                InputSpec{"depth", 0, dtypes::kNumeric, Presence::kRequired, Bounds::kShape},
                in("values", 'T', dtypes::kAny)},
     .attributes = {attr_int("axis", -1)},
     .outputs = {out("output", 'T')},
     .shape = shape_one_hot,
     .grad = grad::zero},
};

// ---- Kernels

// Lines along an axis: [outer, size, inner].
struct LinesPlan {
  int64_t outer = 1, size = 1, inner = 1;
  bool last = false;  // selects the last of equal elements
  DType dtype = DType::kInvalid;
  int64_t item = 0;
  void (*run)(const LinesPlan&, const Launch&) = nullptr;
};

// Calls f(outer, inner) for every line, in parallel pieces.
template <class F>
void for_each_line(const LinesPlan& plan, const Launch& launch, F&& f) {
  const int64_t lines = plan.outer * plan.inner;
  if (lines == 0) return;
  const int64_t pieces = std::min(lines, pieces_for(lines * plan.size));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, pieces, piece);
    for (int64_t i = range.begin; i < range.end; ++i) f(i / plan.inner, i % plan.inner);
  });
}

template <class T, bool kMax>
void run_arg_of(const LinesPlan& plan, const Launch& launch) {
  const T* x = launch.in<T>(0);
  auto* y = launch.out<int64_t>(0);
  for_each_line(plan, launch, [&](int64_t outer, int64_t inner) {
    const T* line = x + outer * plan.size * plan.inner + inner;
    Wide<T> best = widen(line[0]);
    int64_t at = 0;
    for (int64_t i = 1; i < plan.size; ++i) {
      const Wide<T> value = widen(line[i * plan.inner]);
      const bool nan = value != value, best_nan = best != best;
      const bool better = !best_nan && (nan || (kMax ? value > best : value < best));
      if (better || (plan.last && (value == best || (nan && best_nan)))) {
        best = value;
        at = i;
      }
    }
    y[outer * plan.inner + inner] = at;
  });
}
template <bool kMax>
Result<LinesPlan> plan_arg(const NodeView& node, KernelPlan&) {
  const Shape& x = node.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), x.rank()));
  LinesPlan plan{x.product(0, axis), x[axis], x.product(axis + 1, x.rank())};
  plan.last = node.attributes.get_int("select_last_index") != 0;
  dispatch(kNumericList, node.dtype(0), [&]<class T>() { plan.run = run_arg_of<T, kMax>; });
  return plan;
}

template <class T>
void run_one_hot_of(const LinesPlan& plan, const Launch& launch) {
  const char* indices = launch.in<char>(0);
  const T* values = launch.in<T>(2);
  T* y = launch.out<T>(0);
  for_each_line(plan, launch, [&](int64_t outer, int64_t inner) {
    int64_t at = whole_number(plan.dtype, indices + (outer * plan.inner + inner) * plan.item);
    if (at < 0 && at >= -plan.size) at += plan.size;
    T* line = y + outer * plan.size * plan.inner + inner;
    for (int64_t i = 0; i < plan.size; ++i) line[i * plan.inner] = values[i == at ? 1 : 0];
  });
}
Result<LinesPlan> plan_one_hot(const NodeView& node, KernelPlan&) {
  const Shape& y = node.output_shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(node.attributes.get_int("axis"), y.rank()));
  LinesPlan plan{y.product(0, axis), y[axis], y.product(axis + 1, y.rank())};
  plan.dtype = node.dtype(0);
  plan.item = item_bytes(plan.dtype);
  switch (item_bytes(node.dtype(2))) {
    case 1: plan.run = run_one_hot_of<uint8_t>; break;
    case 2: plan.run = run_one_hot_of<uint16_t>; break;
    case 4: plan.run = run_one_hot_of<uint32_t>; break;
    default: plan.run = run_one_hot_of<uint64_t>; break;
  }
  return plan;
}
void run_lines(const LinesPlan& plan, const Launch& launch) { plan.run(plan, launch); }

}  // namespace

Status register_argextreme(Registry& registry, const simd::SimdTable* simd) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  if (simd != nullptr) PERCALE_RETURN_IF_ERROR(register_argextreme_simd(registry, *simd));
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_types<kNumericList>, plan_arg<true>, run_lines>("portable.ArgMax", "ArgMax"),
                    make_kernel<accepts_types<kNumericList>, plan_arg<false>, run_lines>("portable.ArgMin", "ArgMin"),
                    make_kernel<accepts_types<kAnyList, 2>, plan_one_hot, run_lines>("portable.OneHot", "OneHot"),
                });
}

}  // namespace percale
