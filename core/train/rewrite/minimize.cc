#include "core/train/rewrite/minimize.h"

#include <algorithm>

#include "core/autodiff/gradients.h"
#include "core/autodiff/row_sparse.h"
#include "core/graph/clone.h"
#include "core/graph/device_hint.h"
#include "core/graph/effects.h"
#include "core/graph/validate.h"
#include "core/train/layers/state_ops.h"
#include "core/train/method/name_pattern.h"
#include "core/train/parallel/split_graph.h"
#include "core/train/parallel/stages.h"
#include "core/train/rewrite/recompute.h"

namespace percale {
namespace {

Variable declaration(const Variable& v) {
  Variable out = v;
  out.initial = Tensor();
  return out;
}

// Returns the trainable variables that the nodes behind `value` read, in the order of the graph's
// variables.
std::vector<Variable> trained_by(const Graph& graph, const Function& f, ValueId value,
                                 const std::vector<std::string>& frozen = {}) {
  const std::vector<bool> used = nodes_behind(f, {value}, false);
  std::vector<Variable> out;
  for (const Variable& v : graph.variables) {
    if (!v.trainable || v.slot || !is_float(v.dtype) || matches_any(frozen, v.name)) continue;
    for (size_t i = 0; i < used.size(); ++i) {
      const Node& node = f.nodes[i];
      if (!used[i] || op_name(*node.op) != "percale:ReadVariable") continue;
      if (node.attributes.get_string("variable") != v.name) continue;
      out.push_back(declaration(v));
      break;
    }
  }
  return out;
}

// Removes moving statistics: they are computed, not trained, even if the graph marks them
// trainable.
void leave_out_statistics(const TrainingForm& form, std::vector<Variable>& parameters) {
  std::erase_if(parameters, [&](const Variable& v) {
    return std::any_of(form.statistics.begin(), form.statistics.end(),
                       [&](const TrainingForm::Statistic& s) { return s.variable == v.name; });
  });
}

Result<ValueId> require_value(const Function& f, std::string_view name) {
  const ValueId id = f.find_value(name);
  if (id == kNoValue) return not_found("function '", f.name, "' has no value '", name, "'");
  return id;
}

Result<ValueId> require_scalar(const Function& f, std::string_view name) {
  PERCALE_ASSIGN_OR_RETURN(const ValueId id, require_value(f, name));
  const ValueType& type = f.type(id);
  if (!is_float(type.dtype) || !compatible(type.shape, Shape{})) {
    return invalid_argument("'", name, "' is ", type.dtype, " ", type.shape, ", wanted a floating-point scalar");
  }
  return id;
}

bool is_coupled(const Node& node) {
  return node.op->has(kBatchCoupled) && node.attributes.get_int("training_mode") != 0;
}

// Returns the gradients of the parameters, as rows where the optimizer takes rows.
Result<std::vector<VariableGradient>> gradients_for(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer,
                                                    const std::vector<Variable>& parameters,
                                                    const std::vector<SplitParameter>& split = {}) {
  std::vector<std::string> names;
  std::vector<bool> by_rows;
  std::vector<size_t> owner;  // per name: its index in `parameters`
  std::vector<ValueId> slices;
  std::vector<std::pair<size_t, const SplitParameter*>> cut;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto is_it = [&](const SplitParameter& s) { return s.variable == parameters[i].name; };
    const auto found = std::find_if(split.begin(), split.end(), is_it);
    if (found != split.end()) {
      cut.emplace_back(i, &*found);
      slices.insert(slices.end(), found->slices.begin(), found->slices.end());
      continue;
    }
    names.push_back(parameters[i].name);
    by_rows.push_back(optimizer.takes_rows(parameters[i]));
    owner.push_back(i);
  }
  PERCALE_ASSIGN_OR_RETURN(const auto made, gradients_of_variables_by_rows(f, {loss}, names, by_rows, slices));
  std::vector<VariableGradient> out(parameters.size());
  for (size_t i = 0; i < names.size(); ++i) {
    out[owner[i]] = made[i];
    if (made[i].rows != kNoValue) PERCALE_RETURN_IF_ERROR(optimizer.check_rows(parameters[owner[i]]));
  }
  // Joins the gradients of parts. The joined gradient is in the host's memory.
  Emitter e(f);
  const std::string device = f.device();
  size_t next = names.size();
  for (const auto& [i, parameter] : cut) {
    std::vector<ValueId> parts;
    for (size_t k = 0; k < parameter->slices.size(); ++k) parts.push_back(made[next++].values);
    f.set_device(parameter->device);
    out[i].values = e.emit("Concat", parts, {{"axis", static_cast<int64_t>(parameter->axis)}},
                           str_cat("gradients/", parameter->variable, "/joined"));
  }
  f.set_device(device);
  PERCALE_RETURN_IF_ERROR(e.status());
  return out;
}

// Clones the forward pass. Each node requests the device of its stage. Nodes that read variables,
// and those that the executor itself runs, request the device where the variables are stored.
Result<std::vector<ValueId>> clone_forward(const Graph& graph, Function& from, FunctionBuilder& to,
                                           const std::vector<ValueId>& inputs, const std::vector<ValueId>& needed,
                                           const ParallelSpec& parallel, const Optimizer& optimizer,
                                           std::vector<SplitParameter>& split) {
  if (parallel.group_size() == 1) return clone_body(from, to, inputs, &needed);
  PERCALE_ASSIGN_OR_RETURN(const auto stages, assign_stages(from, nodes_behind(from, needed), parallel));
  if (parallel.splits > 1) {
    PERCALE_ASSIGN_OR_RETURN(SplitBody body,
                             clone_split(graph, from, to, inputs, needed, stages, parallel,
                                         [&](const Variable& v) { return v.trainable && optimizer.takes_rows(v); }));
    split = std::move(body.parameters);
    return std::move(body.values);
  }
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    Node& node = from.nodes[i];
    if (!names_device(node.device)) node.device = group_hint(stages[i], node.op->has(kRuntime));
  }
  return clone_body(from, to, inputs, &needed);
}

