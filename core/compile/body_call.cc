#include "core/compile/body_call.h"

#include <algorithm>
#include <iterator>

#include "core/graph/effects.h"
#include "core/passes/edit/rewrite.h"

namespace percale {
namespace {

// The input of the body that input `i` of the node feeds in every call. -1 if the node itself reads
// it, or if it changes from trip to trip.
int64_t body_input(const Node& node, size_t i) {
  const auto input = static_cast<int64_t>(i);
  if (node.op->is(Role::kIf)) return input - 1;
  if (!node.op->is(Role::kLoop)) return input;
  const int64_t carried = with_defaults(*node.op, node.attributes).get_int("num_carried");
  return input < 2 + carried ? -1 : input;
}

// Per input of the body: the variable that the node hands to it, or null.
std::vector<const Variable*> variables_of(const Plan& plan, const ControlNode& control, const Function& body) {
  std::vector<const Variable*> out(body.inputs.size(), nullptr);
  for (size_t i = 0; i < control.inputs.size(); ++i) {
    const int64_t input = body_input(control.node, i);
    const ValueSource& source = control.inputs[i];
    if (input < 0 || input >= static_cast<int64_t>(out.size()) || source.kind != ValueSource::Kind::kResult) continue;
    for (const ShownResult& shown : plan.shown) {
      if (shown.result != source.index || shown.variable < 0) continue;
      out[static_cast<size_t>(input)] = &plan.graph->variables[static_cast<size_t>(shown.variable)];
    }
  }
  return out;
}

BodyCall body_call(const Plan& plan, const ControlNode& control, const Function& body) {
  BodyCall out;
  out.spec = inner_spec(*plan.graph, body, plan.spec);
  const RunSpec& spec = out.spec;
  const bool writes = std::any_of(body.nodes.begin(), body.nodes.end(),
                                  [&](const Node& node) { return effects_of(*plan.graph, node).writes; });
  // Reading variables pays only where values are precomputed from them. A body that assigns might
  // read a variable after its own assignment.
  if (!spec.binding.precomputes_variables() || writes) return out;
  out.reading = spec;
  out.reading.feeds.clear();
  const std::vector<const Variable*> variables = variables_of(plan, control, body);
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i] != nullptr) {
      out.reading.reads.emplace_back(spec.feeds[i], variables[i]->name);
    } else {
      out.reading.feeds.push_back(spec.feeds[i]);
      out.fed.push_back(i);
    }
  }
  return out;
}

}  // namespace

RunSpec inner_spec(const Graph& graph, const Function& f, const RunSpec& outer) {
  RunSpec spec;
  spec.function = f.name;
  spec.binding = outer.binding.for_inner_function();
  spec.group = outer.group;
  for (ValueId id : f.inputs) spec.feeds.push_back(f.value(id).name);
  for (ValueId id : f.outputs) spec.fetches.push_back(f.value(id).name);
  for (const Node& node : f.nodes) {
    if (node.outputs.empty() || effects_of(graph, node).writes) spec.targets.push_back(node.name);
  }
  return spec;
}

void plan_bodies(Plan& plan) {
  for (ControlNode& control : plan.control) {
    for (const auto& [name, value] : control.node.attributes) {
      const FunctionRef* ref = value.get_if<FunctionRef>();
      const Function* body = ref == nullptr ? nullptr : plan.graph->find_function(ref->name);
      if (body != nullptr) control.bodies.emplace(body->name, body_call(plan, control, *body));
    }
  }
}

Status read_inputs(const Graph& graph, Function& f, const std::vector<std::pair<std::string, std::string>>& reads) {
  if (reads.empty()) return {};
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* op, graph.registry->require_op("percale", "ReadVariable"));
  const auto count = static_cast<int32_t>(reads.size());
  for (Value& value : f.values) {
    if (value.kind == ValueKind::kNode) value.def += count;
  }
  for (Node& node : f.nodes) {
    for (NodeId& before : node.control) before += count;
  }
  FreeNames names(f);
  std::vector<Node> nodes;
  for (const auto& [input, variable] : reads) {
    const ValueId id = f.find_value(input);
    const Variable* found = graph.find_variable(variable);
    if (id == kNoValue || f.value(id).kind != ValueKind::kInput || found == nullptr) {
      return internal_error("'", f.name, "' has no input '", input, "' that could be variable '", variable, "'");
    }
    std::erase(f.inputs, id);
    Value& value = f.value(id);
    value.type = {found->dtype, found->shape};
    value.kind = ValueKind::kNode;
    value.def = static_cast<int32_t>(nodes.size());
    value.output = 0;
    const auto dims = found->shape.dims();
    Node& node = nodes.emplace_back();
    node.name = names.node(input);
    node.op = op;
    node.outputs = {id};
    node.attributes.set("variable", found->name);
    node.attributes.set("dtype", found->dtype);
    node.attributes.set("shape", std::vector<int64_t>(dims.begin(), dims.end()));
  }
  for (size_t i = 0; i < f.inputs.size(); ++i) f.value(f.inputs[i]).def = static_cast<int32_t>(i);
  nodes.insert(nodes.end(), std::make_move_iterator(f.nodes.begin()), std::make_move_iterator(f.nodes.end()));
  f.nodes = std::move(nodes);
  return {};
}

}  // namespace percale
