// Comparisons, logic on bools, and Where.
#include <array>
#include <cmath>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"

namespace percale {
namespace {

Status shape_same_bool(ShapeContext& context) {
  context.set_output(0, DType::kBool, context.shape(0));
  return {};
}
Status shape_where(ShapeContext& context) {
  PERCALE_ASSIGN_OR_RETURN(const Shape shape, broadcast_inputs(context, 0, 3));
  context.set_output(0, context.dtype(1), shape);
  return {};
}

Status grad_where(GradContext& g) {
  const ValueId zero = scalar_like(g, g.grad(0), 0);
  if (g.wants(1)) g.set(1, sum_to_shape_of(g, where(g, g.input(0), g.grad(0), zero), g.input(1)));
  if (g.wants(2)) g.set(2, sum_to_shape_of(g, where(g, g.input(0), zero, g.grad(0)), g.input(2)));
  return g.status();
}

// ---- Schemas

constexpr OpRow comparison(std::string_view name, int32_t since, DTypeSet types, std::string_view doc,
                           uint32_t flags = 0) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("A", 'T', types), in("B", 'T', types)},
          .outputs = {out("C", dtypes::kBoolOnly)},
          .flags = kPure | kElementwise | flags,
          .shape = shape_broadcast_bool,
          .grad = grad::zero};
}

constexpr OpRow kSchemas[] = {
    comparison("Equal", 19, dtypes::kAny, "A == B, broadcast; NaN is equal to nothing.", kCommutative),
    comparison("Greater", 13, dtypes::kNumeric, "A > B, broadcast."),
    comparison("Less", 13, dtypes::kNumeric, "A < B, broadcast."),
    comparison("GreaterOrEqual", 16, dtypes::kNumeric, "A >= B, broadcast."),
    comparison("LessOrEqual", 16, dtypes::kNumeric, "A <= B, broadcast."),
    comparison("And", 7, dtypes::kBoolOnly, "Logical and of A and B, broadcast.", kCommutative),
    comparison("Or", 7, dtypes::kBoolOnly, "Logical or of A and B, broadcast.", kCommutative),
    comparison("Xor", 7, dtypes::kBoolOnly, "Logical exclusive or of A and B, broadcast.", kCommutative),
    {.name = "Not",
     .since = 1,
     .doc = "Logical not of X.",
     .inputs = {in("X", 'T', dtypes::kBoolOnly)},
     .outputs = {out("Y", 'T')},
     .flags = kPure | kElementwise,
     .in_place = {InPlace{0, 0}},
     .shape = shape_same_bool,
     .grad = grad::zero},
    {.name = "IsNaN",
     .since = 20,
     .doc = "True where X is NaN.",
     .inputs = {in("X", 'T', dtypes::kFloat | kFloat8Types)},
     .outputs = {out("Y", dtypes::kBoolOnly)},
     .flags = kPure | kElementwise,
     .shape = shape_same_bool,
     .grad = grad::zero},
    {.name = "IsInf",
     .since = 20,
     .doc = "True where X is infinite, with a sign that detect_positive or detect_negative selects.",
     .inputs = {in("X", 'T', dtypes::kFloat | kFloat8Types)},
     .attributes = {attr_int("detect_negative", 1, 0, 1), attr_int("detect_positive", 1, 0, 1)},
     .outputs = {out("Y", dtypes::kBoolOnly)},
     .flags = kPure | kElementwise,
     .shape = shape_same_bool,
     .grad = grad::zero},
    {.name = "Where",
     .since = 16,
     .doc = "X where the condition is true, otherwise Y; all three broadcast.",
     .inputs = {in("condition", 'B', dtypes::kBoolOnly), in("X", 'T', dtypes::kAny), in("Y", 'T', dtypes::kAny)},
     .outputs = {out("output", 'T')},
     .flags = kPure | kElementwise,
     .in_place = {InPlace{0, 1}, InPlace{0, 2}},
     .shape = shape_where,
     .grad = grad_where},
};

// ---- Kernels

