#include "core/train/rewrite/inference_form.h"

#include "core/graph/clone.h"
#include "core/graph/effects.h"
#include "core/graph/validate.h"
#include "core/passes/edit/edit.h"
#include "core/train/layers/state_ops.h"
#include "core/train/rewrite/objective.h"
#include "core/train/rewrite/train_graph.h"

namespace percale {
namespace {

bool is_true(const Tensor* constant) {
  return constant != nullptr && constant->dtype() == DType::kBool && constant->num_elements() == 1 &&
         constant->span<bool>()[0];
}

bool is_active_dropout(const Function& f, const Node& node) {
  return node.op->is(Role::kDropout) && node.inputs.size() == 3 && is_true(f.constant(node.inputs[2]));
}

bool trains_on_batch(const Graph& graph, const Function& f, const Node& node) {
  return node.op->is(Role::kBatchNormalization) && node.attributes.get_int("training_mode") != 0 &&
         node.inputs.size() == 5 && variable_read_by(graph, f, node.inputs[3]) != nullptr &&
         variable_read_by(graph, f, node.inputs[4]) != nullptr;
}

void drop_last_input(Node& node) {
  node.inputs.pop_back();
  while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
}

// Replaces the outputs running_mean and running_var by the statistics that the node reads.
Status use_running_statistics(const Registry& registry, Function& f, const std::vector<NodeId>& nodes) {
  struct Update {
    ValueId value, statistic;
  };
  std::vector<Update> updates;
  const std::vector<bool> used = used_values(f);
  Edit edit(registry, f);
  for (NodeId id : nodes) {
    for (size_t k = 1; k < f.node(id).outputs.size(); ++k) {
      const Node& node = f.node(id);
      const ValueId value = node.outputs[k];
      if (value == kNoValue || !used[static_cast<size_t>(value)]) continue;
      const ValueId same = edit.emit(id, "Identity", {node.inputs[k + 2]}, {}, str_cat(node.name, "/statistic"));
      updates.push_back({value, same});
    }
  }
  PERCALE_RETURN_IF_ERROR(edit.finish());
  Rewrite rewrite(f);
  for (const Update& update : updates) rewrite.replace(update.value, update.statistic);
  rewrite.apply();
  return {};
}

Status convert_norms(const Registry& registry, Function& f, const std::vector<NodeId>& nodes) {
  std::vector<ValueId> results;  // by value, because node numbers change during the edit
  for (NodeId id : nodes) results.push_back(f.node(id).outputs[0]);
  PERCALE_RETURN_IF_ERROR(use_running_statistics(registry, f, nodes));
  for (ValueId result : results) {
    Node& node = f.node(f.value(result).def);
    node.attributes.set("training_mode", 0);
    node.outputs.resize(1);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Graph>> inference_form(std::shared_ptr<const Graph> graph) {
  const Function& main = graph->main();
  std::vector<NodeId> norms, dropouts;
  for (size_t i = 0; i < main.nodes.size(); ++i) {
    if (trains_on_batch(*graph, main, main.nodes[i])) norms.push_back(static_cast<NodeId>(i));
    if (is_active_dropout(main, main.nodes[i])) dropouts.push_back(static_cast<NodeId>(i));
  }
  if (norms.empty() && dropouts.empty()) return graph;
  auto out = std::make_shared<Graph>(*graph);
  Function& f = out->functions.front();
  for (NodeId id : dropouts) drop_last_input(f.node(id));
  PERCALE_RETURN_IF_ERROR(convert_norms(*graph->registry, f, norms));
  compact(f, std::vector<bool>(f.nodes.size(), true));
  PERCALE_RETURN_IF_ERROR(validate(*out));
  return std::shared_ptr<const Graph>(std::move(out));
}

Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph, const std::vector<std::string>& outputs) {
  if (outputs.empty())
    return failed_precondition("the graph has no output besides the loss, so there is nothing to infer");
  std::vector<ValueId> needed;
  for (const std::string& name : outputs) {
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, require_value(graph.main(), name));
    needed.push_back(id);
  }
  Builder b(graph);
  const std::string temporary = b.free_function_name("inference");
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, b.add_function(temporary));
  const Function& main = graph.main();
  const std::vector<bool> used = inputs_behind(main, needed);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    const Value& v = main.value(main.inputs[i]);
    ValueId input = kNoValue;
    if (used[i]) {
      PERCALE_ASSIGN_OR_RETURN(input, f->add_input(v.name, v.type.dtype, v.type.shape));
    }
    inputs.push_back(input);
  }
  PERCALE_ASSIGN_OR_RETURN(const auto map, clone_body(main, *f, inputs, &needed));
  std::vector<ValueId> results;
  for (size_t i = 0; i < needed.size(); ++i) {
    results.push_back(map[static_cast<size_t>(needed[i])]);
    PERCALE_RETURN_IF_ERROR(f->rename(results.back(), outputs[i]));
  }
  PERCALE_RETURN_IF_ERROR(f->set_outputs(results));

  auto out = std::make_shared<Graph>(b.graph());
  Function reduced = std::move(*out->find_function(temporary));
  reduced.name = kMainFunction;
  out->functions.front() = std::move(reduced);
  std::erase_if(out->functions, [&](const Function& g) {
    return g.name == temporary || g.name == kComputeFunction || g.name == kRecomputeFunction ||
           g.name == kCommitFunction || g.name.empty();
  });
  std::erase_if(out->variables, [](const Variable& v) { return v.slot; });
  PERCALE_RETURN_IF_ERROR(validate(*out));
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale
