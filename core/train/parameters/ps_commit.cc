#include "core/train/parameters/ps_commit.h"

#include <algorithm>
#include <map>
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
    const std::vector<ValueId> rows = in.rows;
    std::vector<NodeId> assigns = apply_optimizer(e, optimizer_, variables_, std::move(in));
    give_changed_rows(e, rows, assigns);
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

  // Adds an input of the training graph's commit, or some of its rows; `any`: as many as a step
  // gives.
  Result<ValueId> input(const std::string& of, const PsCommit::View& rows, bool any = false) {
    const auto& all = train_.commit_inputs;
    const auto found = std::find(all.begin(), all.end(), of);
    if (found == all.end()) return internal_error("the commit has no input '", of, "'");
    const Function& commit = *train_.graph->find_function(kCommitFunction);
    ValueType type = commit.type(commit.find_value(of));
    std::string name = of;
    if (rows.end >= 0) {
      if (!any) type.shape[0] = rows.end - rows.begin;
      name += str_cat("/part_", rows.begin);
    }
    out_.inputs.push_back({static_cast<size_t>(found - all.begin()), rows.begin, rows.end});
    out_.input_names.push_back(name);
    return f_->add_input(name, type.dtype, type.shape);
  }

  bool is_table(const ParameterPart& part) const {
    return std::find(train_.by_rows.begin(), train_.by_rows.end(), part.parameter) != train_.by_rows.end();
  }

  bool has_norms() const { return optimizer_.clip_norm > 0 || optimizer_.clip_each_norm > 0; }

  Status add_gradients(Emitter& e, StepInputs& in) {
    out_.tables.clear();  // kSquaresFunction has the same
    ValueId whole = kNoValue;
    for (const ParameterPart& part : parts_) {
      const std::string name = str_cat("gradient/", train_.parameters[part.parameter].name);
      ValueId rows = kNoValue, gradient = kNoValue;
      if (is_table(part)) {
        PERCALE_RETURN_IF_ERROR(add_table(e, part, &rows, &gradient, &whole));
      } else {
        PERCALE_ASSIGN_OR_RETURN(gradient, input(name, {0, part.begin, part.end}));
        if (part.whole() || !has_norms()) {
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

  // The changed rows of a part, each once, added up on the part's device, unless the host changes
  // the sums before they are applied. With the first part `*whole` becomes the gradient of the
  // whole table, on the host.
  Status add_table(Emitter& e, const ParameterPart& part, ValueId* rows, ValueId* gradient, ValueId* whole) {
    const std::string& name = train_.parameters[part.parameter].name;
    const std::string rows_name = str_cat("rows/", name), values_name = str_cat("gradient/", name);
    const PsDevice& device = devices_[part.device];
    const bool on_device = !device.on_host && optimizer_.clip_value == 0 && optimizer_.clip_each_norm == 0;
    const PsCommit::View view{0, part.begin, part.end};
    const size_t first = out_.inputs.size();
    if (!part.whole()) out_.tables.push_back({first, first + 1, part.begin, part.end});
    PERCALE_ASSIGN_OR_RETURN(ValueId all_rows, input(rows_name, view, true));
    PERCALE_ASSIGN_OR_RETURN(ValueId all, input(values_name, view, true));
    if (on_device) f_->set_device(device.name);
    sum_rows(e, all_rows, all, rows, gradient);
    f_->set_device("");
    if (!has_norms() || (part.whole() && !on_device)) {
      *whole = *gradient;
    } else if (part.begin == 0) {
      if (!part.whole()) {
        PERCALE_ASSIGN_OR_RETURN(all_rows, input(rows_name, {}));
        PERCALE_ASSIGN_OR_RETURN(all, input(values_name, {}));
      }
      sum_rows(e, all_rows, all, &all_rows, whole);
    }
    return e.status();
  }

  // Devices with memory of their own give the changed rows of tables. `rows`: of each part.
  void give_changed_rows(Emitter& e, const std::vector<ValueId>& rows, const std::vector<NodeId>& assigns) {
    for (size_t i = 0; i < parts_.size() && e.status().ok(); ++i) {
      const PsDevice& device = devices_[parts_[i].device];
      if (rows[i] == kNoValue || device.on_host) continue;
      const size_t values = assigns.size() / parts_.size();
      f_->set_device(device.name);
      // Unused rows give row 0.
      const ValueId from = e.emit("Max", {rows[i], e.constant(Tensor::scalar(int64_t{0}))});
      for (size_t k = i * values; k < (i + 1) * values && e.status().ok(); ++k) {
        const ValueId changed = e.emit("Gather", {f_->function().node(assigns[k]).inputs[0], from}, {{"axis", 0}});
        row_values_[assigns[k]] = {rows[i], changed};
      }
      f_->set_device("");
    }
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
      PsCommit::Update& update = out_.updates.emplace_back();
      update = {static_cast<size_t>(v - graph->variables.data()), node.name, f.value(node.inputs[0]).name,
                on_host(node)};
      const auto changed = row_values_.find(id);
      if (changed == row_values_.end()) continue;
      update.rows = f.value(changed->second.first).name;
      update.row_values = f.value(changed->second.second).name;
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
  // Per assignment by rows: numbers, values.
  std::map<NodeId, std::pair<ValueId, ValueId>> row_values_;
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
