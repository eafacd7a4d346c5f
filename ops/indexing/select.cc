// Compress, NonZero and Unique: elements selected by their values or by a mask. The output size
// depends on the data, so these ops are planned only once the data have been computed.
#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/sort_key.h"

namespace percale {
namespace {

// A tensor as slices along an axis. Without an axis, its elements are the slices.
struct Slices {
  int64_t outer = 1, count = 1, inner = 1;
};
Result<Slices> slices_of(const Attributes& attributes, const Shape& x) {
  if (!attributes.contains("axis")) return Slices{1, x.num_elements(), 1};
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(attributes.get_int("axis"), x.rank()));
  return Slices{x.product(0, axis), x[axis], x.product(axis + 1, x.rank())};
}

// Returns the shape of `count` slices of x.
Result<Shape> chosen_shape(const Attributes& attributes, const Shape& x, int64_t count) {
  if (!attributes.contains("axis")) return Shape{count};
  if (!x.known_rank()) return Shape::unranked();
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(attributes.get_int("axis"), x.rank()));
  Shape y = x;
  y[axis] = count;
  return y;
}

// Concatenates the slices of x that `chosen` lists.
struct ChoicePlan {
  Slices slices;
  std::vector<int64_t> chosen;
  int64_t item = 0;
};
void run_choice(const ChoicePlan& plan, const Launch& launch) {
  const char* x = launch.in<char>(0);
  char* y = launch.out<char>(0);
  const int64_t bytes = plan.slices.inner * plan.item;
  const auto taken = static_cast<int64_t>(plan.chosen.size());
  const int64_t rows = plan.slices.outer * taken;
  if (rows == 0 || bytes == 0) return;
  const int64_t pieces = std::min(rows, pieces_for(rows * plan.slices.inner));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t row = range.begin; row < range.end; ++row) {
      const int64_t from = row / taken * plan.slices.count + plan.chosen[static_cast<size_t>(row % taken)];
      std::memcpy(y + row * bytes, x + from * bytes, static_cast<size_t>(bytes));
    }
  });
}

// ---- Compress

// Returns the positions where the condition is true. A position that is not below `count` is an
// error.
Result<std::vector<int64_t>> true_places(const Tensor& condition, int64_t count) {
  std::vector<int64_t> out;
  const auto holds = condition.span<bool>();
  for (size_t i = 0; i < holds.size(); ++i) {
    if (holds[i]) out.push_back(static_cast<int64_t>(i));
  }
  if (!out.empty() && count >= 0 && out.back() >= count) {
    return invalid_argument("the condition is true for slice ", out.back(), ", but the number of slices is ", count);
  }
  return out;
}

Status shape_compress(ShapeContext& context) {
  const Shape& x = context.shape(0);
  PERCALE_RETURN_IF_ERROR(vector_length(context, 1).status());
  int64_t count = kUnknownDim;
  if (const Tensor* condition = context.value(1); condition != nullptr && condition->defined()) {
    int64_t dim = kUnknownDim;
    if (x.is_static()) {
      const auto slices = slices_of(context.attributes, x);
      if (!slices.ok()) return context.error(slices.status());
      dim = slices->count;
    }
    const auto places = true_places(*condition, dim);
    if (!places.ok()) return context.error(places.status());
    count = static_cast<int64_t>(places->size());
  }
  const auto y = chosen_shape(context.attributes, x, count);
  if (!y.ok()) return context.error(y.status());
  context.set_output(0, context.dtype(0), *y);
  return {};
}

Result<ChoicePlan> plan_compress(const NodeView& node, KernelPlan&) {
  if (node.value(1) == nullptr) return internal_error("the condition must be known when the kernel is planned");
  PERCALE_ASSIGN_OR_RETURN(const Slices slices, slices_of(node.attributes, node.shape(0)));
  PERCALE_ASSIGN_OR_RETURN(auto places, true_places(*node.value(1), slices.count));
  return ChoicePlan{slices, std::move(places), item_bytes(node.dtype(0))};
}

// The positions are those that Compress selects from 0, 1, ... with the same condition.
Status grad_compress(GradContext& g) {
  if (!g.wants(0)) return {};
  const bool has_axis = g.attributes().contains("axis");
  const int64_t axis = g.attributes().get_int("axis");
  const ValueId x = g.input(0), shape = shape_of(g, x);
  const ValueId count =
      has_axis ? g.emit("Gather", {shape, g.scalar(DType::kI64, static_cast<double>(axis))}) : g.emit("Size", {x});
  const ValueId all = g.emit("Range", {g.scalar(DType::kI64, 0), count, g.scalar(DType::kI64, 1)});
  const ValueId places = g.emit("Compress", {all, g.input(1)}, {{"axis", 0}});
  if (has_axis) {
    g.set(0, g.emit("percale:GatherGrad", {g.grad(0), places, shape}, {{"axis", axis}}));
  } else {
    const ValueId length = g.emit("Reshape", {count, g.ints({1})});
    const ValueId flat = g.emit("percale:GatherGrad", {g.grad(0), places, length}, {{"axis", 0}});
    g.set(0, g.emit("Reshape", {flat, shape}, {{"allowzero", 1}}));
  }
  return g.status();
}

