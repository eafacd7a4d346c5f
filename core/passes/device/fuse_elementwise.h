// A device pass: groups nodes that one kernel may compute without storing what is between them.
#ifndef PERCALE_CORE_PASSES_DEVICE_FUSE_ELEMENTWISE_H_
#define PERCALE_CORE_PASSES_DEVICE_FUSE_ELEMENTWISE_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace percale {

// What the two passes below are called where passes are listed and switched off.
inline constexpr std::string_view kFuseElementwise = "fuse_elementwise", kInlineFused = "inline_fused";

struct FuseOptions {
  // Let a Conv, Gemm or MatMul be part of the group of what follows it. Without, only elementwise nodes are grouped.
  bool anchors = true;
  // Only groups that a depthwise Conv begins, together with the Conv of 1 x 1 whose result it alone reads, and what stands between them
  // and has one input. What comes before the depthwise one has the shape of its image.
  bool expansions = false;
  // Of these, only where what is between the two takes more: less stays in the cache next to a core.
  int64_t expansion_bytes = int64_t{3} << 20;
  // For the kernels of an accelerator. Nodes of f16 join groups, too: where no kernel takes these, what is f32 around them would be put back
  // with them. Normalisations (BatchNormalization in training) and SoftmaxCrossEntropyGrad are anchors as well; the gradients of normalisations
  // and SoftmaxCrossEntropyLoss end a group. Before a gradient of BatchNormalization stands the ReluGrad that it alone reads, before the
  // others the Cast of what they read, of which each has a copy.
  bool accelerator = false;
  size_t max_nodes = 64;
  size_t max_inputs = 16;
  // Names of nodes that stay as they are, besides those with control edges: somebody outside the function waits for them.
  std::set<std::string, std::less<>> keep = {};
};

// Replaces groups of two nodes or more by `percale:Fused` nodes, whose bodies are added to the functions of `graph`. A group
// is a tree of elementwise nodes of f32, bf16 or f16 of one static shape that ends in one value, and at most one anchor (a Conv, Gemm or
// MatMul, named in the attribute "anchor") of that shape at its beginning; no value within is used outside, but outputs of an anchor
// behind its first, which are outputs of the group behind the one that it ends in. What comes in
// has that shape, one element, or some of its dims that stand side by side, with 1 for those behind them (a row, a number per
// channel); an anchor's own inputs are what they are. One-element
// constants stand in the body. Nodes with control edges, or on another device, stay. `f` is a function outside `graph`, or
// one of its functions: then the reference ends with the call.
Status fuse_elementwise(Graph& graph, Function& f, const FuseOptions& options = {});

// Puts back the bodies of the Fused nodes that `accepted` refuses: those for which no kernel was found.
Status inline_fused(const Graph& graph, Function& f, const std::function<bool(const Node& node)>& accepted);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_DEVICE_FUSE_ELEMENTWISE_H_
