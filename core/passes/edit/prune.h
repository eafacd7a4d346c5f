// Finds the nodes that a run needs and drops the others.
#ifndef PERCALE_CORE_PASSES_EDIT_PRUNE_H_
#define PERCALE_CORE_PASSES_EDIT_PRUNE_H_

#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Marks the nodes of `f` that one of `values` or one of the `targets` needs. A node is needed
// through its data, or through a control edge if the earlier node has a lasting effect.
std::vector<bool> needed_nodes(const Graph& graph, const Function& f, const std::vector<ValueId>& values,
                               const std::vector<bool>& targets);

// Reduces `f` to what one kind of run needs. Its inputs become `feeds`, in this order, and its
// outputs become `fetches`. A feed may be any value; the nodes that would have computed it are
// dropped. `targets` are nodes that run for their effects. INVALID_ARGUMENT names an input that is
// needed and not fed, or a feed that is given twice.
Status prune(const Graph& graph, Function& f, const std::vector<ValueId>& feeds, const std::vector<ValueId>& fetches,
             const std::vector<NodeId>& targets);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_EDIT_PRUNE_H_
