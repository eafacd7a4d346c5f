#include "core/train/parameters/whole_step.h"

#include "core/graph/builder.h"
#include "core/graph/clone.h"

namespace percale {

std::vector<NextValue> next_values(const Graph& graph) {
  const Function& f = *graph.find_function(kCommitFunction);
  std::vector<NextValue> out;
  for (const Node& node : f.nodes) {
    if (!node.op->is(Role::kAssign)) continue;
    const Variable* v = graph.find_variable(node.attributes.get_string("variable"));
    out.push_back({node.inputs[0], f.value(node.inputs[0]).kind == ValueKind::kNode,
                   static_cast<int32_t>(v - graph.variables.data())});
  }
  return out;
}

Status add_whole_step(TrainGraph& train, std::string_view compute_name) {
  Builder b(*train.graph);
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, b.add_function(kStepFunction));
  const Function compute = *train.graph->find_function(compute_name),
                 commit = *train.graph->find_function(kCommitFunction);
  PERCALE_ASSIGN_OR_RETURN(const auto computed, clone_function(compute, *f));
  std::vector<ValueId> outputs;
  for (const std::string& name : train.outputs) {
    for (ValueId id : compute.outputs) {
      if (compute.value(id).name == name) outputs.push_back(computed[static_cast<size_t>(id)]);
    }
  }
  const CommitLayout layout(train.layout);
  std::vector<ValueId> inputs(commit.inputs.size());
  inputs[CommitLayout::kWeight] = outputs[StepLayout::kWeight];
  for (size_t i = layout.updates().begin; i < layout.updates().end(); ++i) inputs[i] = outputs[layout.output_of(i)];
  for (const size_t i : {CommitLayout::kLearningRate, CommitLayout::kStep}) {
    const Value& value = commit.value(commit.inputs[i]);
    PERCALE_ASSIGN_OR_RETURN(inputs[i], f->add_input(value.name, value.type.dtype, value.type.shape));
  }
  std::vector<ValueId> assigned;
  train.step_of.clear();
  for (const NextValue& next : next_values(*train.graph)) {
    assigned.push_back(next.value);
    train.step_of.push_back(next.variable);
  }
  PERCALE_ASSIGN_OR_RETURN(const auto committed, clone_body(commit, *f, inputs, &assigned));
  outputs.resize(train.layout.totals().end());
  Emitter e(*f);
  // An Identity for each, because a value may be assigned twice.
  for (ValueId id : assigned) outputs.push_back(e.emit("Identity", {committed[static_cast<size_t>(id)]}));
  PERCALE_RETURN_IF_ERROR(e.status());
  PERCALE_RETURN_IF_ERROR(f->set_outputs(outputs));
  train.step_inputs = train.inputs;
  if (!train.shard_fraction.empty()) train.step_inputs.push_back(train.shard_fraction);
  for (const size_t i : {CommitLayout::kLearningRate, CommitLayout::kStep}) {
    train.step_inputs.push_back(commit.value(commit.inputs[i]).name);
  }
  for (ValueId id : outputs) train.step_outputs.push_back(f->function().value(id).name);
  PERCALE_ASSIGN_OR_RETURN(train.graph, b.finish());
  return {};
}

}  // namespace percale
