// A pass context that can evaluate nodes.
#ifndef PERCALE_TESTS_UNIT_PASSES_EVALUATOR_H_
#define PERCALE_TESTS_UNIT_PASSES_EVALUATOR_H_

#include "core/passes/edit/propagate.h"
#include "core/passes/passes.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"
#include "tests/unit/graph_util.h"

namespace percale {

inline PassContext with_evaluator(const std::shared_ptr<const Registry>& registry) {
  PassContext context;
  context.evaluate = [registry](const OpSchema& schema, std::string_view name, const Attributes& attributes,
                                const std::vector<Tensor>& inputs, size_t num_outputs) {
    return evaluate_node(*registry, "cpu", schema, name, attributes, inputs, num_outputs,
                         std::make_shared<MemoryPool>());
  };
  return context;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_PASSES_EVALUATOR_H_
