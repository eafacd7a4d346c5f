#include "core/train/parameters/ps_commit.h"

#include <algorithm>
#include <utility>

#include "core/train/layers/state_ops.h"
#include "core/train/rewrite/trained_gradients.h"

namespace percale {
namespace {

class PsCommitBuilder {
 public:
  PsCommitBuilder(const TrainGraph& train, const Optimizer& optimizer, const std::vector<ParameterPart>& parts,
                  const std::vector<PsDevice>& devices, bool some)
      : train_(train),
        optimizer_(optimizer),
        parts_(parts),
        devices_(devices),
        squares_apart_(some && optimizer.clip_norm > 0),
        builder_(train.graph->registry) {}

  Result<PsCommit> run() {
    for (const ParameterPart& part : parts_) PERCALE_RETURN_IF_ERROR(add_part(part));
    for (const Variable& v : train_.statistics) PERCALE_RETURN_IF_ERROR(add_variable(v, v.name, {}));
    if (squares_apart_ && !parts_.empty()) PERCALE_RETURN_IF_ERROR(build_squares());
    PERCALE_ASSIGN_OR_RETURN(f_, builder_.add_function(kCommitFunction));
    Emitter e(*f_);
    StepInputs in;
    PERCALE_ASSIGN_OR_RETURN(const ValueId weight, input("train/weight", {}));
    PERCALE_ASSIGN_OR_RETURN(in.learning_rate, input("train/learning_rate", {}));
    PERCALE_ASSIGN_OR_RETURN(in.step, input("train/step", {}));
    PERCALE_RETURN_IF_ERROR(add_gradients(e, in));
    std::vector<ValueId> statistics;
    for (const Variable& v : train_.statistics) {
      PERCALE_ASSIGN_OR_RETURN(statistics.emplace_back(), input(str_cat("statistic/", v.name), {}));
    }
    for (size_t i = 0; squares_apart_ && i < train_.parameters.size(); ++i) {
      const Variable& v = train_.parameters[i];
      PERCALE_ASSIGN_OR_RETURN(in.squares.emplace_back(), f_->add_input(square_name(v), v.dtype, Shape{}));
      out_.input_names.push_back(square_name(v));
    }
    in.scale = e.emit("Reciprocal", {weight});
    for (const ParameterPart& part : parts_) {
      in.names.push_back(train_.parameters[part.parameter].name);
      in.devices.push_back(devices_[part.device].name);
    }
    std::vector<NodeId> assigns = apply_optimizer(e, optimizer_, variables_, std::move(in));
    for (size_t i = 0; i < statistics.size(); ++i) {
      assigns.push_back(assign_variable(e, train_.statistics[i], statistics[i]));
    }
    PERCALE_RETURN_IF_ERROR(e.status());
    return finish(assigns);
  }

 private:
  static std::string square_name(const Variable& parameter) { return str_cat("train/square/", parameter.name); }

  Status build_squares() {
    PERCALE_ASSIGN_OR_RETURN(f_, builder_.add_function(kSquaresFunction));
    Emitter e(*f_);
    StepInputs in;
    PERCALE_ASSIGN_OR_RETURN(const ValueId weight, input("train/weight", {}));
    PERCALE_RETURN_IF_ERROR(add_gradients(e, in));
    in.scale = e.emit("Reciprocal", {weight});
    std::vector<ValueId> squares = gradient_squares(e, optimizer_, std::move(in));
    for (ValueId& id : squares) id = e.emit("Identity", {id});
    PERCALE_RETURN_IF_ERROR(e.status());
    PERCALE_RETURN_IF_ERROR(f_->set_outputs(squares));
    out_.squares.inputs = std::exchange(out_.inputs, {});
    out_.squares.input_names = std::exchange(out_.input_names, {});
    for (const ValueId id : squares) out_.squares.outputs.push_back(f_->function().value(id).name);
    return {};
  }

  // The variable has no first value: the caller provides the state.
  Status add_variable(const Variable& like, const std::string& name, const PsCommit::View& rows) {
    const Variable* whole = train_.graph->find_variable(like.name);
    if (whole == nullptr) return internal_error("the training graph has no variable '", like.name, "'");
    Variable v = *whole;
    v.name = name;
    v.initial = Tensor();
    if (rows.end >= 0) v.shape[0] = rows.end - rows.begin;
    out_.variables.push_back({static_cast<size_t>(whole - train_.graph->variables.data()), rows.begin, rows.end});
    return builder_.add_variable(std::move(v));
  }

