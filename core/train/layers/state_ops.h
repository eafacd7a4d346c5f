// Creates and finds the nodes that read and write variables.
#ifndef PERCALE_CORE_TRAIN_LAYERS_STATE_OPS_H_
#define PERCALE_CORE_TRAIN_LAYERS_STATE_OPS_H_

#include "core/graph/builder.h"

namespace percale {

// Adds a node that reads the variable.
ValueId read_variable(Emitter& e, const Variable& variable);
// Adds a node that assigns the variable's next value. Returns -1 after an error.
NodeId assign_variable(Emitter& e, const Variable& variable, ValueId value);
// Returns the variable that a value reads, looking through Identity nodes; null if it reads none.
const Variable* variable_read_by(const Graph& graph, const Function& f, ValueId value);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_STATE_OPS_H_
