// Which kernel runs each node, and in which format each value lies.
#ifndef PERCALE_CORE_PLAN_LAYOUT_H_
#define PERCALE_CORE_PLAN_LAYOUT_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/plan/kernel_choice.h"

namespace percale {

inline constexpr const char* kLayouts = "layouts";  // as a pass that can be switched off

struct PlannedNode {
  std::unique_ptr<PlannedKernel> kernel;
  std::vector<Refusal> refusals;  // of the kernels before it
};

// By the name of the node.
using PlannedNodes = std::map<std::string, PlannedNode, std::less<>>;

// Plans the nodes of one device's part, of which every type is static, in their order. A kernel sees the formats in which
// its inputs lie and says which it wants of its operands; where they differ, a percale:Reorder is put between, one for all
// that want the same. What views, assignments and the outputs of the function show is row-major; an output keeps its name.
// `precomputed`: as precomputable_values() tells of `f`. Without `grant_formats` everything is row-major.
Result<PlannedNodes> plan_nodes(const Graph& graph, Function& f, std::string_view device_kind,
                                const std::vector<bool>& precomputed, bool grant_formats);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_LAYOUT_H_
