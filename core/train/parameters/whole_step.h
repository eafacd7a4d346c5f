// A training step as one function, for parameters that stay on the device that computes.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_WHOLE_STEP_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_WHOLE_STEP_H_

#include <string_view>
#include <vector>

#include "core/train/rewrite/train_graph.h"

namespace percale {

// A value that kCommitFunction assigns.
struct NextValue {
  ValueId value;     // in kCommitFunction
  bool computed;     // by a node of the function; false: it is an input
  int32_t variable;  // index in the graph
};
std::vector<NextValue> next_values(const Graph& graph);

// Adds kStepFunction, which computes one shard, passes the result to the commit, and returns the
// values that the commit would assign. `compute` is kComputeFunction or kRecomputeFunction.
Status add_whole_step(TrainGraph& train, std::string_view compute);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_WHOLE_STEP_H_
