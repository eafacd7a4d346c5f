// A device pass that groups nodes which one kernel may compute without storing the values between
// them.
#ifndef PERCALE_CORE_PASSES_DEVICE_FUSE_ELEMENTWISE_H_
#define PERCALE_CORE_PASSES_DEVICE_FUSE_ELEMENTWISE_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace percale {

// The names of the two passes below, for listing and disabling them.
inline constexpr std::string_view kFuseElementwise = "fuse_elementwise", kInlineFused = "inline_fused";

struct FuseOptions {
  // Lets a Conv, Gemm or MatMul anchor the group of nodes behind it. Otherwise only elementwise
  // nodes are grouped.
  bool anchors = true;
  // Builds only groups with a depthwise Conv as anchor and, before it, the pointwise (1 x 1) Conv
  // that feeds it alone. The nodes between the two have one input each. Values before the depthwise
  // Conv have the shape of its input image.
  bool expansions = false;
  // Minimum bytes per image of the value between the two. A smaller value stays in the cache of a
  // core.
  int64_t expansion_bytes = int64_t{3} << 20;
  // Builds groups for the kernels of an accelerator. Nodes of f16 join groups, too; on other
  // devices no kernel takes these, and the f32 nodes around them would be put back with them.
  // Normalisations (BatchNormalization only in training) and SoftmaxCrossEntropyGrad are anchors as
  // well. Gradients of normalisations and SoftmaxCrossEntropyLoss end a group. A gradient of
  // BatchNormalization takes the ReluGrad that feeds it alone into its group; the others take a
  // copy of the Cast that feeds them.
  bool accelerator = false;
  size_t max_nodes = 64;
  size_t max_inputs = 16;
  // Names of further nodes that stay as they are, because other parts of the run wait for them.
  // Nodes with control edges stay in any case.
  std::set<std::string, std::less<>> keep = {};
};

// Replaces groups of two or more nodes by `percale:Fused` nodes and adds their bodies to the
// functions of `graph`. A group is a tree of elementwise nodes of f32, bf16 or f16 with one static
// shape, whose last node is the root. It may start with one anchor of that shape (a Conv, Gemm or
// MatMul, named in the attribute "anchor"). No value within the group is used outside. The further
// outputs of an anchor are exceptions: they become outputs of the group after the root's output.
// Each input has the shape of the group, one element, or some adjacent dims of that shape with 1
// for the dims behind them (a row, a number per channel). The anchor's own inputs are not
// restricted. One-element constants move into the body. Nodes with control edges, or on another
// device, stay. `f` is a function outside of `graph`, or one of its functions; in the latter case
// the reference is invalid after the call.
Status fuse_elementwise(Graph& graph, Function& f, const FuseOptions& options = {});

// Replaces the Fused nodes that `accepted` rejects by their bodies, because no kernel was found for
// them.
Status inline_fused(const Graph& graph, Function& f, const std::function<bool(const Node& node)>& accepted);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_DEVICE_FUSE_ELEMENTWISE_H_
