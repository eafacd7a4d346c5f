// Element types of at most 8 bits that are not plain bytes: float8, float4, and integers of 4 and 2
// bits. They are stored, moved and cast. Arithmetic requires a Cast to a wider type first.
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
// All element types that a tensor of numbers or bools can have.
inline constexpr DTypeSet kStorable = dtypes::kAny | kSmallTypes;

inline bool is_small(DType dtype) { return kSmallTypes.contains(dtype); }

// Returns the value of an element from its bits, which are the low bits of `bits`.
double decode_small(DType dtype, uint8_t bits);

// Returns the bits of the element nearest to a value, ties to even, following ONNX's tables for
// Cast. With `saturate`, too large values become the largest finite one, else infinity or NaN. NaN
// becomes -0 in a type without NaN.
//
// Integers are the low bits of the value truncated towards zero. f8e8m0 holds powers of two: it
// takes the magnitude and rounds as `mode` says.
enum class E8M0Round : uint8_t { kUp, kDown, kNearest };
uint8_t encode_small(DType dtype, double value, bool saturate = true, E8M0Round mode = E8M0Round::kUp);

// Unpacks elements [first, first + count) of a tensor of a small type to one byte each;
// pack_small() does the reverse. Elements of 4 and 2 bits fill a byte from its low bits up. For
// these types `first` is a multiple of 4, and pack_small() writes whole bytes.
void unpack_small(DType dtype, const void* from, int64_t first, int64_t count, uint8_t* to);
void pack_small(DType dtype, const uint8_t* from, int64_t first, int64_t count, void* to);

// Accepts nodes by the dtype of input 0.
inline Status accepts_small(const NodeView& node) {
  if (is_small(node.dtype(0))) return {};
  return unimplemented("requires float8, float4, or 2- or 4-bit integers");
}
inline Status accepts_storable(const NodeView& node) {
  if (kStorable.contains(node.dtype(0))) return {};
  return unimplemented("no code for ", node.dtype(0));
}

// Runs a kernel that moves elements, written for bytes, on small types. Elements of 8 bits are used
// in place as bytes. Smaller ones are unpacked into scratch and packed again afterwards.
namespace small {

struct Operand {
  DType dtype = DType::kInvalid;  // kInvalid: passed through unchanged
  int64_t elements = 0, offset = 0;
};
// Returns `view` with u8 in place of every small type. `operands` receives one entry per input,
// then per output.
NodeView as_bytes(const NodeView& view, std::vector<Operand>& operands);
// Reserves scratch for the unpacked operands after the scratch that is already reserved.
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

// Returns the kernel of Plan and Run for small types. `name` has the form "portable.Op_small".
template <auto Plan, auto Run>
[[gnu::always_inline]] inline Kernel small_kernel(const char* name, OpName op) {
  return make_kernel<accepts_small, &small::plan<Plan>, &small::run<Plan, Run>>(name, op);
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SMALL_TYPES_H_
