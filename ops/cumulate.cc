// Running sums and products along an axis.
#include <algorithm>

#include "ops/families.h"
#include "ops/grad_util.h"
#include "ops/kernel_util.h"
#include "ops/shape_util.h"

namespace percale {
namespace {

Status shape_cumulate(ShapeContext& context) {
  if (const auto axis = known_ints(context, 1)) {
    if (axis->size() != 1) return context.error("axis must be one number");
    if (context.shape(0).known_rank()) {
      const auto normal = normalize_axis(axis->front(), context.shape(0).rank());
      if (!normal.ok()) return context.error(normal.status());
    }
  }
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

constexpr DTypeSet kTypes = dtypes::kFloat | DTypeSet::of(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

constexpr OpSchema cumulation(std::string_view name, int32_t since, std::string_view doc, GradFn grad) {
  return {.name = name,
          .since = since,
          .doc = doc,
          .inputs = {in("x", 'T', kTypes), InputSpec{"axis", 0, dtypes::kIndex, Presence::kRequired, Bounds::kShape}},
          .attributes = {attr_int("exclusive", 0, 0, 1), attr_int("reverse", 0, 0, 1)},
          .outputs = {out("y", 'T')},
          .in_place = {InPlace{0, 0}},
          .shape = shape_cumulate,
          .grad = grad};
}

constexpr OpSchema kSchemas[] = {
    cumulation("CumProd", 26,
               "The product of the elements so far along an axis, with (or exclusive: without) the element itself.",
               grad::none),
    cumulation("CumSum", 14,
               "The sum of the elements so far along an axis, with (or exclusive: without) the element itself.",
               grad_cumsum),
};

struct CumulatePlan {
  int64_t outer = 1, size = 1, inner = 1;
  bool exclusive = false, reverse = false;
  void (*run)(const CumulatePlan&, const Launch&) = nullptr;
};
template <class T, bool kProduct>
void run_cumulate_of(const CumulatePlan& plan, const Launch& launch) {
  const T* x = launch.in<T>(0);
  T* y = launch.out<T>(0);
  const int64_t lines = plan.outer * plan.inner;
  if (lines == 0) return;
  const int64_t pieces = std::min(lines, pieces_for(lines * plan.size));
  launch.parallel()(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(lines, pieces, piece);
    for (int64_t line = range.begin; line < range.end; ++line) {
      const int64_t base = line / plan.inner * plan.size * plan.inner + line % plan.inner;
      Wide<T> so_far = kProduct ? 1 : 0;
      for (int64_t i = 0; i < plan.size; ++i) {
        const int64_t at = base + (plan.reverse ? plan.size - 1 - i : i) * plan.inner;
        const Wide<T> value = widen(x[at]);  // read before y, which may be the same memory, is written
        const Wide<T> next = kProduct ? wrap::mul(so_far, value) : wrap::add(so_far, value);
        y[at] = narrow<T>(plan.exclusive ? so_far : next);
        so_far = next;
      }
    }
  });
}
inline constexpr TypeList<int32_t, int64_t, uint32_t, uint64_t> kIntegers;
inline constexpr auto kList = kFloatList + kIntegers;
template <bool kProduct>
Result<CumulatePlan> plan_cumulate(const NodeView& node, KernelPlan&) {
  if (node.value(1) == nullptr) return internal_error("the axis is not known");
  const Shape& x = node.shape(0);
  PERCALE_ASSIGN_OR_RETURN(const size_t axis, normalize_axis(to_int64s(*node.value(1)).front(), x.rank()));
  CumulatePlan plan{x.product(0, axis), x[axis], x.product(axis + 1, x.rank())};
  plan.exclusive = node.attributes.get_int("exclusive") != 0;
  plan.reverse = node.attributes.get_int("reverse") != 0;
  dispatch(kList, node.dtype(0), [&]<class T>() { plan.run = run_cumulate_of<T, kProduct>; });
  return plan;
}
void run_cumulate(const CumulatePlan& plan, const Launch& launch) { plan.run(plan, launch); }

}  // namespace

Status register_cumulate(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops(kSchemas));
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_types<kList>, plan_cumulate<true>, run_cumulate>("portable.CumProd", "CumProd"),
                    make_kernel<accepts_types<kList>, plan_cumulate<false>, run_cumulate>("portable.CumSum", "CumSum"),
                });
}

}  // namespace percale
