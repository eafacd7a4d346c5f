// Compress, NonZero and Unique: elements selected by their values or by a mask, whose number
// depends on the data. Each has two parts. An op finds all places, in lists of fixed size, and
// counts them. Nodes then take that many. Only the number decides a size, so the library plans the
// second part once per number.
#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/checked.h"
#include "ops/support/body_util.h"
#include "ops/support/families.h"
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

// ---- The shapes of what is selected

// The shape of an unknown number of slices of x.
Result<Shape> chosen_shape(const Attributes& attributes, const Shape& x) {
  if (!attributes.contains("axis")) return Shape{kUnknownDim};
  if (!x.known_rank()) return Shape::unranked();
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(attributes.get_int("axis"), x.rank()));
  Shape y = x;
  y[axis] = kUnknownDim;
  return y;
}

Status shape_compress(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(vector_length(context, 1).status());
  const auto y = chosen_shape(context.attributes, context.shape(0));
  if (!y.ok()) return context.error(y.status());
  context.set_output(0, context.dtype(0), *y);
  return {};
}

Status shape_non_zero(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const int64_t rank = x.known_rank() ? static_cast<int64_t>(x.rank()) : kUnknownDim;
  context.set_output(0, DType::kI64, Shape{rank, kUnknownDim});
  return {};
}

Status shape_unique(ShapeContext& context) {
  const Shape& x = context.shape(0);
  const auto y = chosen_shape(context.attributes, x);
  if (!y.ok()) return context.error(y.status());
  int64_t slices = kUnknownDim;
  if (x.is_static()) slices = slices_of(context.attributes, x)->count;
  context.set_output(0, context.dtype(0), *y);
  context.set_output(1, DType::kI64, Shape{kUnknownDim});
  context.set_output(2, DType::kI64, Shape{slices});
  context.set_output(3, DType::kI64, Shape{kUnknownDim});
  return {};
}

// ---- Bodies

// The first elements of a list. `number`: how many, as a vector of one element.
ValueId first_of(Emitter& e, ValueId list, ValueId number) {
  return e.emit("Slice", {list, e.ints({0}), number, e.ints({0})});
}

// The places of the nonzero elements of x.
ValueId places_of(Emitter& e, ValueId x) {
  const auto found = e.emit_many("percale:NonZeroPlaces", {x}, 2);
  return first_of(e, found[0], found[1]);
}

// The slices of input 0 at these places.
ValueId slices_at(BodyContext& c, ValueId places) {
  if (c.attributes().contains("axis")) {
    return c.emit("Gather", {c.input(0), places}, {{"axis", c.attributes().get_int("axis")}});
  }
  return c.emit("Gather", {c.emit("Reshape", {c.input(0), c.ints({-1})}), places}, {{"axis", 0}});
}

Status compress(BodyContext& c) {
  c.set(0, slices_at(c, places_of(c, c.input(1))));
  return c.status();
}

// Coordinate d of the element at place p is p / (elements of an inner slice) mod dim d.
Status non_zero(BodyContext& c) {
  const ValueId dims = shape_of(c, c.input(0)), column = c.ints({1});
  const ValueId inner = c.emit("CumProd", {dims, c.scalar(DType::kI64, 0)}, {{"exclusive", 1}, {"reverse", 1}});
  const ValueId along = div(c, places_of(c, c.input(0)), c.emit("Unsqueeze", {inner, column}));
  c.set(0, c.emit("Mod", {along, c.emit("Unsqueeze", {dims, column})}));
  return c.status();
}

Status unique(BodyContext& c) {
  const auto found = c.emit_many("percale:DistinctSlices", {c.input(0)}, 4, c.attributes());
  const ValueId number = found[3], places = first_of(c, found[0], number);
  c.set(0, slices_at(c, places));
  c.set(1, places);
  c.set(2, found[1]);
  c.set(3, first_of(c, found[2], number));
  return c.status();
}

// ---- NonZeroPlaces

Status shape_places(ShapeContext& context) {
  const Shape& x = context.shape(0);
  context.set_output(0, DType::kI64, Shape{x.is_static() ? x.num_elements() : kUnknownDim});
  context.set_output(1, DType::kI64, Shape{1});
  return {};
}

