// Arithmetic work of nodes, computed from their shapes.
#ifndef PERCALE_CORE_GRAPH_FLOPS_H_
#define PERCALE_CORE_GRAPH_FLOPS_H_

#include "core/graph/graph.h"

namespace percale {

// Returns the multiplications and additions of a convolution, matrix product, attention or
// recurrent layer, or of a gradient of one; 0 for any other node. Unknown dims count as 1.
double layer_flops(const Function& f, const Node& node);

// The same, but 0 for recurrent layers. The default number of shards of a training follows from
// this sum, so counting more nodes would change the results of trainings.
double product_flops(const Function& f, const Node& node);

// Returns product_flops(), or one per output element of an elementwise node. The body of a Fused
// node is looked up in `graph`.
double node_flops(const Graph& graph, const Function& f, const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_FLOPS_H_
