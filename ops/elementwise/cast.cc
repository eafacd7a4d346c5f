// Cast, CastLike and Identity.
#include <bit>

#include "ops/support/families.h"
#include "ops/support/grad_util.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"
#include "ops/support/strided_copy.h"

namespace percale {
namespace {

Status shape_cast(ShapeContext& context) {
  const int64_t to = context.attributes.get_int("to");
  const auto dtype = static_cast<DType>(is_valid_dtype(static_cast<int32_t>(to)) ? to : 0);
  if (!kStorable.contains(dtype)) {
    return unimplemented("Cast '", context.node_name, "': 'to' is ", to, " (", dtype,
                         "), wanted a floating-point, integer or bool dtype");
  }
  context.set_output(0, dtype, context.shape(0));
  return {};
}
Status shape_cast_like(ShapeContext& context) {
  context.set_output(0, context.dtype(1), context.shape(0));
  return {};
}

Status grad_identity(GradContext& g) {
  g.set(0, g.grad(0));
  return g.status();
}
// The gradient is zero if either type is not a float, because integers and bools are piecewise
// constant.
Status grad_cast(GradContext& g) {
  const DType from = g.dtype(g.input(0));
  if (g.wants(0) && is_float(from) && is_float(g.dtype(g.output(0)))) g.set(0, cast(g, g.grad(0), from));
  return g.status();
}

constexpr OpRow kSchemas[] = {
    {.name = "Identity",
     .since = 25,
     .doc = "The input unchanged.",
     .inputs = {in("input", 'T', kStorable)},
     .outputs = {out("output", 'T')},
     .flags = kPure | kElementwise | kView,
     .in_place = {InPlace{0, 0}},
     .shape = shape_same,
     .grad = grad_identity,
     .traits = {.role = Role::kIdentity}},
    {.name = "Cast",
     .since = 25,
     .doc = "Converts the input to dtype `to`. Floats round to nearest; to integers they truncate towards zero and "
            "saturate (NaN gives 0). Integers, and floats converted to 4- and 2-bit integers, wrap. To bool, the "
            "result is x != 0. saturate and round_mode apply to float8 as in ONNX; values beyond the range of f4e2m1 "
            "saturate at 6.",
     .inputs = {in("input", 'T', kStorable)},
     .attributes = {attr_required("to", AttrKind::kInt), attr_int("saturate", 1, 0, 1),
                    attr_string("round_mode", "up")},
     .outputs = {out("output", kStorable)},
     .flags = kPure | kElementwise,
     .shape = shape_cast,
     .grad = grad_cast},
    {.name = "CastLike",
     .since = 25,
     .doc = "Converts the input to the dtype of the second operand, as Cast does.",
     .inputs = {in("input", 'T', kStorable), in("target_type", 'U', kStorable)},
     .attributes = {attr_int("saturate", 1, 0, 1), attr_string("round_mode", "up")},
     .outputs = {out("output", 'U')},
     .flags = kPure,
     .shape = shape_cast_like,
     .grad = grad_cast},
};

template <class To, class From>
To convert(From from) {
  const Wide<From> value = widen(from);
  if constexpr (std::is_same_v<To, bool>) {
    return value != Wide<From>{0};
  } else if constexpr (is_float_like<From> && std::is_integral_v<To>) {
    return saturate<To>(value);
  } else if constexpr (std::is_same_v<Wide<To>, To>) {
    return static_cast<To>(value);
  } else if constexpr (sizeof(From) < sizeof(float) || std::is_same_v<From, float>) {
    return narrow<To>(static_cast<float>(value));
  } else {
    return narrow<To>(round_to_odd(static_cast<double>(value)));
  }
}

template <class From, class To>
void cast_row(const Row& row) {
  const From* x = row.x<From>(0);
  To* y = row.y<To>();
  for (int64_t i = 0; i < row.n; ++i) y[i] = convert<To>(x[i]);
}

// Masks the bits of 1 with the bool. Compilers vectorise this, but not a choice between two values.
template <class To>
void cast_bool_row(const Row& row) {
  using Bits = std::conditional_t<
      sizeof(To) == 1, uint8_t,
      std::conditional_t<sizeof(To) == 2, uint16_t, std::conditional_t<sizeof(To) == 4, uint32_t, uint64_t>>>;
  const auto one = std::bit_cast<Bits>(convert<To>(true));
  const uint8_t* x = row.x<uint8_t>(0);
  Bits* y = row.y<Bits>();
  for (int64_t i = 0; i < row.n; ++i) y[i] = static_cast<Bits>(-static_cast<Bits>(x[i]) & one);
}

Result<MapPlan> plan_cast(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  const DType from = node.dtype(0), to = node.outputs[0].dtype;
  dispatch(kAnyList, from,
           [&]<class From>() { dispatch(kAnyList, to, [&]<class To>() { row = cast_row<From, To>; }); });
  if (from == DType::kBool) dispatch(kAnyList, to, [&]<class To>() { row = cast_bool_row<To>; });
  if (from == to) row = copy_row(item_bytes(from));
  return make_map(node, 1, row);
}

// portable.Cast_small runs the other nodes.
Status accepts_cast(const NodeView& node) {
  const DType from = node.dtype(0), to = node.outputs[0].dtype;
  if (dtypes::kAny.contains(from) && dtypes::kAny.contains(to)) return {};
  return unimplemented("no conversion from ", from, " to ", to);
}

}  // namespace

Status register_cast(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(registry,
                         {
                             make_kernel<accepts_storable, plan_view, run_view>("portable.Identity", "Identity"),
                             make_kernel<accepts_cast, plan_cast, run_map>("portable.Cast", "Cast"),
                             make_kernel<accepts_cast, plan_cast, run_map>("portable.CastLike", "CastLike"),
                         });
}

}  // namespace percale
