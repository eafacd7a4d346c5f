// Counts the arithmetic of a training step from the graph.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_STEP_FLOPS_H_
#define PERCALE_CORE_TRAIN_PARALLEL_STEP_FLOPS_H_

#include "core/graph/graph.h"

namespace percale {

// Returns the floating-point operations of convolutions and matrix products, forward and backward,
// per row of a batch.
double flops_per_row(const Function& f);
double flops_per_row(const Function& f, const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_STEP_FLOPS_H_
