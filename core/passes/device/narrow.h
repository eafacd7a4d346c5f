// A device pass: products, and what follows them, in bf16.
#ifndef PERCALE_CORE_PASSES_DEVICE_NARROW_H_
#define PERCALE_CORE_PASSES_DEVICE_NARROW_H_

#include <functional>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

inline constexpr std::string_view kNarrow = "narrow";

// What narrow() needs to know.
struct NarrowOptions {
  // Whether the device has a kernel for a node that computes, given with its f32 operands, that is no slower on bf16 ones.
  std::function<bool(const Node& node)> gains;
  // Per value: the same in all runs, as precomputable_values() tells; it is narrowed once.
  std::vector<bool> precomputed = {};
  // Per value: what a variable holds. Small ones, as a bias, are narrowed for the one node that they are for.
  std::vector<bool> variables = {};
};

// Every product of f32 (Conv, ConvTranspose, Gemm, MatMul, LSTM, attention, and the products that are gradients of these) that gains, and does not round
// more than it computes, takes bf16 operands and gives bf16; so do the elementwise nodes, pools and batch normalization behind it that
// gain, the gradients of these, and moves of elements, whose operands are such results, or precomputed. All else stays f32, with Casts between. So do
// inputs, outputs and variables of the function. This changes results: only for who asks for it.
Status narrow(const Graph& graph, Function& f, const NarrowOptions& options);

// Whether a node in bf16 has that operand, or that result, in bf16 as well.
bool narrows_input(const Node& node, size_t input);
bool narrows_output(const Node& node, size_t output);

// A constant of one f32 in bf16.
Tensor narrowed(const Tensor& number);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_DEVICE_NARROW_H_
