#include "core/train/rewrite/trained_gradients.h"

#include <algorithm>
#include <utility>

#include "core/autodiff/gradients.h"
#include "core/graph/clone.h"
#include "core/train/method/name_pattern.h"

namespace percale {

Variable declaration(const Variable& v) {
  Variable out = v;
  out.initial = Tensor();
  return out;
}

std::vector<Variable> trained_by(const Graph& graph, const Function& f, ValueId value,
                                 const std::vector<std::string>& frozen) {
  const std::vector<bool> used = nodes_behind(f, {value}, false);
  std::vector<Variable> out;
  for (const Variable& v : graph.variables) {
    if (!v.trainable || v.slot || !is_float(v.dtype) || matches_any(frozen, v.name)) continue;
    for (size_t i = 0; i < used.size(); ++i) {
      const Node& node = f.nodes[i];
      if (!used[i] || !node.op->is(Role::kReadVariable)) continue;
      if (node.attributes.get_string("variable") != v.name) continue;
      out.push_back(declaration(v));
      break;
    }
  }
  return out;
}

void leave_out_statistics(const TrainingForm& form, std::vector<Variable>& parameters) {
  std::erase_if(parameters, [&](const Variable& v) {
    return std::any_of(form.statistics.begin(), form.statistics.end(),
                       [&](const TrainingForm::Statistic& s) { return s.variable == v.name; });
  });
}

Result<std::vector<VariableGradient>> gradients_for(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer,
                                                    const std::vector<Variable>& parameters,
                                                    const std::vector<SplitParameter>& split) {
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

void sum_rows(Emitter& e, ValueId rows, ValueId values, ValueId* unique, ValueId* sums) {
  const auto both = e.emit_many("percale:SumRows", {rows, values}, 2);
  if (!e.status().ok()) return;
  *unique = both[0];
  *sums = both[1];
}

}  // namespace percale
