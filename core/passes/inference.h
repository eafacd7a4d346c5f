// What a graph computes, in the ops of a format that has fewer of them.
#ifndef PERCALE_CORE_PASSES_INFERENCE_H_
#define PERCALE_CORE_PASSES_INFERENCE_H_

#include <functional>
#include <memory>

#include "core/graph/graph.h"

namespace percale {

// A graph with the inputs and outputs of "main" and the same values of them. Calls are dissolved.
// Composite ops that `keeps` refuses become their bodies, and those of their bodies, where the
// known types suffice for it. Dropout outside of training is left out. So is everything that no
// output depends on by data: nodes, functions, variables and changes of variables. Names stay.
// FAILED_PRECONDITION: an output depends on what a variable holds after the run has changed it.
Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph,
                                                     const std::function<bool(const OpSchema&)>& keeps);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_INFERENCE_H_
