// The nodes that read and write variables, in one place.
#ifndef PERCALE_CORE_TRAIN_LAYERS_STATE_OPS_H_
#define PERCALE_CORE_TRAIN_LAYERS_STATE_OPS_H_

#include "core/graph/builder.h"

namespace percale {

// A node that reads the variable.
ValueId read_variable(Emitter& e, const Variable& variable);
// A node that gives the variable its next value; -1 after an error.
NodeId assign_variable(Emitter& e, const Variable& variable, ValueId value);
// The variable that a value reads, also through Identity nodes; null where it reads none.
const Variable* variable_read_by(const Graph& graph, const Function& f, ValueId value);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_STATE_OPS_H_
