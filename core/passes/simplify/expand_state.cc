// Replaces AssignAdd by a read, an Add and an Assign, because the later stages know only these.
#include <algorithm>

#include "core/passes/edit/rewrite.h"
#include "core/passes/simplify/simplify.h"

namespace percale {

Status expand_state(const Graph& graph, Function& f, PassContext&) {
  const auto is_sum = [](const Node& n) { return n.op->is(Role::kAssignAdd); };
  if (std::none_of(f.nodes.begin(), f.nodes.end(), is_sum)) return {};
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* read, graph.registry->require_op("percale", "ReadVariable"));
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* assign, graph.registry->require_op("percale", "Assign"));
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* add, graph.registry->require_op("", "Add"));
  FreeNames names(f);
  std::vector<Node> nodes;
  std::vector<NodeId> moved;
  // Values of existing nodes are renumbered when their nodes move. Values added here already have
  // final numbers.
  const size_t old_values = f.values.size();
  const auto append = [&](const OpSchema* op, std::string name, std::vector<ValueId> inputs, Attributes attributes,
                          const Node& like, const ValueType* type) {
    const auto id = static_cast<NodeId>(nodes.size());
    Node node{std::move(name), op, std::move(inputs), {}, like.control, std::move(attributes), like.device};
    for (NodeId& before : node.control) before = moved[static_cast<size_t>(before)];
    if (type != nullptr) {
      node.outputs.push_back(static_cast<ValueId>(f.values.size()));
      f.values.push_back({names.value(node.name), *type, ValueKind::kNode, id, 0});
    }
    nodes.push_back(std::move(node));
    return type != nullptr ? nodes.back().outputs[0] : kNoValue;
  };
  for (const Node& node : f.nodes) {
    if (!is_sum(node)) {
      moved.push_back(static_cast<NodeId>(nodes.size()));
      nodes.push_back(node);
      for (NodeId& before : nodes.back().control) before = moved[static_cast<size_t>(before)];
      continue;
    }
    const std::string variable(node.attributes.get_string("variable"));
    const Variable* declared = graph.find_variable(variable);
    if (declared == nullptr) return not_found("AssignAdd '", node.name, "': no variable '", variable, "'");
    const ValueType type{declared->dtype, declared->shape};
    const auto dims = declared->shape.dims();
    const ValueId old = append(
        read, names.node(node.name + "/read"), {},
        {{"variable", variable}, {"dtype", declared->dtype}, {"shape", std::vector<int64_t>(dims.begin(), dims.end())}},
        node, &type);
    const ValueId sum = append(add, names.node(node.name + "/sum"), {old, node.inputs[0]}, {}, node, &type);
    append(assign, node.name, {sum}, {{"variable", variable}}, node, nullptr);
    moved.push_back(static_cast<NodeId>(nodes.size()) - 1);
  }
  for (size_t i = 0; i < old_values; ++i) {
    if (f.values[i].kind == ValueKind::kNode) f.values[i].def = moved[static_cast<size_t>(f.values[i].def)];
  }
  f.nodes = std::move(nodes);
  return {};
}

}  // namespace percale
