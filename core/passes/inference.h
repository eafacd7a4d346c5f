// What a graph computes, in the ops of a format that has fewer of them.
#ifndef PERCALE_CORE_PASSES_INFERENCE_H_
#define PERCALE_CORE_PASSES_INFERENCE_H_

#include <functional>
#include <memory>

#include "core/graph/graph.h"

namespace percale {

// A graph with the inputs and outputs of "main", and the same values of them. Calls are dissolved; composite ops that `keeps`
// refuses become their bodies, and those of their bodies, where the types that are known suffice for it; what no output
// depends on by data is left out, with functions, variables and changes of variables among it. FAILED_PRECONDITION where an
// output depends on what a variable holds only after the run has changed it. Names stay.
Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph,
                                                     const std::function<bool(const OpSchema&)>& keeps);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_INFERENCE_H_