// Returns the predictions that compute can return besides the loss: those with the same inputs and
// pure nodes, so that nothing else changes. Predictions that are not fetched are pruned when a step
// is planned.
std::vector<ValueId> free_predictions(const Function& f, const Objective& objective,
                                      const std::vector<ValueId>& needed) {
  const std::vector<bool> inputs = inputs_behind(f, needed), nodes = nodes_behind(f, needed);
  std::vector<ValueId> out;
  for (const std::string& name : objective.predictions) {
    const ValueId id = f.find_value(name);
    if (id == kNoValue) continue;
    const std::vector<bool> own_inputs = inputs_behind(f, {id}), own_nodes = nodes_behind(f, {id});
    bool free = true;
    for (size_t i = 0; i < inputs.size(); ++i) free = free && (inputs[i] || !own_inputs[i]);
    for (size_t i = 0; i < nodes.size(); ++i) free = free && (nodes[i] || !own_nodes[i] || f.nodes[i].op->has(kPure));
    if (free) out.push_back(id);
  }
  return out;
}

// Builds "train_compute", which computes a shard: the forward pass in training form and the
// backward pass. Its outputs are totals, dense gradients, statistics, row-sparse gradients.
class ComputeBuilder {
 public:
  ComputeBuilder(Builder& b, const Graph& graph, const Objective& objective, const Optimizer& optimizer,
                 const std::vector<std::string>& frozen, TrainGraph& out)
      : b_(b), graph_(graph), objective_(objective), optimizer_(optimizer), frozen_(frozen), out_(out) {}

