// The element types of 8 bits and less that are not plain bytes: float8, float4, and integers of 4 and 2 bits. They are stored
// and moved; arithmetic is done after a Cast.
#ifndef PERCALE_OPS_SUPPORT_SMALL_TYPES_H_
#define PERCALE_OPS_SUPPORT_SMALL_TYPES_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry/kernel.h"
#include "core/tensor/dtype.h"

namespace percale {

inline constexpr DTypeSet kFloat8Types =
    DTypeSet::of(DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ);
inline constexpr DTypeSet kSmallTypes =
    kFloat8Types | DTypeSet::of(DType::kF8E8M0, DType::kF4E2M1, DType::kU4, DType::kI4, DType::kU2, DType::kI2);
// Whatever a tensor of numbers or bools may hold.
inline constexpr DTypeSet kStorable = dtypes::kAny | kSmallTypes;

inline bool is_small(DType dtype) { return kSmallTypes.contains(dtype); }

// The value of an element, given by its bits (the low ones of a byte).
double decode_small(DType dtype, uint8_t bits);

// The bits of the element nearest to a value, ties to even, by ONNX's tables for Cast. `saturate`: what is too large becomes the
// largest (else infinity or NaN). Without NaN in the type, NaN becomes -0. Integers are the low bits of the value cut towards zero.
// f8e8m0, the powers of two, takes the magnitude and rounds as `mode` says: "up", "down" or "nearest".
enum class E8M0Round : uint8_t { kUp, kDown, kNearest };
uint8_t encode_small(DType dtype, double value, bool saturate = true, E8M0Round mode = E8M0Round::kUp);

// Elements [first, first + count) of a tensor of a small type as bytes, one each, and back. Elements of 4 and 2 bits fill a byte
// from its low bits on; for them `first` is a multiple of 4, and pack() writes whole bytes.
void unpack_small(DType dtype, const void* from, int64_t first, int64_t count, uint8_t* to);
void pack_small(DType dtype, const uint8_t* from, int64_t first, int64_t count, void* to);

// Accepts by the type of input 0.
inline Status accepts_small(const NodeView& node) {
  if (is_small(node.dtype(0))) return {};
  return unimplemented("moves float8, float4 and 2- and 4-bit integers alone");
}
inline Status accepts_storable(const NodeView& node) {
  if (kStorable.contains(node.dtype(0))) return {};
  return unimplemented("no code for ", node.dtype(0));
}

// Runs a kernel that moves elements, written for bytes, on small types: those of 8 bits are bytes, the others are unpacked into
// scratch and packed again.
namespace small {

struct Operand {
  DType dtype = DType::kInvalid;  // kInvalid: handed through as it is
  int64_t elements = 0, offset = 0;
};
// `view` with u8 in the place of every small type, and `operands` in the order of inputs and outputs.
NodeView as_bytes(const NodeView& view, std::vector<Operand>& operands);
// Books scratch behind what is booked.
Status book(std::vector<Operand>& operands, KernelPlan& plan);
using Pointers = std::array<void*, kMaxInputs + 8>;
void unpack_inputs(const std::vector<Operand>& operands, size_t num_inputs, const Launch& launch, Pointers& out);
void pack_outputs(const std::vector<Operand>& operands, size_t num_inputs, const Launch& launch, const Pointers& from);

template <class Inner>
struct State {
  Inner inner;
  std::vector<Operand> operands;
  size_t num_inputs;
};
template <auto Plan>
using InnerOf = typename kernel_detail::ResultOf<decltype(Plan(std::declval<const NodeView&>(),
                                                               std::declval<KernelPlan&>()))>::Type;

template <auto Plan>
Result<State<InnerOf<Plan>>> plan(const NodeView& view, KernelPlan& plan) {
  std::vector<Operand> operands;
  const NodeView bytes = as_bytes(view, operands);
  PERCALE_ASSIGN_OR_RETURN(auto inner, Plan(bytes, plan));
  PERCALE_RETURN_IF_ERROR(book(operands, plan));
  return State<InnerOf<Plan>>{std::move(inner), std::move(operands), view.inputs.size()};
}

template <auto Plan, auto Run>
void run(const State<InnerOf<Plan>>& state, const Launch& launch) {
  Pointers operands{};
  unpack_inputs(state.operands, state.num_inputs, launch, operands);
  const percale_launch inner{operands.data(), launch.scratch<char>(), nullptr, &launch.run()};
  Run(state.inner, Launch(inner, state.num_inputs));
  pack_outputs(state.operands, state.num_inputs, launch, operands);
}

}  // namespace small

// The kernel of Plan and Run for small types. `name`: "portable.Op_small".
template <auto Plan, auto Run>
Kernel small_kernel(const char* name, const char* op) {
  return make_kernel<accepts_small, &small::plan<Plan>, &small::run<Plan, Run>>(name, op);
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SMALL_TYPES_H_