struct PlacesPlan {
  DType dtype = DType::kInvalid;
  int64_t count = 0, pieces = 1;
};
Result<PlacesPlan> plan_places(const NodeView& node, KernelPlan& booked) {
  const int64_t count = node.shape(0).num_elements();
  const PlacesPlan plan{node.dtype(0), count, pieces_for(count)};
  booked.scratch_bytes = (plan.pieces + 1) * int64_t{sizeof(int64_t)};
  return plan;
}

template <class T>
void find_places(const PlacesPlan& plan, const Launch& launch) {
  const T* x = launch.in<T>(0);
  auto* const places = launch.out<int64_t>(0);
  auto* const before = launch.scratch<int64_t>();  // per piece: the nonzero elements before it
  const auto holds = [x](int64_t i) { return widen(x[i]) != Wide<T>{} ? 1 : 0; };
  launch.parallel()(plan.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.count, plan.pieces, piece);
    int64_t found = 0;
    for (int64_t i = range.begin; i < range.end; ++i) found += holds(i);
    before[piece] = found;
  });
  before[plan.pieces] = 0;
  std::exclusive_scan(before, before + plan.pieces + 1, before, int64_t{0});
  const int64_t number = before[plan.pieces];
  launch.parallel()(plan.pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(plan.count, plan.pieces, piece);
    // Writes each place, and keeps it where the element holds: no branch depends on the data.
    int64_t to = before[piece];
    for (int64_t i = range.begin; to < before[piece + 1]; ++i) {
      places[to] = i;
      to += holds(i);
    }
    for (int64_t i = std::max(range.begin, number); i < range.end; ++i) places[i] = 0;
  });
  *launch.out<int64_t>(1) = number;
}
void run_places(const PlacesPlan& plan, const Launch& launch) {
  dispatch(kAnyList, plan.dtype, [&]<class T>() { find_places<T>(plan, launch); });
}

// ---- DistinctSlices

Status shape_distinct(ShapeContext& context) {
  int64_t count = kUnknownDim;
  if (context.shape(0).is_static()) {
    const auto slices = slices_of(context.attributes, context.shape(0));
    if (!slices.ok()) return context.error(slices.status());
    count = slices->count;
  }
  for (size_t i = 0; i < 3; ++i) context.set_output(i, DType::kI64, Shape{count});
  context.set_output(3, DType::kI64, Shape{1});
  return {};
}

struct DistinctPlan {
  Slices slices;
  DType dtype = DType::kInvalid;
  bool sorted = true;
  int64_t length() const { return slices.outer * slices.inner; }  // of a slice
};
Result<DistinctPlan> plan_distinct(const NodeView& node, KernelPlan& booked) {
  DistinctPlan plan{{}, node.dtype(0), node.attributes.get_int("sorted") != 0};
  PERCALE_ASSIGN_OR_RETURN(plan.slices, slices_of(node.attributes, node.shape(0)));
  // The keys of all elements; per slice its place in the order and the number of its group.
  const CheckedSize bytes = (CheckedSize(plan.length()) + 2) * plan.slices.count * int64_t{sizeof(uint64_t)};
  if (!bytes.valid()) return resource_exhausted("the slices to compare exceed 2^63 bytes");
  booked.scratch_bytes = bytes.value();
  return plan;
}

// Writes the keys of all elements, slice by slice.
void write_keys(const DistinctPlan& plan, const char* x, uint64_t* keys) {
  const Slices& slices = plan.slices;
  const int64_t item = item_bytes(plan.dtype), length = plan.length();
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (int64_t n = 0; n < slices.count; ++n) {
      const int64_t from = (o * slices.count + n) * slices.inner;
      sort_keys(plan.dtype, x + from * item, slices.inner, 1, keys + n * length + o * slices.inner);
    }
  }
}