  // `*forward` receives the number of nodes of the forward pass; the backward pass follows them.
  Status build(bool synchronized, const ParallelSpec& parallel, size_t* forward) {
    form_ = training_form(graph_, graph_.main(), frozen_, synchronized);
    out_.has_shard_barrier = form_.has_shard_barrier;
    PERCALE_RETURN_IF_ERROR(find_totals());
    drop_unused_statistics();
    PERCALE_ASSIGN_OR_RETURN(f_, b_.add_function(kComputeFunction));
    PERCALE_RETURN_IF_ERROR(clone_forward_pass(parallel));
    out_.parameters = trained_by(b_.graph(), f_->function(), outputs_[StepLayout::kLoss], frozen_);
    leave_out_statistics(form_, out_.parameters);
    if (out_.parameters.empty()) {
      return invalid_argument("the loss does not depend on any variable that is trained",
                              frozen_.empty() ? "" : ": 'freeze' excludes all of them");
    }
    for (const Node& node : f_->function().nodes) out_.batch_coupled = out_.batch_coupled || is_coupled(node);
    PERCALE_ASSIGN_OR_RETURN(const std::vector<ValueId> statistics, weigh_statistics());
    *forward = f_->function().nodes.size();
    PERCALE_ASSIGN_OR_RETURN(const std::vector<ValueId> rows, add_gradients());
    outputs_.insert(outputs_.end(), statistics.begin(), statistics.end());
    outputs_.insert(outputs_.end(), rows.begin(), rows.end());
    out_.layout = StepLayout({.totals = wanted_.size(),
                              .gradients = out_.parameters.size() - out_.by_rows.size(),
                              .statistics = statistics.size(),
                              .row_tables = out_.by_rows.size()});
    return set_outputs();
  }

 private:
  // The loss, its weight, and the totals of the metrics.
  Status find_totals() {
    for (const std::string* name : {&objective_.loss_sum, &objective_.loss_weight}) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId id, require_scalar(form_.function, *name));
      wanted_.push_back(id);
    }
    for (const Objective::Metric& m : objective_.metrics) {
      for (const std::string& name : m.totals) {
        PERCALE_ASSIGN_OR_RETURN(const ValueId id, require_value(form_.function, name));
        wanted_.push_back(id);
      }
    }
    return {};
  }

  // Drops statistics of nodes that the loss does not depend on.
  void drop_unused_statistics() {
    const std::vector<bool> used = nodes_behind(form_.function, wanted_);
    std::erase_if(form_.statistics, [&](const TrainingForm::Statistic& s) {
      return !used[static_cast<size_t>(form_.function.value(s.value).def)];
    });
  }

  Status clone_forward_pass(const ParallelSpec& parallel) {
    std::vector<ValueId> needed = wanted_;
    for (const auto& s : form_.statistics) needed.push_back(s.value);
    const std::vector<ValueId> predictions = free_predictions(form_.function, objective_, needed);
    needed.insert(needed.end(), predictions.begin(), predictions.end());
    const std::vector<bool> used = inputs_behind(form_.function, needed);
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < form_.function.inputs.size(); ++i) {
      const Value& v = form_.function.value(form_.function.inputs[i]);
      ValueId input = kNoValue;
      if (used[i]) {
        PERCALE_ASSIGN_OR_RETURN(input, f_->add_input(v.name, v.type.dtype, v.type.shape));
        out_.inputs.push_back(v.name);
      }
      inputs.push_back(input);
    }
    PERCALE_ASSIGN_OR_RETURN(map_,
                             clone_forward(graph_, form_.function, *f_, inputs, needed, parallel, optimizer_, split_));
    for (const SplitParameter& s : split_) out_.split.emplace_back(s.variable, s.form);
    for (ValueId id : wanted_) outputs_.push_back(mapped(id));
    for (ValueId id : predictions) {
      out_.predictions.emplace_back(form_.function.value(id).name, f_->function().value(mapped(id)).name);
    }
    return {};
  }

  // Multiplies each statistic by the shard's share of the rows.
  Result<std::vector<ValueId>> weigh_statistics() {
    std::vector<ValueId> statistics;
    if (form_.statistics.empty()) return statistics;
    out_.shard_fraction = "train/shard_fraction";
    const Variable* first = b_.graph().find_variable(form_.statistics[0].variable);
    PERCALE_ASSIGN_OR_RETURN(const ValueId fraction, f_->add_input(out_.shard_fraction, first->dtype, Shape{}));
    Emitter e(*f_);
    for (const auto& s : form_.statistics) {
      out_.statistics.push_back(declaration(*b_.graph().find_variable(s.variable)));
      statistics.push_back(e.emit("Mul", {mapped(s.value), fraction}));
    }
    PERCALE_RETURN_IF_ERROR(e.status());
    return statistics;
  }

  // Adds the dense gradients to the outputs. Returns the row-sparse ones: rows and values of each.
  Result<std::vector<ValueId>> add_gradients() {
    PERCALE_ASSIGN_OR_RETURN(const auto gradients,
                             gradients_for(*f_, outputs_[StepLayout::kLoss], optimizer_, out_.parameters, split_));
    std::vector<ValueId> rows;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].rows == kNoValue) {
        outputs_.push_back(gradients[i].values);
      } else {
        out_.by_rows.push_back(i);
        rows.push_back(gradients[i].rows);
        rows.push_back(gradients[i].values);
      }
    }
    return rows;
  }

  // Each output needs a name of its own; one value may serve as two outputs.
  Status set_outputs() {
    Emitter e(*f_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto earlier = outputs_.begin() + static_cast<ptrdiff_t>(i);
      if (std::find(outputs_.begin(), earlier, outputs_[i]) != earlier) {
        outputs_[i] = e.emit("Identity", {outputs_[i]});
      }
    }
    PERCALE_RETURN_IF_ERROR(e.status());
    for (ValueId id : outputs_) out_.outputs.push_back(f_->function().value(id).name);
    return f_->set_outputs(outputs_);
  }

  ValueId mapped(ValueId id) const { return map_[static_cast<size_t>(id)]; }

  Builder& b_;
  const Graph& graph_;
  const Objective& objective_;
  const Optimizer& optimizer_;
  const std::vector<std::string>& frozen_;
  TrainGraph& out_;
  FunctionBuilder* f_ = nullptr;
  TrainingForm form_;
  std::vector<ValueId> wanted_;  // the totals, in the model
  std::vector<ValueId> map_;     // values of the model in the new function
  std::vector<SplitParameter> split_;
  std::vector<ValueId> outputs_;  // of the new function
};

