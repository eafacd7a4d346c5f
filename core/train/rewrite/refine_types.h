// Completes the types of a graph that was built without the values of its shape computations.
#ifndef PERCALE_CORE_TRAIN_REWRITE_REFINE_TYPES_H_
#define PERCALE_CORE_TRAIN_REWRITE_REFINE_TYPES_H_

#include <memory>

#include "core/base/memory.h"
#include "core/graph/graph.h"

namespace percale {

// Infers the types of all values of "main" again, evaluating the small integers that shapes depend
// on. Exporters that do not optimise write dims and axes as nodes, but gradients, layers and
// training forms need ranks and dims. Nodes stay as they are. Returns `graph` if no type changes.
// INVALID_ARGUMENT if a node does not accept the shapes that its inputs will have.
Result<std::shared_ptr<const Graph>> refine_types(std::shared_ptr<const Graph> graph,
                                                  const std::shared_ptr<MemoryPool>& memory);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_REFINE_TYPES_H_
