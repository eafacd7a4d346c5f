// How control nodes run their bodies.
#ifndef PERCALE_CORE_COMPILE_BODY_CALL_H_
#define PERCALE_CORE_COMPILE_BODY_CALL_H_

#include <string>
#include <utility>
#include <vector>

#include "core/compile/plan.h"

namespace percale {

// The spec of a function that runs inside a run described by `outer`: all its inputs are fed, all its
// outputs fetched, and all its effects happen.
RunSpec inner_spec(const Graph& graph, const Function& f, const RunSpec& outer);

// Fills in ControlNode::bodies of a plan that is complete otherwise.
void plan_bodies(Plan& plan);

// Nodes that read variables take the place of the inputs of `f` that RunSpec::reads names.
Status read_inputs(const Graph& graph, Function& f, const std::vector<std::pair<std::string, std::string>>& reads);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_BODY_CALL_H_
