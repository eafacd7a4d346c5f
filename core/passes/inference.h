// Reduces a graph to what "main" computes, for formats with fewer ops.
#ifndef PERCALE_CORE_PASSES_INFERENCE_H_
#define PERCALE_CORE_PASSES_INFERENCE_H_

#include <functional>
#include <memory>

#include "core/graph/graph.h"

namespace percale {

// Returns a graph in which "main" has the same inputs, outputs and results. Calls are inlined. A
// composite op that `keeps` rejects is replaced by its body, repeatedly, if the known types suffice
// for that. Dropout outside of training is dropped. Everything that no output depends on by data is
// dropped, too: nodes, functions, variables and assignments. Names stay. FAILED_PRECONDITION: an
// output depends on a variable's value after the run has changed it.
Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph,
                                                     const std::function<bool(const OpSchema&)>& keeps);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_INFERENCE_H_
