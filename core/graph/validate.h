// The one validator. File, importer and wire end here; what has passed is trusted by all that follows.
#ifndef PERCALE_CORE_GRAPH_VALIDATE_H_
#define PERCALE_CORE_GRAPH_VALIDATE_H_

#include "core/graph/graph.h"

namespace percale {

// Names of functions, values, nodes, variables, ops: 1 to kMaxNameBytes bytes, no control characters, so that a message or a
// line of a listing can hold them.
inline constexpr size_t kMaxNameBytes = 4096;
Status check_name(std::string_view name);

// Checks all that the rest of the core relies on: every index in range, nodes in topological order, names good and unique, arity, dtypes and attributes by the schemas, value types equal to (or compatible with) what the shape functions
// infer, functions present and nested at most kMaxFunctionDepth, variables declared, read and written with their dtype,
// "init" giving every variable without a first value, no size beyond 2^63 bits. Iterative, and linear in the size of the graph
// whatever it says. Errors name the place: "function 'main': node 'fc1': input 3: ...".
Status validate(const Graph& graph);

// The part of it that makes following indices and calls safe: indices, order, names, functions and how they nest. Nodes may lack
// their ops, and nothing is said of types.
Status validate_structure(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_VALIDATE_H_
