// A graph as text for people and programs.
#ifndef PERCALE_CORE_GRAPH_DESCRIBE_H_
#define PERCALE_CORE_GRAPH_DESCRIBE_H_

#include <string>

#include "core/graph/graph.h"

namespace percale {

// JSON: functions, inputs and outputs of "main", variables, op counts, parameters, bytes of first values and constants.
std::string describe_graph(const Graph& graph);
// JSON: every node of every function with op, inputs, outputs and their types, attributes, device.
std::string describe_nodes(const Graph& graph);
// A drawing of a function: inputs at the top, each node below those that it waits for. RESOURCE_EXHAUSTED for more than
// `max_nodes` nodes: nobody could read it.
Result<std::string> draw_function(const Function& function, size_t max_nodes = 4000);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_DESCRIBE_H_
