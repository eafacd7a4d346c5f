#include <algorithm>

#include "core/graph/effects.h"
#include "core/passes/edit/rewrite.h"
#include "core/passes/simplify/inline.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

const FunctionRef* function_of(const Node& node, std::string_view attribute) {
  const AttrValue* value = node.attributes.find(attribute);
  return value != nullptr ? value->get_if<FunctionRef>() : nullptr;
}

Callee callee_of(const Graph& graph, const Function& f, const Node& node) {
  const FunctionRef* ref = nullptr;
  size_t first_input = 0;
  if (node.op->is(Role::kCall)) {
    ref = function_of(node, "function");
  } else if (node.op->is(Role::kIf) && !node.inputs.empty()) {
    const Tensor* cond = f.constant(node.inputs[0]);
    if (cond == nullptr || cond->dtype() != DType::kBool || cond->num_elements() != 1) return {};
    ref = function_of(node, cond->span<bool>()[0] ? "then_branch" : "else_branch");
    first_input = 1;
  }
  if (ref == nullptr) return {};
  return {graph.find_function(ref->name), first_input, str_cat(node.name, "/")};
}

// Rebuilds the node list of a function, with bodies instead of calls.
class Inliner {
 public:
  Inliner(const Graph& graph, Function& f, const CalleeOf& callee_of, size_t max_nodes)
      : graph_(graph), f_(f), callee_of_(callee_of), max_nodes_(max_nodes), names_(f), rewrite_(f.values.size()) {
    for (size_t i = 0; i < rewrite_.size(); ++i) rewrite_[i] = static_cast<ValueId>(i);
    is_output_.assign(f.values.size(), false);
    for (ValueId v : f.outputs) is_output_[static_cast<size_t>(v)] = true;
  }

  // Returns true if a node was inlined.
  bool run() {
    std::vector<Node> old = std::move(f_.nodes);
    size_t remaining = old.size();
    bool any = false;
    stands_for_.resize(old.size());
    for (size_t i = 0; i < old.size(); ++i) {
      Node& node = old[i];
      --remaining;
      for (ValueId& v : node.inputs) v = now(v);
      renumber_control(node.control);
      const Callee callee = find(node);
      const bool fits =
          callee.function != nullptr && nodes_.size() + callee.function->nodes.size() + remaining <= max_nodes_;
      if (fits) {
        any = true;
        stands_for_[i] = put_body(node, callee);
      } else {
        stands_for_[i] = {put(std::move(node))};
      }
    }
    f_.nodes = std::move(nodes_);
    for (ValueId& v : f_.outputs) v = now(v);
    return any;
  }

 private:
  ValueId now(ValueId v) const { return v == kNoValue ? v : rewrite_[static_cast<size_t>(v)]; }

  void renumber_control(std::vector<NodeId>& control) const {
    std::vector<NodeId> out;
    for (NodeId c : control) {
      const auto& list = stands_for_[static_cast<size_t>(c)];
      out.insert(out.end(), list.begin(), list.end());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    control = std::move(out);
  }

  Callee find(const Node& node) const {
    Callee callee = callee_of_(node);
    if (callee.function != nullptr && callee.function->inputs.size() + callee.first_input != node.inputs.size()) {
      callee.function = nullptr;
    }
    return callee;
  }

  NodeId put(Node node) {
    const auto id = static_cast<NodeId>(nodes_.size());
    for (ValueId v : node.outputs) {
      if (v != kNoValue) f_.value(v).def = id;
    }
    nodes_.push_back(std::move(node));
    return id;
  }

  ValueId add_value(Value value, const std::string& scope) {
    value.name = names_.value(str_cat(scope, value.name));
    f_.values.push_back(std::move(value));
    rewrite_.push_back(static_cast<ValueId>(f_.values.size()) - 1);
    is_output_.push_back(false);
    return rewrite_.back();
  }

  // Returns the nodes that replace the call in the control edges of later nodes.
  std::vector<NodeId> put_body(const Node& call, const Callee& callee) {
    const Function& body = *callee.function;
    names_.release_node(call.name);
    std::vector<ValueId> map(body.values.size(), kNoValue);
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      map[static_cast<size_t>(body.inputs[i])] = call.inputs[callee.first_input + i];
    }
    // The body writes an output directly to the call's value, so that its name and its uses stay.
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      const ValueId inner = body.outputs[i];
      ValueId& there = map[static_cast<size_t>(inner)];
      if (call.outputs[i] == kNoValue || body.value(inner).kind != ValueKind::kNode || there != kNoValue) continue;
      there = call.outputs[i];
      Value& value = f_.value(there);
      value.output = body.value(inner).output;
      if (compatible(value.type.shape, body.type(inner).shape)) {
        value.type.shape = merge(value.type.shape, body.type(inner).shape);
      }
    }
    for (size_t i = 0; i < body.values.size(); ++i) {
      const Tensor* constant = body.constant(static_cast<ValueId>(i));
      if (constant == nullptr) continue;
      Value value = body.values[i];
      value.def = static_cast<int32_t>(f_.constants.size());
      f_.constants.push_back(*constant);
      map[i] = add_value(std::move(value), callee.scope);
    }

