// Ops that work on the parts of their inputs, so that the parts need not be joined.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_SPLIT_FOLLOW_H_
#define PERCALE_CORE_TRAIN_PARALLEL_SPLIT_FOLLOW_H_

#include "core/train/parallel/split_values.h"

namespace percale {

// Adds a node once per part, if an input is cut and the op can work on the parts: elementwise ops,
// reshapes, transposes, softmax and products by heads. Returns false, and adds nothing, if the node
// needs its inputs whole.
bool follow_parts(SplitValues& values, const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_SPLIT_FOLLOW_H_
