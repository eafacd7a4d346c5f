// Splits a function into what can be planned now and what must wait for values that only a run can give.
#ifndef PERCALE_CORE_COMPILE_STAGE_H_
#define PERCALE_CORE_COMPILE_STAGE_H_

#include <vector>

#include "core/compile/plan.h"
#include "core/graph/graph.h"

namespace percale {

struct Stages {
  Function head;  // every type static; its outputs are the results
  // Carried out between programs, in this order. If and Loop: their inputs are feeds and results; ops that wait for other runs
  // may also take what an earlier one gives.
  std::vector<ControlNode> control;
  Function rest;  // no nodes and no outputs: nothing is left
  std::vector<ValueSource> rest_inputs;
  std::vector<bool> rest_by_value;   // inputs that give shapes, sizes, axes: planned by their contents
  std::vector<ValueSource> fetches;  // per output of the function
};

// A node can be planned when its output types are static, the inputs that its shape function reads are constants, and
// nothing that it needs must wait.
Stages split_stages(const Function& function);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_STAGE_H_
