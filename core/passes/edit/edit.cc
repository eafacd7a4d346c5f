#include "core/passes/edit/edit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/graph/builder.h"
#include "core/graph/effects.h"
#include "core/graph/infer.h"

namespace percale {

Edit::Edit(const Registry& registry, Function& f)
    : registry_(registry),
      f_(f),
      names_(f),
      users_(f.values.size()),
      is_output_(f.values.size(), false),
      in_order_(f.nodes.size(), false) {
  for (ValueId v : f.outputs) is_output_[static_cast<size_t>(v)] = true;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    for (ValueId v : f.nodes[i].inputs) {
      if (v != kNoValue) users_[static_cast<size_t>(v)].push_back(static_cast<NodeId>(i));
    }
    if (!f.nodes[i].control.empty()) in_order_[i] = true;
    for (NodeId c : f.nodes[i].control) in_order_[static_cast<size_t>(c)] = true;
  }
}

const Node* Edit::maker(ValueId id) const {
  if (id == kNoValue) return nullptr;
  const Value& value = f_.value(id);
  return value.kind == ValueKind::kNode && value.output == 0 && value.def >= 0 ? &f_.node(value.def) : nullptr;
}

const Node* Edit::maker(ValueId id, std::string_view op) const {
  const Node* node = maker(id);
  return node != nullptr && node->op->domain.empty() && node->op->name == op ? node : nullptr;
}

std::optional<double> Edit::number(ValueId id) const {
  const Tensor* t = id == kNoValue ? nullptr : f_.constant(id);
  if (t == nullptr || t->num_elements() != 1) return std::nullopt;
  if (t->dtype() == DType::kF32) return t->span<float>()[0];
  if (t->dtype() == DType::kF64) return t->span<double>()[0];
  return std::nullopt;
}

bool Edit::is_number(ValueId id, double wanted) const {
  const std::optional<double> value = number(id);
  // Exporters write such a number after a few roundings in f32.
  return value && std::abs(*value - wanted) <= 4e-7 * std::abs(wanted);
}

std::vector<int64_t> Edit::integers(ValueId id) const {
  const Tensor* t = id == kNoValue ? nullptr : f_.constant(id);
  if (t == nullptr || (t->dtype() != DType::kI64 && t->dtype() != DType::kI32)) return {};
  return to_int64s(*t);
}

