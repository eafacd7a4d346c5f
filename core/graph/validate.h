// The one validator. File, importer and wire end here; what has passed is trusted by all that follows.
#ifndef PERCALE_CORE_GRAPH_VALIDATE_H_
#define PERCALE_CORE_GRAPH_VALIDATE_H_

#include "core/graph/graph.h"

namespace percale {

// Checks all that the rest of the core relies on: every index in range, nodes in topological order, names unique and
// non-empty, arity, dtypes and attributes by the schemas, value types equal to (or compatible with) what the shape functions
// infer, functions present and nested at most kMaxFunctionDepth, variables declared, read and written with their dtype,
// "init" giving every variable without a first value. Iterative; linear in the size of the graph.
Status validate(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_VALIDATE_H_
