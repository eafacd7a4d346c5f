// Describes how functions run inside a run: bodies of control nodes, and the rest of a plan.
#ifndef PERCALE_CORE_COMPILE_BODY_CALL_H_
#define PERCALE_CORE_COMPILE_BODY_CALL_H_

#include <string>
#include <utility>
#include <vector>

#include "core/compile/plan.h"

namespace percale {

// The spec of a function that runs inside a run described by `outer`: all its inputs are fed, all
// its outputs fetched, and all its effects happen.
RunSpec inner_spec(const Graph& graph, const Function& f, const RunSpec& outer);

// Sets ControlNode::bodies. The plan must be complete otherwise.
void plan_bodies(Plan& plan);

// Replaces the inputs of `f` that `reads` names (as RunSpec::reads) by nodes that read variables.
Status read_inputs(const Graph& graph, Function& f, const std::vector<std::pair<std::string, std::string>>& reads);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_BODY_CALL_H_
