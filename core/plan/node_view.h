// What a kernel is shown of a node of a function.
#ifndef PERCALE_CORE_PLAN_NODE_VIEW_H_
#define PERCALE_CORE_PLAN_NODE_VIEW_H_

#include "core/graph/graph.h"
#include "core/registry/kernel.h"

namespace percale {

// `attributes`: with_defaults() of the node, which the view borrows like everything else. The body of a fused node is a
// function of `graph`.
inline NodeView make_node_view(const Graph& graph, const Function& f, const Node& node, const Attributes& attributes) {
  NodeView view{*node.op, node.name, attributes, {}, {}, {}};
  for (ValueId id : node.inputs) {
    view.inputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
    view.values.push_back(f.constant(id));
  }
  for (ValueId id : node.outputs) view.outputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
  const AttrValue* body = attributes.find("body");
  const FunctionRef* ref = body != nullptr ? body->get_if<FunctionRef>() : nullptr;
  if (ref != nullptr) view.body = graph.find_function(ref->name);
  return view;
}

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_NODE_VIEW_H_
