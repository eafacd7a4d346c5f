// Bitwise ops on integers, and BitCast. Signs do not matter, so the kernels depend on element sizes
// alone.
#include <limits>

#include "ops/support/families.h"
#include "ops/support/kernel_util.h"
#include "ops/support/shape_util.h"
#include "ops/support/small_types.h"
#include "ops/support/strided_copy.h"

namespace percale {
namespace {

// ---- Shapes

Status shape_bit_shift(ShapeContext& context) {
  const std::string_view direction = context.attributes.get_string("direction");
  if (direction != "LEFT" && direction != "RIGHT") {
    return context.error("attribute 'direction' is '", direction, "', wanted LEFT or RIGHT");
  }
  return shape_broadcast(context);
}

Status shape_bit_cast(ShapeContext& context) {
  const int64_t to = context.attributes.get_int("to");
  if (to <= 0 || to >= kNumDTypes || !kStorable.contains(static_cast<DType>(to))) {
    return context.error("attribute 'to' is ", to, ", which is not an element type that tensors can hold");
  }
  const auto dtype = static_cast<DType>(to);
  if (dtype_bits(dtype) != dtype_bits(context.dtype(0))) {
    return context.error("elements of ", context.dtype(0), " and ", dtype, " differ in size");
  }
  context.set_output(0, dtype, context.shape(0));
  return {};
}

// ---- Schemas

constexpr OpRow binary(std::string_view name, std::string_view doc) {
  return {.name = name,
          .since = 18,
          .doc = doc,
          .inputs = {in("A", 'T', dtypes::kInteger), in("B", 'T', dtypes::kInteger)},
          .outputs = {out("C", 'T')},
          .flags = kPure | kElementwise | kCommutative,
          .in_place = {InPlace{0, 0}, InPlace{0, 1}},
          .shape = shape_broadcast,
          .grad = grad::none};
}

constexpr OpRow kSchemas[] = {
    {.name = "BitCast",
     .since = 26,
     .doc = "Reinterprets the bits of each element as an element of dtype 'to', which must have the same size.",
     .inputs = {in("input", 0, kStorable)},
     .attributes = {attr_required("to", AttrKind::kInt)},
     .outputs = {out("output", kStorable)},
     .shape = shape_bit_cast,
     .grad = grad::none},
    {.name = "BitShift",
     .since = 11,
     .doc = "X shifted LEFT or RIGHT by Y bits, broadcast. Zeros are shifted in; a shift by the number of bits or more "
            "gives 0.",
     .inputs = {in("X", 'T', dtypes::kUnsigned), in("Y", 'T', dtypes::kUnsigned)},
     .attributes = {attr_required("direction", AttrKind::kString)},
     .outputs = {out("Z", 'T')},
     .flags = kPure | kElementwise,
     .in_place = {InPlace{0, 0}, InPlace{0, 1}},
     .shape = shape_bit_shift,
     .grad = grad::none},
    binary("BitwiseAnd", "Bitwise and of A and B, broadcast."),
    {.name = "BitwiseNot",
     .since = 18,
     .doc = "Inverts every bit of X.",
     .inputs = {in("X", 'T', dtypes::kInteger)},
     .outputs = {out("Y", 'T')},
     .flags = kPure | kElementwise,
     .in_place = {InPlace{0, 0}},
     .shape = shape_same,
     .grad = grad::none},
    binary("BitwiseOr", "Bitwise or of A and B, broadcast."),
    binary("BitwiseXor", "Bitwise exclusive or of A and B, broadcast."),
};

// ---- Kernels

struct AndOp {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct OrOp {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct XorOp {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct NotOp {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
template <bool kLeft>
struct ShiftOp {
  template <class T>
  T operator()(T a, T b) const {
    if (b >= std::numeric_limits<T>::digits) return 0;
    return static_cast<T>(kLeft ? uint64_t{a} << b : uint64_t{a} >> b);
  }
};

// Calls f.operator()<T>() for the unsigned type of the node's size.
template <class F>
void by_size(const NodeView& node, F&& f) {
  switch (item_bytes(node.dtype(0))) {
    case 1: return f.template operator()<uint8_t>();
    case 2: return f.template operator()<uint16_t>();
    case 4: return f.template operator()<uint32_t>();
    default: return f.template operator()<uint64_t>();
  }
}

template <class Op>
Result<MapPlan> plan_bits(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  by_size(node, [&]<class T>() { row = binary_row<Op, T>; });
  return make_map(node, 2, row);
}
Result<MapPlan> plan_not(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  by_size(node, [&]<class T>() { row = unary_row<NotOp, T>; });
  return make_map(node, 1, row);
}
Result<MapPlan> plan_shift(const NodeView& node, KernelPlan&) {
  RowFn row = nullptr;
  const bool left = node.attributes.get_string("direction") == "LEFT";
  by_size(node, [&]<class T>() { row = left ? binary_row<ShiftOp<true>, T> : binary_row<ShiftOp<false>, T>; });
  return make_map(node, 2, row);
}

struct BitCastPlan {
  ViewPlan view;
  bool to_bool = false;
};
Result<BitCastPlan> plan_bit_cast(const NodeView& node, KernelPlan& booked) {
  PERCALE_ASSIGN_OR_RETURN(const ViewPlan view, plan_view(node, booked));
  return BitCastPlan{view, node.outputs[0].dtype == DType::kBool};
}
void run_bit_cast(const BitCastPlan& plan, const Launch& launch) {
  run_view(plan.view, launch);
  if (!plan.to_bool) return;
  auto* y = launch.out<uint8_t>(0);  // a bool must be 0 or 1
  for (int64_t i = 0; i < plan.view.bytes; ++i) y[i] = y[i] != 0;
}

template <class Op>
[[gnu::always_inline]] inline Kernel bits_kernel(KernelName name) {
  return make_kernel<accepts_types<kIntegerList>, plan_bits<Op>, run_map>(name.text, name.op);
}

}  // namespace

Status register_bitwise(Registry& registry, const simd::SimdTable*) {
  PERCALE_RETURN_IF_ERROR(registry.add_ops<kSchemas>());
  return add_cpu_kernels(
      registry, {
                    make_kernel<accepts_all, plan_bit_cast, run_bit_cast>("portable.BitCast", "BitCast"),
                    make_kernel<accepts_types<kUnsignedList>, plan_shift, run_map>("portable.BitShift", "BitShift"),
                    bits_kernel<AndOp>("portable.BitwiseAnd"),
                    make_kernel<accepts_types<kIntegerList>, plan_not, run_map>("portable.BitwiseNot", "BitwiseNot"),
                    bits_kernel<OrOp>("portable.BitwiseOr"),
                    bits_kernel<XorOp>("portable.BitwiseXor"),
                });
}

}  // namespace percale