Status build_commit(Builder& b, const Optimizer& optimizer, TrainGraph& out) {
  for (const Variable& v : out.parameters) PERCALE_RETURN_IF_ERROR(add_slots(b, optimizer, v));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, b.add_function(kCommitFunction));
  const auto input = [&](const std::string& name, DType dtype, const Shape& shape) {
    out.commit_inputs.push_back(name);
    return f->add_input(name, dtype, shape);
  };
  const DType dtype = out.parameters[0].dtype;
  PERCALE_ASSIGN_OR_RETURN(const ValueId weight, input("train/weight", dtype, Shape{}));
  PERCALE_ASSIGN_OR_RETURN(const ValueId rate, input("train/learning_rate", DType::kF64, Shape{}));
  PERCALE_ASSIGN_OR_RETURN(const ValueId step, input("train/step", DType::kI64, Shape{}));
  Emitter e(*f);
  StepInputs in;
  in.rows.resize(out.parameters.size(), kNoValue);
  for (size_t i = 0; i < out.parameters.size(); ++i) {
    const Variable& v = out.parameters[i];
    if (v.dtype != dtype) {
      return unimplemented("parameters must have the same dtype: '", out.parameters[0].name, "' is ", dtype, ", but '",
                           v.name, "' ", v.dtype);
    }
    ValueId sum = kNoValue;
    if (std::find(out.by_rows.begin(), out.by_rows.end(), i) == out.by_rows.end()) {
      PERCALE_ASSIGN_OR_RETURN(sum, input(str_cat("gradient/", v.name), v.dtype, v.shape));
    }
    in.gradients.push_back(sum);
  }
  std::vector<ValueId> statistics;
  for (const Variable& v : out.statistics) {
    PERCALE_ASSIGN_OR_RETURN(statistics.emplace_back(), input(str_cat("statistic/", v.name), v.dtype, v.shape));
  }
  for (size_t i : out.by_rows) {
    const Variable& v = out.parameters[i];
    Shape shape = v.shape;
    shape[0] = -1;
    PERCALE_ASSIGN_OR_RETURN(const ValueId rows, input(str_cat("rows/", v.name), DType::kI64, Shape{-1}));
    PERCALE_ASSIGN_OR_RETURN(const ValueId values, input(str_cat("gradient/", v.name), v.dtype, shape));
    sum_rows(e, rows, values, &in.rows[i], &in.gradients[i]);
  }
  PERCALE_RETURN_IF_ERROR(e.status());
  in.scale = e.emit("Reciprocal", {weight});
  in.learning_rate = rate;
  in.step = step;
  std::vector<NodeId> assigns = apply_optimizer(e, optimizer, out.parameters, std::move(in));
  for (size_t i = 0; i < statistics.size(); ++i) {
    assigns.push_back(assign_variable(e, out.statistics[i], statistics[i]));
  }
  PERCALE_RETURN_IF_ERROR(e.status());
  for (NodeId id : assigns) out.commit_targets.push_back(f->function().node(id).name);
  return {};
}

}  // namespace

