// Runs one node at once, without a session: constant folding and the tests of ops use it.
#ifndef PERCALE_CORE_PLAN_EVALUATE_H_
#define PERCALE_CORE_PLAN_EVALUATE_H_

#include <memory>
#include <vector>

#include "core/base/memory.h"
#include "core/graph/graph.h"
#include "core/plan/kernel_choice.h"

namespace percale {

// The outputs of a pure node for the given inputs (undefined tensors where absent), computed on the calling thread by the
// first kernel of `device_kind` that accepts it, or by the one called `kernel_name` when that is not empty. Shapes are inferred
// from the inputs' shapes and values.
Result<std::vector<Tensor>> evaluate_node(const Registry& registry, std::string_view device_kind,
                                          const OpSchema& schema, std::string_view name,
                                          const Attributes& attributes, const std::vector<Tensor>& inputs,
                                          size_t num_outputs, const std::shared_ptr<MemoryPool>& pool,
                                          const ParallelFor& parallel = {}, std::string_view kernel_name = {});

// The outputs of a function without state and control flow, node by node.
Result<std::vector<Tensor>> evaluate_function(const Registry& registry, std::string_view device_kind,
                                              const Function& function, const std::vector<Tensor>& inputs,
                                              const std::shared_ptr<MemoryPool>& pool);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_EVALUATE_H_
