#include "core/passes/edit/rewrite.h"

#include <algorithm>

namespace percale {
namespace {

// Returns, per node, the kept nodes that a node must wait for if it has a control edge from this
// one. A kept node is represented by itself.
std::vector<std::vector<NodeId>> inherited_control(const Function& f, const std::vector<bool>& keep) {
  std::vector<std::vector<NodeId>> out(f.nodes.size());
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    std::vector<NodeId> before;
    for (NodeId c : f.nodes[i].control) {
      if (keep[static_cast<size_t>(c)]) {
        before.push_back(c);
      } else {
        const auto& more = out[static_cast<size_t>(c)];
        before.insert(before.end(), more.begin(), more.end());
      }
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    out[i] = std::move(before);
  }
  return out;
}

}  // namespace

void compact(Function& f, const std::vector<bool>& keep) {
  auto control = inherited_control(f, keep);
  std::vector<NodeId> new_node(f.nodes.size(), -1);
  std::vector<bool> live(f.values.size(), false);
  const auto use = [&](ValueId v) {
    if (v != kNoValue) live[static_cast<size_t>(v)] = true;
  };
  for (ValueId v : f.inputs) use(v);
  for (ValueId v : f.outputs) use(v);
  NodeId count = 0;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (!keep[i]) continue;
    for (ValueId v : f.nodes[i].inputs) use(v);
    for (ValueId v : f.nodes[i].outputs) use(v);
    new_node[i] = count++;
  }

  std::vector<ValueId> new_value(f.values.size(), kNoValue);
  std::vector<int32_t> new_constant(f.constants.size(), -1);
  std::vector<Value> values;
  std::vector<Tensor> constants;
  for (size_t i = 0; i < f.values.size(); ++i) {
    if (!live[i]) continue;
    new_value[i] = static_cast<ValueId>(values.size());
    Value& value = values.emplace_back(std::move(f.values[i]));
    if (value.kind == ValueKind::kNode) value.def = new_node[static_cast<size_t>(value.def)];
    if (value.kind != ValueKind::kConstant) continue;
    int32_t& constant = new_constant[static_cast<size_t>(value.def)];
    if (constant < 0) {
      constant = static_cast<int32_t>(constants.size());
      constants.push_back(std::move(f.constants[static_cast<size_t>(value.def)]));
    }
    value.def = constant;
  }
  const auto renumber = [&](std::vector<ValueId>& list) {
    for (ValueId& v : list) {
      if (v != kNoValue) v = new_value[static_cast<size_t>(v)];
    }
  };
  std::vector<Node> nodes;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    if (!keep[i]) continue;
    Node& node = nodes.emplace_back(std::move(f.nodes[i]));
    renumber(node.inputs);
    renumber(node.outputs);
    node.control = std::move(control[i]);
    for (NodeId& c : node.control) c = new_node[static_cast<size_t>(c)];
  }
  renumber(f.inputs);
  renumber(f.outputs);
  f.values = std::move(values);
  f.nodes = std::move(nodes);
  f.constants = std::move(constants);
}

Rewrite::Rewrite(Function& f) : f_(f), instead_(f.values.size()), is_output_(f.values.size(), false) {
  for (size_t i = 0; i < instead_.size(); ++i) instead_[i] = static_cast<ValueId>(i);
  for (ValueId v : f.outputs) is_output_[static_cast<size_t>(v)] = true;
}

ValueId Rewrite::now(ValueId id) {
  if (id == kNoValue) return id;
  ValueId last = id;
  while (instead_[static_cast<size_t>(last)] != last) last = instead_[static_cast<size_t>(last)];
  while (instead_[static_cast<size_t>(id)] != last) {
    const ValueId next = instead_[static_cast<size_t>(id)];
    instead_[static_cast<size_t>(id)] = last;
    id = next;
  }
  return last;
}

bool Rewrite::replace(ValueId from, ValueId to) {
  to = now(to);
  if (from == to) return false;
  const auto a = static_cast<size_t>(from), b = static_cast<size_t>(to);
  if (is_output_[a]) {
    if (f_.value(to).kind != ValueKind::kNode || is_output_[b]) return false;
    std::swap(f_.value(from).name, f_.value(to).name);
    is_output_[a] = false;
    is_output_[b] = true;
  }
  instead_[a] = to;
  // Type information known about one value holds for the other.
  Shape& shape = f_.value(to).type.shape;
  if (compatible(shape, f_.type(from).shape)) shape = merge(shape, f_.type(from).shape);
  return true;
}

void Rewrite::apply() {
  for (Node& node : f_.nodes) {
    for (ValueId& v : node.inputs) v = now(v);
  }
  for (ValueId& v : f_.outputs) v = now(v);
}

FreeNames::FreeNames(const Function& f) {
  for (const Value& v : f.values) values_.insert(v.name);
  for (const Node& n : f.nodes) nodes_.insert(n.name);
}

std::string FreeNames::take(std::unordered_set<std::string>& taken, std::string_view wanted) {
  std::string name(wanted);
  for (int64_t i = 1; !taken.insert(name).second; ++i) name = str_cat(wanted, "_", i);
  return name;
}

std::vector<bool> used_values(const Function& f) {
  std::vector<bool> out(f.values.size(), false);
  const auto use = [&](ValueId v) {
    if (v != kNoValue) out[static_cast<size_t>(v)] = true;
  };
  for (const Node& node : f.nodes) {
    for (ValueId v : node.inputs) use(v);
  }
  for (ValueId v : f.outputs) use(v);
  return out;
}

}  // namespace percale
