// Which nodes a run needs.
#ifndef PERCALE_CORE_PASSES_EDIT_PRUNE_H_
#define PERCALE_CORE_PASSES_EDIT_PRUNE_H_

#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Per node of `f`: whether one of `values` or of the marked nodes needs it. By data; by control edges only where the earlier
// node has a lasting effect.
std::vector<bool> needed_nodes(const Graph& graph, const Function& f, const std::vector<ValueId>& values,
                               const std::vector<bool>& targets);

// Makes of `f` what one kind of run needs: its inputs become `feeds`, in this order, its outputs `fetches`. A feed may be any
// value; what would have computed it goes. `targets` are nodes that run for their effects. INVALID_ARGUMENT names an input
// that is needed and not fed, and a feed given twice.
Status prune(const Graph& graph, Function& f, const std::vector<ValueId>& feeds, const std::vector<ValueId>& fetches,
             const std::vector<NodeId>& targets);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_PRUNE_H_
