// Runs one node, or a function node by node, without a session: constant folding and tests use it.
#ifndef PERCALE_CORE_PLAN_EVALUATE_H_
#define PERCALE_CORE_PLAN_EVALUATE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/memory.h"
#include "core/graph/graph.h"
#include "core/plan/kernel_choice.h"

namespace percale {

// Stands for a kernel's name where the body of a composite op does the work.
inline constexpr std::string_view kBodyKernel = "body";

// The outputs of a pure node for the given inputs (undefined tensors where absent), computed on the calling thread by the
// first kernel of `device_kind` that accepts it, else by its body, or by the one called `kernel_name` when that is not empty. Shapes are inferred
// from the inputs' shapes and values.
Result<std::vector<Tensor>> evaluate_node(const Registry& registry, std::string_view device_kind,
                                          const OpSchema& schema, std::string_view name, const Attributes& attributes,
                                          const std::vector<Tensor>& inputs, size_t num_outputs,
                                          const std::shared_ptr<MemoryPool>& pool, const ParallelFor& parallel = {},
                                          std::string_view kernel_name = {});

// The outputs of a function without state and control flow, node by node.
Result<std::vector<Tensor>> evaluate_function(const Registry& registry, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool);

// The outputs of a function of a validated graph, node by node: the plain meaning of a graph, against which plans are tested.
// If, Loop, Call and Fused are followed into their functions. Variables have the values given by name and may be read alone:
// FAILED_PRECONDITION for one that is not given, UNIMPLEMENTED for every other op without a kernel.
Result<std::vector<Tensor>> evaluate_function(const Graph& graph, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool,
                                              const std::map<std::string, Tensor>& variables = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_EVALUATE_H_
