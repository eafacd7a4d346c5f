#include "c_api/host/body_view.h"

#include "core/graph/graph.h"

namespace percale::c_api {
namespace {

// A node of a body and the data that its view borrows.
struct BodyNode {
  Attributes attributes;
  NodeView view;

  BodyNode(const Function& body, const Node& node)
      : attributes(with_defaults(*node.op, node.attributes)), view{*node.op, node.name, attributes, {}, {}, {}} {
    for (ValueId id : node.inputs) {
      view.inputs.push_back(id == kNoValue ? ValueType{} : body.type(id));
      view.values.push_back(body.constant(id));
    }
    for (ValueId id : node.outputs) view.outputs.push_back(id == kNoValue ? ValueType{} : body.type(id));
  }
};

int32_t number_of(const Function& body, ValueId id) {
  if (id == kNoValue) return -1;
  const Value& value = body.value(id);
  if (value.kind == ValueKind::kInput) return value.def;
  const auto inputs = static_cast<int32_t>(body.inputs.size());
  if (value.kind == ValueKind::kConstant) return inputs + value.def;
  int32_t number = inputs + static_cast<int32_t>(body.constants.size());
  for (int32_t i = 0; i < value.def; ++i) number += static_cast<int32_t>(body.node(i).outputs.size());
  return number + value.output;
}

}  // namespace

size_t body_node_count(const NodeView* node) { return node->body == nullptr ? 0 : node->body->nodes.size(); }

const NodeView* body_node(const NodeView* node, size_t index) {
  if (index >= body_node_count(node)) return nullptr;
  auto& views = node->body_views;
  for (size_t i = views.size(); i < node->body->nodes.size(); ++i) {
    const auto holder = std::make_shared<const BodyNode>(*node->body, node->body->nodes[i]);
    views.emplace_back(holder, &holder->view);
  }
  return views[index].get();
}

int32_t body_input(const NodeView* node, size_t index, size_t input) {
  if (index >= body_node_count(node)) return -1;
  const std::vector<ValueId>& inputs = node->body->nodes[index].inputs;
  return input < inputs.size() ? number_of(*node->body, inputs[input]) : -1;
}

int32_t body_output(const NodeView* node, size_t index) {
  if (index >= body_node_count(node)) return -1;
  return number_of(*node->body, node->body->nodes[index].outputs[0]);
}

}  // namespace percale::c_api