// ---- Unique

struct Distinct {
  // `first` and `counts` per distinct slice, `inverse` per slice
  std::vector<int64_t> first, inverse, counts;
};

// Returns the distinct slices in ascending order, comparing elements from the first inner row on.
// Without `sorted`, they are in order of first occurrence.
Distinct distinct_slices(const Tensor& x, const Slices& slices, bool sorted) {
  const auto count = static_cast<size_t>(slices.count), length = static_cast<size_t>(slices.outer * slices.inner);
  std::vector<uint64_t> keys(count * length);
  const auto* data = static_cast<const char*>(x.data());
  const int64_t item = item_bytes(x.dtype());
  std::vector<uint64_t> row(static_cast<size_t>(slices.inner));
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (size_t n = 0; n < count; ++n) {
      const int64_t from = (o * slices.count + static_cast<int64_t>(n)) * slices.inner;
      sort_keys(x.dtype(), data + from * item, slices.inner, 1, row.data());
      std::copy(row.begin(), row.end(), keys.begin() + static_cast<int64_t>(n * length) + o * slices.inner);
    }
  }
  const auto compare = [&](int64_t a, int64_t b) {
    const uint64_t* left = keys.data() + static_cast<size_t>(a) * length;
    const uint64_t* right = keys.data() + static_cast<size_t>(b) * length;
    for (size_t i = 0; i < length; ++i) {
      if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    }
    return 0;
  };
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int sign = compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  Distinct out;
  out.inverse.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) {
      out.first.push_back(order[i]);
      out.counts.push_back(0);
    }
    out.inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(out.first.size()) - 1;
    ++out.counts.back();
  }
  if (sorted) return out;
  // Renumber by first occurrence.
  std::vector<int64_t> by_place(out.first.size()), number(out.first.size());
  std::iota(by_place.begin(), by_place.end(), int64_t{0});
  const auto at = [](const std::vector<int64_t>& v, int64_t i) { return v[static_cast<size_t>(i)]; };
  std::sort(by_place.begin(), by_place.end(),
            [&](int64_t a, int64_t b) { return at(out.first, a) < at(out.first, b); });
  Distinct renamed;
  for (size_t i = 0; i < by_place.size(); ++i) {
    number[static_cast<size_t>(by_place[i])] = static_cast<int64_t>(i);
    renamed.first.push_back(at(out.first, by_place[i]));
    renamed.counts.push_back(at(out.counts, by_place[i]));
  }
  for (int64_t old : out.inverse) renamed.inverse.push_back(at(number, old));
  return renamed;
}

Status shape_unique(ShapeContext& context) {
  const Shape& x = context.shape(0);
  int64_t count = kUnknownDim, total = kUnknownDim;
  if (x.is_static()) {
    const auto slices = slices_of(context.attributes, x);
    if (!slices.ok()) return context.error(slices.status());
    total = slices->count;
    if (const Tensor* value = context.value(0); value != nullptr && value->defined()) {
      count = static_cast<int64_t>(distinct_slices(*value, *slices, true).first.size());
    }
  }
  const auto y = chosen_shape(context.attributes, x, count);
  if (!y.ok()) return context.error(y.status());
  context.set_output(0, context.dtype(0), *y);
  context.set_output(1, DType::kI64, Shape{count});
  context.set_output(2, DType::kI64, Shape{total});
  context.set_output(3, DType::kI64, Shape{count});
  return {};
}

struct UniquePlan {
  ChoicePlan choice;
  Distinct distinct;
  std::array<bool, 4> wanted{};
};
Result<UniquePlan> plan_unique(const NodeView& node, KernelPlan&) {
  if (node.value(0) == nullptr) return internal_error("the data must be known when the kernel is planned");
  UniquePlan plan;
  PERCALE_ASSIGN_OR_RETURN(plan.choice.slices, slices_of(node.attributes, node.shape(0)));
  plan.distinct = distinct_slices(*node.value(0), plan.choice.slices, node.attributes.get_int("sorted") != 0);
  plan.choice.chosen = plan.distinct.first;
  plan.choice.item = item_bytes(node.dtype(0));
  for (size_t i = 0; i < 4; ++i) plan.wanted[i] = node.has_output(i);
  return plan;
}
void run_unique(const UniquePlan& plan, const Launch& launch) {
  run_choice(plan.choice, launch);
  const std::array<const std::vector<int64_t>*, 3> lists = {&plan.distinct.first, &plan.distinct.inverse,
                                                            &plan.distinct.counts};
  for (size_t i = 0; i < lists.size(); ++i) {
    if (plan.wanted[i + 1]) std::copy(lists[i]->begin(), lists[i]->end(), launch.out<int64_t>(i + 1));
  }
}

