// Runs one node, or a function node by node, without a session. Constant folding and tests use it.
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

// Reported instead of a kernel's name if the body of a composite op is evaluated.
inline constexpr std::string_view kBodyKernel = "body";

// Computes the outputs of a pure node from the given inputs (undefined tensors for absent ones) on
// the calling thread. Uses the first kernel of `device_kind` that accepts the node, else the body
// of its op. If `kernel_name` is not empty, uses the kernel of that name. Shapes are inferred from
// the inputs' shapes and values.
Result<std::vector<Tensor>> evaluate_node(const Registry& registry, std::string_view device_kind,
                                          const OpSchema& schema, std::string_view name, const Attributes& attributes,
                                          const std::vector<Tensor>& inputs, size_t num_outputs,
                                          const std::shared_ptr<MemoryPool>& pool, const ParallelFor& parallel = {},
                                          std::string_view kernel_name = {});

// Computes the outputs of a function without state and control flow, node by node.
Result<std::vector<Tensor>> evaluate_function(const Registry& registry, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool);

// Computes the outputs of a function of a validated graph, node by node. This is the reference
// semantics of a graph; tests compare plans with it. If, Loop, Call and Fused are evaluated through
// their functions. Variables have the given values and may only be read. FAILED_PRECONDITION: a
// variable has no given value. UNIMPLEMENTED: any other op without a kernel.
Result<std::vector<Tensor>> evaluate_function(const Graph& graph, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool,
                                              const std::map<std::string, Tensor>& variables = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_EVALUATE_H_
