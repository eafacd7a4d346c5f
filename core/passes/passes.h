// The device-free passes in their order. Each rewrites a function of a working copy of a graph. It keeps the result bit for
// bit, or, where its doc line says so, up to the last bits; it then always gives the same last bits.
#ifndef PERCALE_CORE_PASSES_PASSES_H_
#define PERCALE_CORE_PASSES_PASSES_H_

#include <span>

#include "core/passes/edit/pass.h"

namespace percale {

// Returns all device-free passes in the order in which they run.
std::span<const Pass> device_free_passes();

// Runs the passes that are not disabled. Starts again from the first one when folding has found the branch that an If takes.
Status run_device_free_passes(const Graph& graph, Function& f, PassContext& context);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_PASSES_H_