// ---- NonZero

// Returns the coordinates of the non-zero elements in memory order: all first coordinates, then all
// second ones, and so on.
template <class T>
std::vector<int64_t> coordinates_of(const Tensor& x) {
  const size_t rank = x.shape().rank();
  std::vector<std::vector<int64_t>> along(rank);
  std::vector<int64_t> at(rank, 0);
  for (const T& value : x.span<T>()) {
    for (size_t d = 0; d < rank && widen(value) != Wide<T>{}; ++d) along[d].push_back(at[d]);
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < x.shape()[d]) break;
      at[d] = 0;
    }
  }
  std::vector<int64_t> out;
  for (const auto& numbers : along) out.insert(out.end(), numbers.begin(), numbers.end());
  return out;
}

int64_t count_non_zero(const Tensor& x) {
  int64_t count = 0;
  dispatch(kAnyList, x.dtype(), [&]<class T>() {
    for (const T& value : x.span<T>()) count += widen(value) != Wide<T>{};
  });
  return count;
}

Status shape_non_zero(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const Tensor* value = context.value(0);
  context.set_output(0, DType::kI64,
                     Shape{x.known_rank() ? static_cast<int64_t>(x.rank()) : kUnknownDim,
                           value != nullptr && value->defined() ? count_non_zero(*value) : kUnknownDim});
  return {};
}

Result<std::vector<int64_t>> plan_non_zero(const NodeView& node, KernelPlan&) {
  const Tensor* const x = node.value(0);
  if (x == nullptr) return internal_error("the data must be known when the kernel is planned");
  std::vector<int64_t> coordinates;
  dispatch(kAnyList, x->dtype(), [&]<class T>() { coordinates = coordinates_of<T>(*x); });
  return coordinates;
}
void run_non_zero(const std::vector<int64_t>& coordinates, const Launch& launch) {
  std::copy(coordinates.begin(), coordinates.end(), launch.out<int64_t>(0));
}

constexpr AttrSpec kAxis = attr_optional("axis", AttrKind::kInt);
constexpr OutputSpec places(std::string_view name) { return {name, 0, dtypes::kI64Only, Presence::kOptional}; }

constexpr OpRow kSchemas[] = {
    {.name = "Compress",
     .since = 11,
     .doc = "The slices of the input along `axis`, or its elements without `axis`, where the condition is true. The "
            "condition may be shorter than the axis.",
     .inputs = {in("input", 'T', dtypes::kAny), in_shape("condition", Presence::kRequired, dtypes::kBoolOnly)},
     .attributes = {kAxis},
     .outputs = {out("output", 'T')},
     .shape = shape_compress,
     .grad = grad_compress},
    {.name = "NonZero",
     .since = 13,
     .doc = "The coordinates of the n nonzero elements of X, in row-major order, as [rank, n]; NaN counts as nonzero.",
     .inputs = {in_shape("X", Presence::kRequired, dtypes::kAny)},
     .outputs = {out("Y", dtypes::kI64Only)},
     .shape = shape_non_zero,
     .grad = grad::zero},
    {.name = "Unique",
     .since = 11,
     .doc = "The distinct slices of X along `axis`, or its distinct elements without `axis`, in ascending order or "
            "(sorted 0) in order of first occurrence. Further outputs: the index of each first occurrence, for each "
            "slice of X its index in Y, and the count of each.",
     .inputs = {InputSpec{"X", 'T', dtypes::kAny, Presence::kRequired, Bounds::kShape}},
     .attributes = {kAxis, attr_int("sorted", 1, 0, 1)},
     .outputs = {out("Y", 'T'), places("indices"), places("inverse_indices"), places("counts")},
     .shape = shape_unique,
     .grad = grad::none},
};

}  // namespace

Status register_select(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_types<kAnyList>, plan_compress, run_choice>("portable.Compress", "Compress"),
                    make_kernel<accepts_types<kAnyList>, plan_non_zero, run_non_zero>("portable.NonZero", "NonZero"),
                    make_kernel<accepts_types<kAnyList>, plan_unique, run_unique>("portable.Unique", "Unique"),
                });
}

}  // namespace percale
