// Arithmetic work of nodes, computed from their shapes.
#ifndef PERCALE_CORE_GRAPH_FLOPS_H_
#define PERCALE_CORE_GRAPH_FLOPS_H_

#include "core/graph/graph.h"

namespace percale {

// Returns the multiplications and additions of a convolution, matrix product or attention, or of a
// gradient of one; 0 for any other node. Unknown dims count as 1.
double product_flops(const Function& f, const Node& node);

// The same, plus one per output element of elementwise nodes. The body of a Fused node is looked up
// in `graph`.
double node_flops(const Graph& graph, const Function& f, const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_FLOPS_H_
