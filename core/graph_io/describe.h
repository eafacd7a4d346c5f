// Descriptions of a graph for people and programs.
#ifndef PERCALE_CORE_GRAPH_IO_DESCRIBE_H_
#define PERCALE_CORE_GRAPH_IO_DESCRIBE_H_

#include <string>

#include "core/graph/graph.h"
#include "core/text/json.h"

namespace percale {

// Returns JSON: functions, inputs and outputs of "main", variables, op counts, parameters, bytes of
// initial values and constants.
std::string describe_graph(const Graph& graph);
// Returns JSON: every node of every function with op, inputs, outputs and their types, attributes,
// device.
std::string describe_nodes(const Graph& graph);
// Writes the value of an attribute as JSON; for a tensor, its dtype and dims.
void write_attribute(JsonWriter& json, const AttrValue& value);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_IO_DESCRIBE_H_
