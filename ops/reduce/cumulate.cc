// CumSum and CumProd: running sums and products along an axis.
#include <algorithm>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"

namespace percale {
namespace {

// Checks that input `i` is an axis of a tensor of shape x.
Status check_axis(const ShapeContext& context, const Shape& x, size_t i) {
  const auto axis = known_ints(context, i);
  if (!axis.has_value()) return {};
  if (axis->size() != 1) return context.error("axis must hold one number");
  if (!x.known_rank()) return {};
  const auto normal = normalize_axis(axis->front(), x.rank());
  return normal.ok() ? Status() : context.error(normal.status());
}
Status shape_cumulate(ShapeContext& context) {
  PERCALE_RETURN_IF_ERROR(check_axis(context, context.shape(0), 1));
  return shape_same(context);
}
Status grad_cumsum(GradContext& g) {
  if (g.wants(0)) {
    g.set(0, g.emit("CumSum", {g.grad(0), g.input(1)},
                    {{"exclusive", g.attributes().get_int("exclusive")},
                     {"reverse", 1 - g.attributes().get_int("reverse")}}));
  }
  return g.status();
}

Status grad_cumprod(GradContext& g) {
  if (g.wants(0)) g.set(0, g.emit("percale:CumProdGrad", {g.grad(0), g.input(0), g.input(1)}, g.attributes()));
  return g.status();
}

Status shape_cumprod_grad(ShapeContext& context) {
  if (!compatible(context.shape(0), context.shape(1))) {
    return context.error("grad ", context.shape(0), " and x ", context.shape(1), " differ in shape");
  }
  PERCALE_RETURN_IF_ERROR(check_axis(context, context.shape(1), 2));
  context.set_output(0, context.dtype(1), merge(context.shape(0), context.shape(1)));
  return {};
}

constexpr DTypeSet kTypes = dtypes::kFloat | DTypeSet::of(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

constexpr InputSpec kAxis = {"axis", 0, dtypes::kIndex, Presence::kRequired, Bounds::kShape};
constexpr AttrSpec kExclusive = attr_int("exclusive", 0, 0, 1), kReverse = attr_int("reverse", 0, 0, 1);

constexpr OpRow cumulation(std::string_view name, int32_t since, std::string_view doc, GradFn grad) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("x", 'T', kTypes), kAxis},
          .attributes = {kExclusive, kReverse},
          .outputs = {out("y", 'T')},
          .in_place = {InPlace{0, 0}},
          .shape = shape_cumulate,
          .grad = grad};
}

constexpr OpRow kSchemas[] = {
    cumulation("CumProd", 26,
               "The product of the elements up to each element along an axis, including the element itself unless "
               "exclusive is set.",
               grad_cumprod),
    cumulation("CumSum", 14,
               "The sum of the elements up to each element along an axis, including the element itself unless "
               "exclusive is set.",
               grad_cumsum),
    {.domain = "percale",
     .name = "CumProdGrad",
     .doc = "The gradient of CumProd with respect to x; correct if elements of x are 0, too.",
     .inputs = {in("grad", 'T', dtypes::kFloat), in("x", 'T', dtypes::kFloat), kAxis},
     .attributes = {kExclusive, kReverse},
     .outputs = {out("x_grad", 'T')},
     .shape = shape_cumprod_grad,
     .grad = grad::none},
};

struct CumulatePlan {
  int64_t outer = 1, size = 1, inner = 1;
  bool exclusive = false, reverse = false;
  void (*run)(const CumulatePlan&, const Launch&) = nullptr;
};
// Calls f(offset of the first element) for every line along the axis, in parallel pieces.
template <class F>
void for_each_line(const CumulatePlan& plan, const Launch& launch, F&& f) {
  const int64_t lines = plan.outer * plan.inner;
  if (lines == 0) return;
  const int64_t pieces = std::min(lines, pieces_for(lines * plan.size));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, pieces, piece);
    for (int64_t line = range.begin; line < range.end; ++line) {
      f(line / plan.inner * plan.size * plan.inner + line % plan.inner);
    }
  });
}

