#include "core/train/rewrite/train_graph.h"

#include <algorithm>

#include "core/graph/clone.h"
#include "core/graph/device_hint.h"
#include "core/graph/effects.h"
#include "core/train/layers/state_ops.h"
#include "core/train/method/name_pattern.h"
#include "core/train/parallel/split_graph.h"
#include "core/train/parallel/stages.h"
#include "core/train/rewrite/recompute.h"
#include "core/train/rewrite/trained_gradients.h"

namespace percale {
namespace {

bool is_coupled(const Node& node) {
  return node.op->has(kBatchCoupled) && node.attributes.get_int("training_mode") != 0;
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

Result<TrainGraph> build_train_graph(const Model& model, const Optimizer& optimizer,
                                     const std::vector<std::string>& frozen, bool recompute,
                                     const ParallelSpec& parallel, bool synchronized, bool rows_only) {
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
  if (rows_only) {
    std::vector<std::string> tables;
    for (const size_t i : out.by_rows) tables.push_back(out.parameters[i].name);
    PERCALE_ASSIGN_OR_RETURN(out.graph,
                             take_out_lookups(*out.graph, kComputeFunction, tables, out.inputs, &out.lookups));
  }
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

}  // namespace percale
