// Chooses the kernel of each node and the format of each value.
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

// The name by which layouts are disabled, like a pass.
inline constexpr const char* kLayouts = "layouts";

struct PlannedNode {
  std::unique_ptr<PlannedKernel> kernel;
  std::vector<Refusal> refusals;  // of the kernels earlier in the list
};

// Keyed by the name of the node.
using PlannedNodes = std::map<std::string, PlannedNode, std::less<>>;

// Plans the nodes of one device's part in order; all types must be static. A kernel sees the
// formats of its inputs and requests formats for its operands. If the two differ, a percale:Reorder
// is inserted, and users of the same format share it. Inputs of views and assignments, and outputs
// of the function, are row-major; an output keeps its name. `precomputed` is the result of
// precomputable_values() for `f`. Without `grant_formats` everything is row-major.
Result<PlannedNodes> plan_nodes(const Graph& graph, Function& f, std::string_view device_kind,
                                const std::vector<bool>& precomputed, bool grant_formats);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_LAYOUT_H_