template <class T, bool kProduct>
void run_cumulate_of(const CumulatePlan& plan, const Launch& launch) {
  const T* x = launch.in<T>(0);
  T* y = launch.out<T>(0);
  for_each_line(plan, launch, [&](int64_t base) {
    Wide<T> so_far = kProduct ? 1 : 0;
    for (int64_t i = 0; i < plan.size; ++i) {
      const int64_t at = base + (plan.reverse ? plan.size - 1 - i : i) * plan.inner;
      const Wide<T> value = widen(x[at]);  // read before y is written, which may be the same memory
      const Wide<T> next = kProduct ? wrap::mul(so_far, value) : wrap::add(so_far, value);
      y[at] = narrow<T>(plan.exclusive ? so_far : next);
      so_far = next;
    }
  });
}
inline constexpr TypeList<int32_t, int64_t, uint32_t, uint64_t> kIntegers;
inline constexpr auto kList = kFloatList + kIntegers;
// `axis_input` is the index of the input that holds the axis.
Result<CumulatePlan> plan_lines(const NodeView& node, size_t axis_input) {
  if (node.value(axis_input) == nullptr) return internal_error("the axis must be known when the kernel is planned");
  const Shape& x = node.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(to_int64s(*node.value(axis_input)).front(), x.rank()));
  CumulatePlan plan{x.product(0, axis), x[axis], x.product(axis + 1, x.rank())};
  plan.exclusive = node.attributes.get_int("exclusive") != 0;
  plan.reverse = node.attributes.get_int("reverse") != 0;
  return plan;
}
template <bool kProduct>
Result<CumulatePlan> plan_cumulate(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(CumulatePlan plan, plan_lines(node, 1));
  dispatch(kList, node.dtype(0), [&]<class T>() { plan.run = run_cumulate_of<T, kProduct>; });
  return plan;
}
// x_i is a factor of y_j from j = i on (exclusive: i + 1). Its slope is the product of the elements
// before i, times the sum over those j of grad_j times the product of the elements in between. The
// sum is accumulated from the end, without a division.
template <class T>
void run_cumprod_grad_of(const CumulatePlan& plan, const Launch& launch) {
  const T* grad = launch.in<T>(0);
  const T* x = launch.in<T>(1);
  T* y = launch.out<T>(0);
  for_each_line(plan, launch, [&](int64_t base) {
    const auto at = [&](int64_t i) { return base + (plan.reverse ? plan.size - 1 - i : i) * plan.inner; };
    double before = 1;
    for (int64_t i = 0; i < plan.size; ++i) {
      y[at(i)] = narrow<T>(static_cast<Wide<T>>(before));
      before *= static_cast<double>(widen(x[at(i)]));
    }
    double sum = 0;
    for (int64_t i = plan.size - 1; i >= 0; --i) {
      const auto slope = static_cast<double>(widen(grad[at(i)]));
      if (!plan.exclusive) sum += slope;
      y[at(i)] = narrow<T>(static_cast<Wide<T>>(static_cast<double>(widen(y[at(i)])) * sum));
      sum = sum * static_cast<double>(widen(x[at(i)])) + (plan.exclusive ? slope : 0);
    }
  });
}
Result<CumulatePlan> plan_cumprod_grad(const NodeView& node, KernelPlan&) {
  PERCALE_ASSIGN_OR_RETURN(CumulatePlan plan, plan_lines(node, 2));
  dispatch(kFloatList, node.dtype(0), [&]<class T>() { plan.run = run_cumprod_grad_of<T>; });
  return plan;
}
void run_cumulate(const CumulatePlan& plan, const Launch& launch) { plan.run(plan, launch); }

}  // namespace

Status register_cumulate(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_types<kList>, plan_cumulate<true>, run_cumulate>("portable.CumProd", "CumProd"),
                    make_kernel<accepts_types<kFloatList>, plan_cumprod_grad, run_cumulate>("portable.CumProdGrad",
                                                                                            "CumProdGrad", "percale"),
                    make_kernel<accepts_types<kList>, plan_cumulate<false>, run_cumulate>("portable.CumSum", "CumSum"),
                });
}

}  // namespace percale