std::vector<NextValue> next_values(const Graph& graph) {
  const Function& f = *graph.find_function(kCommitFunction);
  std::vector<NextValue> out;
  for (const Node& node : f.nodes) {
    if (op_name(*node.op) != "percale:Assign") continue;
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

void sum_rows(Emitter& e, ValueId rows, ValueId values, ValueId* unique, ValueId* sums) {
  const auto both = e.emit_many("percale:SumRows", {rows, values}, 2);
  if (!e.status().ok()) return;
  *unique = both[0];
  *sums = both[1];
}

Result<Model> model_of_mean_loss(const Graph& graph, std::string_view loss) {
  Builder b(graph);
  FunctionBuilder& f = b.main();
  ValueId value = kNoValue;
  for (ValueId id : f.function().outputs) {
    const Value& v = f.function().value(id);
    const bool scalar = is_float(v.type.dtype) && v.type.shape.known_rank() && v.type.shape.rank() == 0;
    if (loss.empty() ? !scalar : v.name != loss) continue;
    if (value != kNoValue)
      return invalid_argument("the graph has several scalar outputs: name the one that is the loss");
    value = id;
  }
  if (value == kNoValue) {
    return loss.empty() ? invalid_argument("the graph has no scalar floating-point output that could be the loss")
                        : not_found("the graph has no output '", loss, "'");
  }
  const std::string name = f.function().value(value).name;
  PERCALE_RETURN_IF_ERROR(require_scalar(f.function(), name).status());
  if (f.function().inputs.empty()) return invalid_argument("the graph has no inputs, so a batch has no rows");
  Emitter e(f);
  f.set_name_prefix("objective/");
  const ValueId shape = e.emit("Shape", {f.function().inputs[0]});
  const ValueId rows =
      e.emit("Cast", {e.emit("Gather", {shape, e.constant(Tensor::scalar(int64_t{0}))})}, {{"to", e.dtype(value)}});
  const ValueId sum = e.emit("Mul", {value, rows});
  f.set_name_prefix("");
  PERCALE_RETURN_IF_ERROR(e.status());
  Model out;
  out.objective.loss_sum = f.function().value(sum).name;
  out.objective.loss_weight = f.function().value(rows).name;
  for (ValueId id : f.function().outputs) {
    if (id != value) out.objective.predictions.push_back(f.function().value(id).name);
  }
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  return out;
}

Result<TrainGraph> build_train_graph(const Model& model, const Optimizer& optimizer,
                                     const std::vector<std::string>& frozen, bool recompute,
                                     const ParallelSpec& parallel, bool synchronized) {
  for (const std::string& pattern : frozen) {
    PERCALE_RETURN_IF_ERROR(check_pattern("freeze", pattern, model.graph->variables));
  }
  for (const ParameterGroup& group : optimizer.groups) {
    PERCALE_RETURN_IF_ERROR(check_pattern("groups", group.pattern, model.graph->variables));
  }
  TrainGraph out;
  Builder b(*model.graph);
  size_t forward = 0;
  ComputeBuilder compute(b, *model.graph, model.objective, optimizer, frozen, out);
  PERCALE_RETURN_IF_ERROR(compute.build(synchronized, parallel, &forward));
  PERCALE_RETURN_IF_ERROR(build_commit(b, optimizer, out));
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  if (!recompute) return out;
  Graph both = *out.graph;
  Function second = *both.find_function(kComputeFunction);
  second.name = kRecomputeFunction;
  both.functions.push_back(std::move(second));
  PERCALE_ASSIGN_OR_RETURN(auto rewritten, recompute_activations(both, kRecomputeFunction, forward));
  out.can_recompute = rewritten != nullptr;
  if (out.can_recompute) out.graph = std::move(rewritten);
  return out;
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

Result<std::string> add_train_step(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer) {
  Builder& b = f.owner();
  if (loss < 0 || static_cast<size_t>(loss) >= f.function().values.size()) {
    return invalid_argument("minimize: the loss ", loss, " is not a value of function '", f.function().name, "'");
  }
  PERCALE_RETURN_IF_ERROR(require_scalar(f.function(), f.function().value(loss).name).status());
  TrainingForm form = training_form(b.graph(), f.function());
  const std::vector<bool> used = nodes_behind(form.function, {loss});
  std::erase_if(form.statistics, [&](const TrainingForm::Statistic& s) {
    return !used[static_cast<size_t>(form.function.value(s.value).def)];
  });
  // Emits the forward pass a second time if its training form differs.
  ValueId target = loss;
  if (form.changed) {
    std::vector<ValueId> needed = {loss};
    for (const auto& s : form.statistics) needed.push_back(s.value);
    f.set_name_prefix("training/");
    const auto cloned = clone_body(form.function, f, form.function.inputs, &needed);
    f.set_name_prefix("");
    PERCALE_RETURN_IF_ERROR(cloned.status());
    target = (*cloned)[static_cast<size_t>(loss)];
    for (auto& s : form.statistics) s.value = (*cloned)[static_cast<size_t>(s.value)];
  }
  std::vector<Variable> parameters = trained_by(b.graph(), f.function(), target);
  leave_out_statistics(form, parameters);
  if (parameters.empty()) return invalid_argument("minimize: the loss depends on no trainable variable");
  PERCALE_ASSIGN_OR_RETURN(const auto gradients, gradients_for(f, target, optimizer, parameters));
  for (const Variable& v : parameters) PERCALE_RETURN_IF_ERROR(add_slots(b, optimizer, v));

  Variable counter;
  counter.name = "train_step/steps";
  counter.dtype = DType::kI64;
  counter.trainable = false;
  counter.slot = true;
  counter.initial = Tensor::scalar(int64_t{0});
  PERCALE_RETURN_IF_ERROR(b.add_variable(counter));
  Emitter e(f);
  const ValueId step =
      e.emit("Add", {read_variable(e, counter), e.constant(Tensor::scalar(int64_t{1}))}, {}, "train_step/next");
  StepInputs in;
  for (const VariableGradient& g : gradients) {
    ValueId rows = kNoValue, values = g.values;
    if (g.rows != kNoValue) sum_rows(e, g.rows, g.values, &rows, &values);
    in.rows.push_back(rows);
    in.gradients.push_back(values);
  }
  in.learning_rate = e.constant(Tensor::scalar(optimizer.learning_rate));
  in.step = step;
  std::vector<NodeId> assigns = apply_optimizer(e, optimizer, parameters, std::move(in));
  for (const auto& s : form.statistics)
    assigns.push_back(assign_variable(e, *b.graph().find_variable(s.variable), s.value));
  PERCALE_RETURN_IF_ERROR(e.status());
  // The last assignment waits for the others, so that it stands for the whole step.
  PERCALE_ASSIGN_OR_RETURN(const NodeId last,
                           f.add_node("percale:Assign", {step}, {{"variable", counter.name}}, 0, "train_step"));
  for (NodeId id : assigns) PERCALE_RETURN_IF_ERROR(f.add_control(id, last));
  return f.function().node(last).name;
}

}  // namespace percale
