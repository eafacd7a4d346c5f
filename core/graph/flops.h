// Arithmetic of nodes, counted on paper.
#ifndef PERCALE_CORE_GRAPH_FLOPS_H_
#define PERCALE_CORE_GRAPH_FLOPS_H_

#include "core/graph/graph.h"

namespace percale {

// Multiplications and additions of a convolution, a product of matrices or attention, or of what is a gradient of one; 0 of any other node.
// Unknown dims count as 1.
double product_flops(const Function& f, const Node& node);

// The same and one per element of elementwise nodes; a Fused node's body is looked up in `graph`.
double node_flops(const Graph& graph, const Function& f, const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_FLOPS_H_
