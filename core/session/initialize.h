// First values of variables.
#ifndef PERCALE_CORE_SESSION_INITIALIZE_H_
#define PERCALE_CORE_SESSION_INITIALIZE_H_

#include <memory>

#include "core/engine/engine.h"
#include "core/state/variables.h"

namespace percale {

// A table of the graph's variables with their first values: their own tensors, and what the
// function "init" computes from `seed` for the others.
Result<std::shared_ptr<Variables>> initialize_variables(const std::shared_ptr<Engine>& engine,
                                                        const std::shared_ptr<const Graph>& graph, int64_t seed);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_INITIALIZE_H_
