#include "core/graph/flops.h"

#include <vector>

#include "core/registry/flops_context.h"

namespace percale {
namespace {

std::vector<Shape> shapes_of(const Function& f, const std::vector<ValueId>& ids) {
  std::vector<Shape> out;
  for (ValueId id : ids) out.push_back(id == kNoValue ? Shape::unranked() : f.type(id).shape);
  return out;
}

double output_elements(const Function& f, const Node& node) {
  double out = 0;
  for (const Shape& shape : shapes_of(f, node.outputs)) out += FlopsContext::elements(shape);
  return out;
}

}  // namespace

double layer_flops(const Function& f, const Node& node) {
  if (node.op->traits.flops == nullptr) return 0;
  return node.op->traits.flops({node.attributes, shapes_of(f, node.inputs), shapes_of(f, node.outputs)});
}

double product_flops(const Function& f, const Node& node) {
  return node.op->is(Role::kRecurrent) ? 0 : layer_flops(f, node);
}

double node_flops(const Graph& graph, const Function& f, const Node& node) {
  if (!node.op->is(Role::kFused)) return node.op->has(kElementwise) ? output_elements(f, node) : product_flops(f, node);
  double out = 0;
  for (const auto& [name, value] : node.attributes) {
    const FunctionRef* ref = value.get_if<FunctionRef>();
    const Function* body = ref == nullptr ? nullptr : graph.find_function(ref->name);
    // A fused body has no fused nodes; skipping them bounds the recursion.
    for (size_t i = 0; body != nullptr && i < body->nodes.size(); ++i) {
      if (!body->nodes[i].op->is(Role::kFused)) out += node_flops(graph, *body, body->nodes[i]);
    }
  }
  return out;
}

}  // namespace percale