bool Edit::closed(std::span<const NodeId> nodes, std::span<const NodeId> roots) const {
  const std::string& device = f_.node(roots[0]).device;
  const auto has = [](std::span<const NodeId> list, NodeId id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  const auto is_part = [&](NodeId id) { return has(roots, id) || has(nodes, id); };
  for (NodeId id : roots) {
    if (in_order_[static_cast<size_t>(id)] || f_.node(id).device != device) return false;
  }
  for (NodeId id : nodes) {
    if (has(roots, id)) continue;
    const Node& node = f_.node(id);
    if (in_order_[static_cast<size_t>(id)] || node.device != device) return false;
    for (ValueId v : node.outputs) {
      if (v == kNoValue) continue;
      const auto& users = users_[static_cast<size_t>(v)];
      if (is_output_[static_cast<size_t>(v)] || !std::all_of(users.begin(), users.end(), is_part)) return false;
    }
  }
  return true;
}

NodeId Edit::sole_user(ValueId id) const {
  const auto& users = users_[static_cast<size_t>(id)];
  return !is_output_[static_cast<size_t>(id)] && users.size() == 1 ? users[0] : -1;
}

const OpSchema* Edit::schema(std::string_view op) const {
  const size_t colon = op.find(':');
  if (colon == std::string_view::npos) return registry_.find_op("", op);
  return registry_.find_op(op.substr(0, colon), op.substr(colon + 1));
}

ValueId Edit::constant(Tensor tensor, std::string_view name) {
  const auto id = static_cast<ValueId>(f_.values.size());
  f_.values.push_back({names_.value(name),
                       {tensor.dtype(), tensor.shape()},
                       ValueKind::kConstant,
                       static_cast<int32_t>(f_.constants.size()),
                       0});
  f_.constants.push_back(std::move(tensor));
  users_.emplace_back();
  is_output_.push_back(false);
  return id;
}

ValueId Edit::ints(const std::vector<int64_t>& values) {
  return constant(Tensor::vector(std::span<const int64_t>(values)), "ints");
}

std::vector<ValueId> Edit::emit_many(NodeId before, std::string_view op, const std::vector<ValueId>& inputs,
                                     size_t count, Attributes attributes, std::string_view name) {
  std::vector<ValueId> outputs(count, kNoValue);
  if (!status_.ok()) return outputs;
  const auto make = [&]() -> Status {
    const OpSchema* op_schema = schema(op);
    if (op_schema == nullptr) return not_found("no op '", op, "'");
    const std::string free = names_.node(name.empty() ? op_schema->name : name);
    std::vector<ValueType> types;
    std::vector<const Tensor*> values;
    for (ValueId v : inputs) {
      types.push_back(v == kNoValue ? ValueType{} : f_.type(v));
      values.push_back(v == kNoValue ? nullptr : f_.constant(v));
    }
    PERCALE_ASSIGN_OR_RETURN(
        const auto out, infer_node(*op_schema, free, std::move(types), std::move(values), count, attributes, nullptr));
    for (size_t i = 0; i < count; ++i) {
      outputs[i] = static_cast<ValueId>(f_.values.size());
      // finish() sets the maker, when all nodes have their final position.
      f_.values.push_back({names_.value(free), out[i], ValueKind::kNode, -1, static_cast<int32_t>(i)});
      users_.emplace_back();
      is_output_.push_back(false);
    }
    for (ValueId v : inputs) {
      // the user is not part of any pattern
      if (v != kNoValue) users_[static_cast<size_t>(v)].push_back(-1);
    }
    changed_ = true;
    emitted_.push_back(
        {before, Node{free, op_schema, inputs, outputs, {}, std::move(attributes), f_.node(before).device}});
    return {};
  };
  status_ = make();
  return outputs;
}

void Edit::become(NodeId id, std::string_view op, std::vector<ValueId> inputs, Attributes attributes) {
  if (!status_.ok()) return;
  const OpSchema* op_schema = schema(op);
  if (op_schema == nullptr) {
    status_ = not_found("no op '", op, "'");
    return;
  }
  Node& node = f_.node(id);
  for (ValueId v : node.inputs) {
    if (v != kNoValue) std::erase(users_[static_cast<size_t>(v)], id);
  }
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  for (ValueId v : inputs) {
    if (v != kNoValue) users_[static_cast<size_t>(v)].push_back(id);
  }
  node.op = op_schema;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  changed_ = true;
}

Status Edit::finish() {
  PERCALE_RETURN_IF_ERROR(std::move(status_));
  if (emitted_.empty()) return {};
  std::stable_sort(emitted_.begin(), emitted_.end(), [](const auto& a, const auto& b) { return a.before < b.before; });
  std::vector<NodeId> place(f_.nodes.size());
  std::vector<Node> nodes;
  nodes.reserve(f_.nodes.size() + emitted_.size());
  auto next = emitted_.begin();
  for (size_t i = 0; i < f_.nodes.size(); ++i) {
    for (; next != emitted_.end() && next->before == static_cast<NodeId>(i); ++next) {
      nodes.push_back(std::move(next->node));
    }
    place[i] = static_cast<NodeId>(nodes.size());
    nodes.push_back(std::move(f_.nodes[i]));
    for (NodeId& c : nodes.back().control) c = place[static_cast<size_t>(c)];
  }
  f_.nodes = std::move(nodes);
  for (size_t i = 0; i < f_.nodes.size(); ++i) {
    for (ValueId v : f_.nodes[i].outputs) {
      if (v != kNoValue) f_.value(v).def = static_cast<int32_t>(i);
    }
  }
  emitted_.clear();
  return {};
}

bool trains(const Graph& graph, const Function& f) {
  for (const Node& node : f.nodes) {
    if (!node.op->has(kStateful) || node.op->is(Role::kReadVariable)) continue;
    const Variable* variable = graph.find_variable(node.attributes.get_string("variable"));
    if (variable != nullptr && (variable->trainable || variable->slot)) return true;
  }
  return false;
}

std::vector<bool> fixed_values(const Function& f) {
  std::set<std::string_view> assigned;
  bool variables = true;
  for (const Node& node : f.nodes) {
    // A body may assign any variable, and a run that waits may resume with a newer version.
    if (carries_functions(node.attributes) || node.op->has(kWaits)) variables = false;
    if (node.op->has(kStateful) && !node.op->is(Role::kReadVariable)) {
      assigned.insert(node.attributes.get_string("variable"));
    }
  }
  std::vector<bool> fixed(f.values.size(), false);
  for (size_t i = 0; i < fixed.size(); ++i) fixed[i] = f.values[i].kind == ValueKind::kConstant;
  for (const Node& node : f.nodes) {
    bool is_fixed = false;
    if (node.op->is(Role::kReadVariable)) {
      is_fixed = variables && !assigned.contains(node.attributes.get_string("variable"));
    } else if (node.op->has(kPure) && !node.op->has(kRandom) && !node.op->has(kStateful) && !node.inputs.empty()) {
      is_fixed = std::all_of(node.inputs.begin(), node.inputs.end(),
                             [&](ValueId v) { return v == kNoValue || fixed[static_cast<size_t>(v)]; });
    }
    for (ValueId v : node.outputs) {
      if (v != kNoValue) fixed[static_cast<size_t>(v)] = is_fixed;
    }
  }
  return fixed;
}

}  // namespace percale