struct EqualOp {
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct GreaterOp {
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct LessOp {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct GreaterOrEqualOp {
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};
struct LessOrEqualOp {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct AndOp {
  bool operator()(bool a, bool b) const { return a && b; }
};
struct OrOp {
  bool operator()(bool a, bool b) const { return a || b; }
};
struct XorOp {
  bool operator()(bool a, bool b) const { return a != b; }
};
struct NotOp {
  bool operator()(bool a) const { return !a; }
};
struct IsNanOp {
  template <class T>
  bool operator()(T x) const {
    return std::isnan(x);
  }
};
// params: detect_negative, detect_positive.
struct IsInfOp {
  bool negative, positive;
  explicit IsInfOp(const double* params) : negative(params[0] != 0), positive(params[1] != 0) {}
  template <class T>
  bool operator()(T x) const {
    return std::isinf(x) && (x < T{0} ? negative : positive);
  }
};

Result<MapPlan> plan_is_inf(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  dispatch(kFloatList, node.dtype(0), [&]<class T>() { row = unary_row<IsInfOp, T, bool>; });
  return make_map(node, 1, row,
                  {static_cast<double>(node.attributes.get_int("detect_negative")),
                   static_cast<double>(node.attributes.get_int("detect_positive"))});
}

// Selects bits without a branch, so that the loop can be vectorised. A stride is 0 or 1, or known
// only when the kernel runs.
template <class T>
void choose(const uint8_t* condition, const T* a, const T* b, int64_t n, int64_t sc, int64_t sa, int64_t sb, T* y) {
  for (int64_t i = 0; i < n; ++i) {
    const T mask = static_cast<T>(T{0} - static_cast<T>(condition[i * sc] != 0)), other = b[i * sb];
    y[i] = static_cast<T>(other ^ ((a[i * sa] ^ other) & mask));
  }
}

template <class T>
void where_row(const Row& row) {
  const auto* condition = row.x<uint8_t>(0);
  const T* a = row.x<T>(1);
  const T* b = row.x<T>(2);
  T* y = row.y<T>();
  constexpr auto kItem = static_cast<int64_t>(sizeof(T));
  const int64_t sc = row.stride[0], sa = row.stride[1] / kItem, sb = row.stride[2] / kItem;
  if (sc == 1 && sa == 1 && sb == 1) return choose(condition, a, b, row.n, 1, 1, 1, y);
  if (sc == 1 && sa == 1 && sb == 0) return choose(condition, a, b, row.n, 1, 1, 0, y);
  if (sc == 1 && sa == 0 && sb == 1) return choose(condition, a, b, row.n, 1, 0, 1, y);
  choose(condition, a, b, row.n, sc, sa, sb, y);
}

// Elements are selected, not computed with, so only their size matters.
Result<MapPlan> plan_where(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  switch (item_bytes(node.dtype(1))) {
    case 1: row = where_row<uint8_t>; break;
    case 2: row = where_row<uint16_t>; break;
    case 4: row = where_row<uint32_t>; break;
    default: row = where_row<uint64_t>; break;
  }
  return make_map(node, 3, row);
}

}  // namespace

Status register_logic(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry,
                         {
                             binary_kernel<EqualOp, kAnyList, bool>("portable.Equal"),
                             binary_kernel<GreaterOp, kNumericList, bool>("portable.Greater"),
                             binary_kernel<LessOp, kNumericList, bool>("portable.Less"),
                             binary_kernel<GreaterOrEqualOp, kNumericList, bool>("portable.GreaterOrEqual"),
                             binary_kernel<LessOrEqualOp, kNumericList, bool>("portable.LessOrEqual"),
                             binary_kernel<AndOp, kBoolList, bool>("portable.And"),
                             binary_kernel<OrOp, kBoolList, bool>("portable.Or"),
                             binary_kernel<XorOp, kBoolList, bool>("portable.Xor"),
                             unary_kernel<NotOp, kBoolList, bool>("portable.Not"),
                             unary_kernel<IsNanOp, kFloatList, bool>("portable.IsNaN"),
                             make_kernel<accepts_types<kFloatList>, plan_is_inf, run_map>("portable.IsInf", "IsInf"),
                             make_kernel<accepts_types<kAnyList, 1>, plan_where, run_map>("portable.Where", "Where"),
                         });
}

}  // namespace percale
