// Carries out If, Loop and Call between the programs of a run.
#ifndef PERCALE_CORE_SESSION_CONTROL_H_
#define PERCALE_CORE_SESSION_CONTROL_H_

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/memory.h"
#include "core/graph/graph.h"

namespace percale {

// Runs a function of the graph on these inputs.
using CallFunction =
    std::function<Result<std::vector<Tensor>>(const Function& function, std::span<const Tensor> inputs)>;

// The outputs of a control node. Inputs are undefined if absent.
Result<std::vector<Tensor>> run_control(const Graph& graph, const Node& node, const std::vector<Tensor>& inputs,
                                        const std::shared_ptr<MemoryPool>& memory, const CallFunction& call);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTROL_H_
