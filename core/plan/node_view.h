// Builds the view of a node that a kernel sees.
#ifndef PERCALE_CORE_PLAN_NODE_VIEW_H_
#define PERCALE_CORE_PLAN_NODE_VIEW_H_

#include "core/graph/graph.h"
#include "core/registry/kernel.h"

namespace percale {

// `attributes` is with_defaults() of the node. The view borrows all arguments. The body of a fused
// node is a function of `graph`. `precomputed`, indexed by the values of `f`, is the result of
// precomputable_values(); may be empty.
inline NodeView make_node_view(const Graph& graph, const Function& f, const Node& node, const Attributes& attributes,
                               const std::vector<bool>& precomputed = {}) {
  NodeView view{*node.op, node.name, attributes, {}, {}, {}};
  view.isa = graph.registry->isa().c_str();
  view.numerics = graph.registry->numerics();
  for (ValueId id : node.inputs) {
    view.inputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
    view.values.push_back(f.constant(id));
    view.input_formats.push_back(id == kNoValue ? nullptr : f.format(id));
    view.precomputed.push_back(id != kNoValue && !precomputed.empty() && precomputed[static_cast<size_t>(id)]);
  }
  for (ValueId id : node.outputs) {
    view.outputs.push_back(id == kNoValue ? ValueType{} : f.type(id));
    view.output_formats.push_back(id == kNoValue ? nullptr : f.format(id));
  }
  const AttrValue* body = attributes.find("body");
  const FunctionRef* ref = body != nullptr ? body->get_if<FunctionRef>() : nullptr;
  if (ref != nullptr) view.body = graph.find_function(ref->name);
  return view;
}

// Returns the type of a value for code that does not know its format: its own type if it is
// row-major, else a row of bytes.
inline ValueType memory_type(const Function& f, ValueId id) {
  const Format* format = f.format(id);
  return format == nullptr ? f.type(id) : ValueType{DType::kU8, Shape{format->bytes}};
}

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_NODE_VIEW_H_
