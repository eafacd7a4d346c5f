// The device-free passes, in the order in which they run. Each pass rewrites one function of a
// working copy of a graph. A pass keeps results bit for bit unless its doc line says that it
// changes last bits; then it always produces the same bits.
#ifndef PERCALE_CORE_PASSES_PASSES_H_
#define PERCALE_CORE_PASSES_PASSES_H_

#include <span>

#include "core/passes/edit/pass.h"

namespace percale {

// Returns all device-free passes in the order in which they run.
std::span<const Pass> device_free_passes();

// Runs the passes that are not disabled. Starts again from the first pass if folding has made a
// Call or an If inlinable, or has found shapes that a composite node was waiting for.
Status run_device_free_passes(const Graph& graph, Function& f, PassContext& context);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_PASSES_H_
