// The graph validator. Files, importers and the wire protocol all end here. Code after it trusts
// the graph.
#ifndef PERCALE_CORE_GRAPH_VALIDATE_H_
#define PERCALE_CORE_GRAPH_VALIDATE_H_

#include "core/graph/graph.h"

namespace percale {

// Checks a name of a function, value, node, variable or op: 1 to kMaxNameBytes bytes without
// control characters, so that it fits into messages and listings.
inline constexpr size_t kMaxNameBytes = 4096;
Status check_name(std::string_view name);

// Checks everything that the rest of the core relies on:
// - every index is in range and nodes are in topological order;
// - names are valid and unique;
// - arity, dtypes and attributes match the schemas;
// - value types are compatible with the types that the shape functions infer;
// - functions exist and nest at most kMaxFunctionDepth deep;
// - variables are declared, and read and written with their dtype;
// - "init" provides every variable without an initial value;
// - no size exceeds 2^63 bits.
// It is iterative and takes time linear in the size of the graph, whatever its contents. Errors
// name the location: "function 'main': node 'fc1': input 3: ...".
Status validate(const Graph& graph);

// The part of validate() that makes following indices and calls safe: indices, order, names,
// functions and their nesting. Nodes may lack their ops, and types are not checked.
Status validate_structure(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_VALIDATE_H_