    std::vector<NodeId> ids, effects;
    for (const Node& inner : body.nodes) {
      Node node = inner;
      node.name = names_.node(str_cat(callee.scope, inner.name));
      if (node.device.empty()) node.device = call.device;
      for (ValueId& v : node.inputs) v = v == kNoValue ? v : map[static_cast<size_t>(v)];
      for (ValueId& v : node.outputs) {
        if (v == kNoValue) continue;
        ValueId& there = map[static_cast<size_t>(v)];
        if (there == kNoValue) there = add_value(body.value(v), callee.scope);
        v = there;
      }
      node.control = call.control;
      for (NodeId c : inner.control) node.control.push_back(ids[static_cast<size_t>(c)]);
      std::sort(node.control.begin(), node.control.end());
      node.control.erase(std::unique(node.control.begin(), node.control.end()), node.control.end());
      const NodeEffects effect = effects_of(graph_, node);
      ids.push_back(put(std::move(node)));
      if (effect.reads || effect.writes) effects.push_back(ids.back());
    }
    pass_on(call, body, map);
    // A body without effects passes the call's own control edges on.
    return effects.empty() ? call.control : effects;
  }

  // Handles outputs of the call that are inputs or constants of the body, or that occur twice among
  // its outputs.
  void pass_on(const Node& call, const Function& body, const std::vector<ValueId>& map) {
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      const ValueId outer = call.outputs[i];
      if (outer == kNoValue) continue;
      const ValueId inner = map[static_cast<size_t>(body.outputs[i])];
      if (inner == outer) continue;
      if (!is_output_[static_cast<size_t>(outer)]) {
        rewrite_[static_cast<size_t>(outer)] = inner;
        continue;
      }
      Node identity;  // a function output needs a value of its own
      identity.name = names_.node(call.name);
      identity.op = identity_op();
      identity.inputs = {inner};
      identity.outputs = {outer};
      identity.device = call.device;
      f_.value(outer).output = 0;
      put(std::move(identity));
    }
  }

  const OpSchema* identity_op() const { return graph_.registry->find_op("", "Identity"); }

  const Graph& graph_;
  Function& f_;
  const CalleeOf& callee_of_;
  const size_t max_nodes_;
  FreeNames names_;
  std::vector<Node> nodes_;
  std::vector<ValueId> rewrite_;  // per value: its replacement
  // per old node: the new nodes that later nodes wait for
  std::vector<std::vector<NodeId>> stands_for_;
  std::vector<bool> is_output_;
};

}  // namespace

bool inline_bodies(const Graph& graph, Function& f, const CalleeOf& callee_of, size_t max_nodes) {
  const bool any = graph.registry->find_op("", "Identity") != nullptr && Inliner(graph, f, callee_of, max_nodes).run();
  if (any) compact(f, std::vector<bool>(f.nodes.size(), true));
  return any;
}

bool can_inline(const Graph& graph, const Function& f, const Node& node) {
  return callee_of(graph, f, node).function != nullptr;
}

Status inline_calls(const Graph& graph, Function& f, PassContext& context) {
  const auto dissolves = [&](const Node& node) { return callee_of(graph, f, node); };
  // Each round inlines one level of nesting.
  for (size_t round = 0; round < kMaxFunctionDepth; ++round) {
    if (std::none_of(f.nodes.begin(), f.nodes.end(), [&](const Node& n) { return can_inline(graph, f, n); })) break;
    if (!inline_bodies(graph, f, dissolves, context.max_inlined_nodes)) break;
  }
  return {};
}

}  // namespace percale
