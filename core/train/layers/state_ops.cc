#include "core/train/layers/state_ops.h"

namespace percale {

ValueId read_variable(Emitter& e, const Variable& variable) {
  return e.emit("percale:ReadVariable", {},
                {{"variable", variable.name},
                 {"dtype", variable.dtype},
                 {"shape", std::vector<int64_t>(variable.shape.begin(), variable.shape.end())}},
                variable.name);
}

NodeId assign_variable(Emitter& e, const Variable& variable, ValueId value) {
  if (!e.status().ok()) return -1;
  const auto node = e.builder().add_node("percale:Assign", {value}, {{"variable", variable.name}}, 0,
                                         str_cat("assign/", variable.name));
  if (node.ok()) return *node;
  e.fail(node.status());
  return -1;
}

const Variable* variable_read_by(const Graph& graph, const Function& f, ValueId value) {
  while (value != kNoValue && f.value(value).kind == ValueKind::kNode) {
    const Node& node = f.node(f.value(value).def);
    if (node.op->is(Role::kReadVariable)) return graph.find_variable(node.attributes.get_string("variable"));
    if (!node.op->is(Role::kIdentity)) return nullptr;
    value = node.inputs[0];
  }
  return nullptr;
}

}  // namespace percale
