#include "core/train/rewrite/refine_types.h"

#include <algorithm>

#include "core/passes/simplify/simplify.h"
#include "core/plan/evaluate.h"

namespace percale {

Result<std::shared_ptr<const Graph>> refine_types(std::shared_ptr<const Graph> graph,
                                                  const std::shared_ptr<MemoryPool>& memory) {
  PassContext context;
  context.evaluate = [&](const OpSchema& schema, std::string_view name, const Attributes& attributes,
                         const std::vector<Tensor>& inputs, size_t num_outputs) {
    return evaluate_node(*graph->registry, "cpu", schema, name, attributes, inputs, num_outputs, memory);
  };
  const Function& main = graph->main();
  Function refined = main;
  PERCALE_RETURN_IF_ERROR(infer_shapes(*graph, refined, context));
  const auto same_type = [](const Value& a, const Value& b) { return a.type == b.type; };
  if (std::equal(main.values.begin(), main.values.end(), refined.values.begin(), same_type)) return graph;
  auto out = std::make_shared<Graph>(*graph);
  out->functions.front() = std::move(refined);
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale
