// A device pass that computes products, and the nodes behind them, in bf16.
#ifndef PERCALE_CORE_PASSES_DEVICE_NARROW_H_
#define PERCALE_CORE_PASSES_DEVICE_NARROW_H_

#include <functional>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

inline constexpr std::string_view kNarrow = "narrow";

// Information about the device and the values that narrow() needs.
struct NarrowOptions {
  // True if the device has a kernel for a node that is no slower on bf16 operands. The node is
  // passed with its f32 operands.
  std::function<bool(const Node& node)> gains;
  // Per value: true if it is the same in all runs, as precomputable_values() reports. It is rounded
  // only once.
  std::vector<bool> precomputed = {};
  // Per value: true if a variable holds it. A small one, such as a bias, is rounded for the one
  // node that uses it.
  std::vector<bool> variables = {};
};

// Lets f32 products take bf16 operands and return bf16: Conv, ConvTranspose, Gemm, MatMul, LSTM,
// attention, and the products in their gradients. A product is narrowed only if it gains by that
// and computes more than it rounds. Elementwise nodes, pools and batch normalization behind it
// follow if they gain, and so do their gradients and moves of elements, if their operands are such
// results or precomputed values. All other nodes stay f32, with Casts between. Inputs, outputs and
// variables of the function stay f32, too. This changes results, so it runs only if the user asks
// for it.
Status narrow(const Graph& graph, Function& f, const NarrowOptions& options);

// True if a bf16 node has this operand (or this result) in bf16 as well.
bool narrows_input(const Node& node, size_t input);
bool narrows_output(const Node& node, size_t output);

// Rounds a one-element f32 constant to bf16.
Tensor narrowed(const Tensor& number);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_DEVICE_NARROW_H_