// Slices are compared from their first element on. Equal ones form a group, whose first slice is
// the one with the lowest place.
void run_distinct(const DistinctPlan& plan, const Launch& launch) {
  const int64_t count = plan.slices.count, length = plan.length();
  auto* const keys = launch.scratch<uint64_t>();
  auto* const order = reinterpret_cast<int64_t*>(keys + count * length);
  int64_t* const number = order + count;
  auto *const first = launch.out<int64_t>(0), *const inverse = launch.out<int64_t>(1);
  auto* const counts = launch.out<int64_t>(2);
  int64_t* const begins_group = counts;  // per place, until the counts are known
  write_keys(plan, launch.in<char>(0), keys);
  const auto slice = [&](int64_t i) { return std::span(keys + i * length, static_cast<size_t>(length)); };
  const auto same = [&](int64_t a, int64_t b) { return std::ranges::equal(slice(a), slice(b)); };
  std::iota(order, order + count, int64_t{0});
  std::sort(order, order + count, [&](int64_t a, int64_t b) {
    const auto sign =
        std::lexicographical_compare_three_way(slice(a).begin(), slice(a).end(), slice(b).begin(), slice(b).end());
    return sign != 0 ? sign < 0 : a < b;
  });
  int64_t groups = 0;
  for (int64_t i = 0; i < count; ++i) {
    const bool begins = i == 0 || !same(order[i - 1], order[i]);
    groups += begins ? 1 : 0;
    inverse[order[i]] = groups - 1;
    begins_group[order[i]] = begins ? 1 : 0;
  }
  if (plan.sorted) {
    std::iota(number, number + groups, int64_t{0});
  } else {
    int64_t next = 0;
    for (int64_t place = 0; place < count; ++place) {
      if (begins_group[place] != 0) number[inverse[place]] = next++;
    }
  }
  std::fill(first, first + count, int64_t{0});
  std::fill(counts, counts + count, int64_t{0});
  for (int64_t place = 0; place < count; ++place) {
    const int64_t group = inverse[place] = number[inverse[place]];
    if (counts[group]++ == 0) first[group] = place;
  }
  *launch.out<int64_t>(3) = groups;
}

constexpr AttrSpec kAxis = attr_optional("axis", AttrKind::kInt), kSorted = attr_int("sorted", 1, 0, 1);
constexpr OutputSpec places(std::string_view name) { return {name, 0, dtypes::kI64Only, Presence::kOptional}; }
constexpr OutputSpec numbers(std::string_view name) { return out(name, dtypes::kI64Only); }

constexpr OpRow kSchemas[] = {
    {.name = "Compress",
     .since = 11,
     .doc = "The slices of the input along `axis`, or its elements without `axis`, where the condition is true. The "
            "condition may be shorter than the axis.",
     .inputs = {in("input", 'T', dtypes::kAny), in("condition", 'C', dtypes::kBoolOnly)},
     .attributes = {kAxis},
     .outputs = {out("output", 'T')},
     .shape = shape_compress,
     .grad = grad::body,
     .body = compress},
    {.name = "NonZero",
     .since = 13,
     .doc = "The coordinates of the n nonzero elements of X, in row-major order, as [rank, n]; NaN counts as nonzero.",
     .inputs = {in("X", 'T', dtypes::kAny)},
     .outputs = {out("Y", dtypes::kI64Only)},
     .shape = shape_non_zero,
     .grad = grad::zero,
     .body = non_zero},
    {.name = "Unique",
     .since = 11,
     .doc = "The distinct slices of X along `axis`, or its distinct elements without `axis`, in ascending order or "
            "(sorted 0) in order of first occurrence. Further outputs: the index of each first occurrence, for each "
            "slice of X its index in Y, and the count of each.",
     .inputs = {in("X", 'T', dtypes::kAny)},
     .attributes = {kAxis, kSorted},
     .outputs = {out("Y", 'T'), places("indices"), places("inverse_indices"), places("counts")},
     .shape = shape_unique,
     .grad = grad::none,
     .body = unique},
    {.domain = "percale",
     .name = "NonZeroPlaces",
     .doc = "The places of the nonzero elements of X in row-major order, ascending and then zeros, and their number.",
     .inputs = {in("X", 'T', dtypes::kAny)},
     .outputs = {numbers("places"), numbers("number")},
     .shape = shape_places,
     .grad = grad::zero},
    {.domain = "percale",
     .name = "DistinctSlices",
     .doc =
         "The distinct slices of X as Unique orders them: the place of the first of each, then zeros; for each slice "
         "of X the number of its group; the slices of each group, then zeros; the number of groups.",
     .inputs = {in("X", 'T', dtypes::kAny)},
     .attributes = {kAxis, kSorted},
     .outputs = {numbers("first"), numbers("inverse"), numbers("counts"), numbers("number")},
     .shape = shape_distinct,
     .grad = grad::zero},
};

}  // namespace

Status register_select(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry, {
                                       make_kernel<accepts_types<kAnyList>, plan_places, run_places>(
                                           "portable.NonZeroPlaces", "NonZeroPlaces", "percale"),
                                       make_kernel<accepts_types<kAnyList>, plan_distinct, run_distinct>(
                                           "portable.DistinctSlices", "DistinctSlices", "percale"),
                                   });
}

}  // namespace percale