  Status add_part(const ParameterPart& part) {
    const Variable& whole = train_.parameters[part.parameter];
    Variable own = whole;
    if (!part.whole()) {
      own.name = str_cat(whole.name, "/part_", part.begin);
      own.shape[0] = part.end - part.begin;
    }
    const PsCommit::View rows{0, part.begin, part.end};
    PERCALE_RETURN_IF_ERROR(add_variable(whole, own.name, rows));
    const auto slots = slot_variables(optimizer_, whole), parts = slot_variables(optimizer_, own);
    for (size_t i = 0; i < slots.size(); ++i) PERCALE_RETURN_IF_ERROR(add_variable(slots[i], parts[i].name, rows));
    variables_.push_back(std::move(own));
    return {};
  }

  // Adds an input of the training graph's commit, or some of its rows.
  Result<ValueId> input(const std::string& of, const PsCommit::View& rows) {
    const auto& all = train_.commit_inputs;
    const auto found = std::find(all.begin(), all.end(), of);
    if (found == all.end()) return internal_error("the commit has no input '", of, "'");
    const Function& commit = *train_.graph->find_function(kCommitFunction);
    ValueType type = commit.type(commit.find_value(of));
    std::string name = of;
    if (rows.end >= 0) {
      type.shape[0] = rows.end - rows.begin;
      name += str_cat("/part_", rows.begin);
    }
    out_.inputs.push_back({static_cast<size_t>(found - all.begin()), rows.begin, rows.end});
    out_.input_names.push_back(name);
    return f_->add_input(name, type.dtype, type.shape);
  }

  Status add_gradients(Emitter& e, StepInputs& in) {
    const bool norms = optimizer_.clip_norm > 0 || optimizer_.clip_each_norm > 0;
    ValueId whole = kNoValue;
    for (const ParameterPart& part : parts_) {
      const Variable& v = train_.parameters[part.parameter];
      const std::string name = str_cat("gradient/", v.name);
      const auto& tables = train_.by_rows;
      ValueId rows = kNoValue, gradient = kNoValue;
      if (std::find(tables.begin(), tables.end(), part.parameter) != tables.end()) {
        PERCALE_ASSIGN_OR_RETURN(rows, input(str_cat("rows/", v.name), {}));
        PERCALE_ASSIGN_OR_RETURN(gradient, input(name, {}));
        sum_rows(e, rows, gradient, &rows, &gradient);
        whole = gradient;
      } else {
        PERCALE_ASSIGN_OR_RETURN(gradient, input(name, {0, part.begin, part.end}));
        if (part.whole() || !norms) {
          whole = gradient;
        } else if (part.begin == 0) {
          PERCALE_ASSIGN_OR_RETURN(whole, input(name, {}));
        }
      }
      in.rows.push_back(rows);
      in.gradients.push_back(gradient);
      in.wholes.push_back(whole);
    }
    return e.status();
  }

  Result<PsCommit> finish(const std::vector<NodeId>& assigns) {
    auto graph = std::make_shared<Graph>(builder_.graph());
    Function& f = *graph->find_function(kCommitFunction);
    const auto on_host = [&](const Node& node) {
      const auto is_it = [&](const PsDevice& d) { return d.name == node.device; };
      const auto found = std::find_if(devices_.begin(), devices_.end(), is_it);
      return found == devices_.end() || found->on_host;
    };
    for (const NodeId id : assigns) {
      const Node& node = f.node(id);
      const Variable* v = graph->find_variable(node.attributes.get_string("variable"));
      out_.updates.push_back(
          {static_cast<size_t>(v - graph->variables.data()), node.name, f.value(node.inputs[0]).name, on_host(node)});
    }
    // Nodes that the executor runs on variables must be in the host's memory.
    for (Node& node : f.nodes) {
      if (node.op->has(kRuntime) && !on_host(node)) node.device.clear();
    }
    out_.graph = std::move(graph);
    return std::move(out_);
  }

  const TrainGraph& train_;
  const Optimizer& optimizer_;
  const std::vector<ParameterPart>& parts_;
  const std::vector<PsDevice>& devices_;
  const bool squares_apart_;
  Builder builder_;
  FunctionBuilder* f_ = nullptr;
  std::vector<Variable> variables_;  // per part
  PsCommit out_;
};

}  // namespace

Result<PsCommit> build_ps_commit(const TrainGraph& train, const Optimizer& optimizer,
                                 const std::vector<ParameterPart>& parts, const std::vector<PsDevice>& devices,
                                 bool some) {
  return PsCommitBuilder(train, optimizer, parts, devices, some).run();
}

Tensor view_of(const Tensor& whole, const PsCommit::View& view) {
  return view.end < 0 ? whole : whole.rows(view.begin, view.end);
}

}  // namespace percale
