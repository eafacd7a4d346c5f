// Helpers for float families: a portable kernel is written once for f32 and f64, and a wrapper runs
// f16, bf16 and float8 nodes by widening them to f32.
#ifndef PERCALE_OPS_SUPPORT_FLOAT_KERNELS_H_
#define PERCALE_OPS_SUPPORT_FLOAT_KERNELS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "core/tensor/half.h"
#include "ops/support/small_types.h"

namespace percale {

// Calls f.template operator()<T>() with T = double for kF64, float for every other dtype.
template <class F>
decltype(auto) with_float(DType dtype, F&& f) {
  if (dtype == DType::kF64) return f.template operator()<double>();
  return f.template operator()<float>();
}

// Returns the number of pieces to cut `items` equal items into if each costs `work` scalar
// operations. It depends on sizes alone, never on the number of threads. The result is at least 1.
inline int64_t piece_count(int64_t items, double work) {
  constexpr double kWorkPerPiece = 32768, kMost = 64;
  const double pieces = static_cast<double>(items) * std::max(work, 1.0) / kWorkPerPiece;
  return std::clamp<int64_t>(static_cast<int64_t>(std::min(pieces, kMost)), 1, std::max<int64_t>(items, 1));
}

inline bool is_narrow(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || kFloat8Types.contains(dtype);
}

inline bool has_narrow_operand(const NodeView& view) {
  const auto half = [](const ValueType& t) { return is_narrow(t.dtype); };
  return std::any_of(view.inputs.begin(), view.inputs.end(), half) ||
         std::any_of(view.outputs.begin(), view.outputs.end(), half);
}

// Accepts nodes without an f16, bf16 or float8 operand.
inline Status accepts_full_floats(const NodeView& view) {
  if (has_narrow_operand(view)) return unimplemented("requires f32 or f64");
  return {};
}
// Accepts nodes with at least one f16, bf16 or float8 operand.
inline Status accepts_narrow_floats(const NodeView& view) {
  if (!has_narrow_operand(view)) return unimplemented("requires f16, bf16 or float8");
  return {};
}

// Returns the product of sizes as a floating-point number, for estimates that must not overflow.
template <class... N>
double work_of(N... sizes) {
  return (1.0 * ... * static_cast<double>(sizes));
}

namespace widened {

// Converts from the 16-bit or 8-bit float `half` to f32; narrow() converts back.
inline void widen(DType half, const void* from, float* to, int64_t count) {
  if (half == DType::kF16) {
    for (int64_t i = 0; i < count; ++i) to[i] = to_f32(static_cast<const F16*>(from)[i]);
  } else if (half != DType::kBF16) {
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<float>(decode_small(half, static_cast<const uint8_t*>(from)[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = to_f32(static_cast<const BF16*>(from)[i]);
  }
}
inline void narrow(DType half, const float* from, void* to, int64_t count) {
  if (half == DType::kF16) {
    for (int64_t i = 0; i < count; ++i) static_cast<F16*>(to)[i] = to_f16(from[i]);
  } else if (half != DType::kBF16) {
    for (int64_t i = 0; i < count; ++i) static_cast<uint8_t*>(to)[i] = encode_small(half, static_cast<double>(from[i]));
  } else {
    for (int64_t i = 0; i < count; ++i) static_cast<BF16*>(to)[i] = to_bf16(from[i]);
  }
}

struct Operand {
  DType half = DType::kInvalid;  // kInvalid: passed through unchanged
  int64_t elements = 0, offset = 0;
};

template <class Inner>
struct State {
  Inner inner;
  std::vector<Operand> operands;  // inputs, then outputs
  size_t num_inputs;
};

template <auto Plan>
using InnerOf = typename kernel_detail::ResultOf<decltype(Plan(std::declval<const NodeView&>(),
                                                               std::declval<KernelPlan&>()))>::Type;

template <auto Plan>
Result<State<InnerOf<Plan>>> plan(const NodeView& view, KernelPlan& plan) {
  NodeView wide = view;
  std::vector<Operand> operands;
  const auto widen_type = [&](ValueType& type) {
    Operand& o = operands.emplace_back();
    if (!is_narrow(type.dtype)) return;
    o.half = type.dtype;
    o.elements = type.shape.num_elements();
    type.dtype = DType::kF32;
  };
  for (size_t i = 0; i < wide.inputs.size(); ++i) {
    widen_type(wide.inputs[i]);
    if (operands.back().half != DType::kInvalid && i < wide.values.size()) wide.values[i] = nullptr;
  }
  for (ValueType& type : wide.outputs) widen_type(type);
  PERCALE_ASSIGN_OR_RETURN(auto inner, Plan(wide, plan));
  CheckedSize bytes = round_up(plan.scratch_bytes, 64);
  for (Operand& o : operands) {
    if (o.half == DType::kInvalid) continue;
    o.offset = bytes.value();
    bytes = bytes + (CheckedSize(o.elements) * 4 + 63);
    if (!bytes.valid()) return resource_exhausted("the widened operands exceed 2^63 bytes");
    bytes = bytes.value() & ~int64_t{63};
  }
  plan.scratch_bytes = bytes.value();
  return State<InnerOf<Plan>>{std::move(inner), std::move(operands), view.inputs.size()};
}

template <auto Plan, auto Run>
void run(const State<InnerOf<Plan>>& state, const Launch& launch) {
  std::array<void*, kMaxInputs + 8> operands{};
  char* scratch = launch.scratch<char>();
  const size_t n = std::min(state.operands.size(), operands.size());
  for (size_t i = 0; i < n; ++i) {
    const Operand& o = state.operands[i];
    const bool input = i < state.num_inputs;
    void* given = input ? const_cast<void*>(launch.in<void>(i)) : launch.out<void>(i - state.num_inputs);
    if (o.half == DType::kInvalid || given == nullptr) {
      operands[i] = given;
      continue;
    }
    operands[i] = scratch + o.offset;
    if (input) widen(o.half, given, static_cast<float*>(operands[i]), o.elements);
  }
  const percale_launch inner{operands.data(), scratch, nullptr, &launch.run()};
  Run(state.inner, Launch(inner, state.num_inputs));
  for (size_t i = state.num_inputs; i < n; ++i) {
    const Operand& o = state.operands[i];
    void* given = launch.out<void>(i - state.num_inputs);
    if (o.half == DType::kInvalid || given == nullptr) continue;
    narrow(o.half, static_cast<const float*>(operands[i]), given, o.elements);
  }
}

}  // namespace widened

// Registers the portable kernel made of Plan and Run, which handle f32 and f64, and after it the
// kernel that runs f16, bf16 and float8 by widening. For ops with a fixed number of operands. All
// strings must be literals.
template <auto Plan, auto Run>
[[gnu::always_inline]] inline Status add_float_kernels(Registry& registry, OpName op, const char* domain,
                                                       const char* portable_name, const char* widened_name) {
  PERCALE_RETURN_IF_ERROR(
      registry.add_kernel("cpu", make_kernel<&accepts_full_floats, Plan, Run>(portable_name, op, domain)));
  return registry.add_kernel("cpu", make_kernel<&accepts_narrow_floats, &widened::plan<Plan>, &widened::run<Plan, Run>>(
                                        widened_name, op, domain));
}

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_FLOAT_KERNELS_H_
