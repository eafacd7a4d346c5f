// Splits a function into the segment that can be compiled now and the one that needs computed
// values.
#ifndef PERCALE_CORE_COMPILE_SEGMENT_H_
#define PERCALE_CORE_COMPILE_SEGMENT_H_

#include <vector>

#include "core/compile/plan.h"
#include "core/graph/graph.h"

namespace percale {

// A run carries out `head`, then `control`, then `rest`.
struct Segments {
  Function head;  // every type is static; its outputs are the results
  // Carried out between programs, in this order. The inputs of If and Loop are feeds and results.
  // Ops that wait for other runs may also take outputs of earlier control nodes.
  std::vector<ControlNode> control;
  Function rest;  // has neither nodes nor outputs if nothing is left
  std::vector<ValueSource> rest_inputs;
  std::vector<bool> rest_by_value;   // inputs that shapes depend on
  std::vector<ValueSource> fetches;  // per output of the function
};

// A node belongs to the head if its output types are static, the inputs that its shape function
// reads are constants, and all its predecessors belong to the head.
Segments split_segments(const Function& function);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_SEGMENT_H_
