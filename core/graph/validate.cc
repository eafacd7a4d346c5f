#include "core/graph/validate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/infer.h"

namespace percale {
namespace {

using Names = std::unordered_set<std::string_view>;

bool in_range(int32_t index, size_t size) { return index >= 0 && static_cast<size_t>(index) < size; }

// Structure alone: what must hold before anything may follow an index.
Status check_values(const Function& f) {
  Names names;
  for (size_t i = 0; i < f.values.size(); ++i) {
    const Value& v = f.values[i];
    const auto id = static_cast<ValueId>(i);
    if (v.name.empty()) return invalid_argument("value ", id, " has no name");
    if (!names.insert(v.name).second) return invalid_argument("two values are called '", v.name, "'");
    if (!is_valid_dtype(static_cast<int32_t>(v.type.dtype))) {
      return invalid_argument("value '", v.name, "': ", static_cast<int32_t>(v.type.dtype), " is no dtype");
    }
    const auto shape = Shape::make(v.type.shape.dims());
    if (!shape.ok()) return shape.status().with_context(str_cat("value '", v.name, "'"));
    const auto defined_by = [&](const std::vector<ValueId>& list) {
      return in_range(v.def, list.size()) && list[static_cast<size_t>(v.def)] == id;
    };
    bool defined = false;
    switch (v.kind) {
      case ValueKind::kInput: defined = defined_by(f.inputs); break;
      case ValueKind::kConstant: defined = in_range(v.def, f.constants.size()); break;
      case ValueKind::kNode:
        defined = in_range(v.def, f.nodes.size()) && in_range(v.output, f.node(v.def).outputs.size()) &&
                  f.node(v.def).outputs[static_cast<size_t>(v.output)] == id;
        break;
    }
    if (!defined) return invalid_argument("value '", v.name, "' is not what defines it: index ", v.def);
  }
  return {};
}

Status check_constants(const Function& f) {
  for (const Value& v : f.values) {
    if (v.kind != ValueKind::kConstant) continue;
    const Tensor& t = f.constants[static_cast<size_t>(v.def)];
    if (!t.defined() || t.dtype() != v.type.dtype || !(t.shape() == v.type.shape)) {
      return invalid_argument("constant '", v.name, "' is declared ", v.type.dtype, " ", v.type.shape,
                              ", its tensor is ", t.dtype(), " ", t.shape());
    }
  }
  return {};
}

Status check_node_links(const Function& f, NodeId id) {
  const Node& node = f.node(id);
  if (node.op == nullptr) return invalid_argument("it has no op");
  for (ValueId input : node.inputs) {
    if (input == kNoValue) continue;
    if (!in_range(input, f.values.size())) return invalid_argument("input ", input, " is no value");
    const Value& v = f.value(input);
    if (v.kind == ValueKind::kNode && v.def >= id) {
      return invalid_argument("input '", v.name, "' comes from node ", v.def,
                              ", which is not before it: nodes must stand in topological order, without cycles");
    }
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    if (!in_range(node.outputs[i], f.values.size())) return invalid_argument("output ", node.outputs[i], " is no value");
    const Value& v = f.value(node.outputs[i]);
    if (v.kind != ValueKind::kNode || v.def != id || v.output != static_cast<int32_t>(i)) {
      return invalid_argument("output '", v.name, "' is not defined by it");
    }
  }
  for (NodeId before : node.control) {
    if (before < 0 || before >= id) {
      return invalid_argument("control input ", before, " is no node before it");
    }
  }
  return {};
}

Status check_structure(const Function& f) {
  for (ValueId id : f.inputs) {
    if (!in_range(id, f.values.size())) return invalid_argument("input ", id, " is no value");
  }
  for (ValueId id : f.outputs) {
    if (!in_range(id, f.values.size())) return invalid_argument("output ", id, " is no value");
  }
  PERCALE_RETURN_IF_ERROR(check_values(f));
  PERCALE_RETURN_IF_ERROR(check_constants(f));
  Names names;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Node& node = f.nodes[i];
    if (node.name.empty()) return invalid_argument("node ", static_cast<uint64_t>(i), " has no name");
    if (!names.insert(node.name).second) return invalid_argument("two nodes are called '", node.name, "'");
    const Status status = check_node_links(f, static_cast<NodeId>(i));
    if (!status.ok()) return status.with_context(str_cat("node '", node.name, "'"));
  }
  return {};
}

Status check_variable_use(const Graph& graph, const Function& f, const Node& node) {
  const AttrValue* attr = node.attributes.find("variable");
  const std::string* name = attr != nullptr ? attr->get_if<std::string>() : nullptr;
  if (name == nullptr) return {};
  const Variable* variable = graph.find_variable(*name);
  if (variable == nullptr) return not_found("variable '", *name, "' is not declared");
  const auto same = [&](ValueId id) {
    const ValueType& t = f.type(id);
    return t.dtype == variable->dtype && compatible(t.shape, variable->shape);
  };
  const std::vector<ValueId>& held = node.outputs.empty() ? node.inputs : node.outputs;
  if (!held.empty() && held[0] != kNoValue && !same(held[0])) {
    const ValueType& t = f.type(held[0]);
    return invalid_argument("variable '", *name, "' is ", variable->dtype, " ", variable->shape, ", used as ",
                            t.dtype, " ", t.shape);
  }
  return {};
}

Status check_types(const Graph& graph, const Function& f) {
  const DeclaredFunctionTypes functions(graph);
  for (const Node& node : f.nodes) {
    PERCALE_ASSIGN_OR_RETURN(const auto types, infer_node(f, node, &functions));
    for (size_t i = 0; i < types.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      const ValueType& declared = f.type(node.outputs[i]);
      if (declared.dtype != types[i].dtype || !compatible(declared.shape, types[i].shape)) {
        return invalid_argument(node.op->name, " '", node.name, "': output ", static_cast<uint64_t>(i),
                                " is declared ", declared.dtype, " ", declared.shape, ", the op gives ",
                                types[i].dtype, " ", types[i].shape);
      }
    }
    PERCALE_RETURN_IF_ERROR(
        check_variable_use(graph, f, node).with_context(str_cat(node.op->name, " '", node.name, "'")));
  }
  return {};
}

// Calls among functions must end: the depth of each is one more than the deepest it calls, found bottom up.
Status check_nesting(const Graph& graph) {
  std::unordered_map<std::string_view, size_t> index;
  for (size_t i = 0; i < graph.functions.size(); ++i) index[graph.functions[i].name] = i;
  std::vector<std::vector<size_t>> calls(graph.functions.size());
  for (size_t i = 0; i < graph.functions.size(); ++i) {
    for (const Node& node : graph.functions[i].nodes) {
      for (const auto& [name, value] : node.attributes) {
        const FunctionRef* ref = value.get_if<FunctionRef>();
        if (ref == nullptr) continue;
        const auto found = index.find(ref->name);
        if (found == index.end()) {
          return not_found("node '", node.name, "': no function '", ref->name, "' in the graph");
        }
        calls[i].push_back(found->second);
      }
    }
  }
  std::vector<size_t> depth(graph.functions.size(), 0);
  for (size_t round = 0; round <= kMaxFunctionDepth; ++round) {
    bool changed = false;
    for (size_t i = 0; i < calls.size(); ++i) {
      for (size_t callee : calls[i]) {
        if (depth[i] <= depth[callee]) {
          depth[i] = depth[callee] + 1;
          changed = true;
        }
      }
    }
    if (!changed) return {};
  }
  const auto deepest = std::max_element(depth.begin(), depth.end()) - depth.begin();
  return invalid_argument("function '", graph.functions[static_cast<size_t>(deepest)].name,
                          "': functions call each other in a circle or nest deeper than ",
                          static_cast<uint64_t>(kMaxFunctionDepth));
}

Status check_variables(const Graph& graph) {
  const Function* init = graph.find_function(kInitFunction);
  std::unordered_map<std::string_view, const ValueType*> given;
  if (init != nullptr) {
    if (!init->inputs.empty()) return invalid_argument("function 'init' must have no inputs");
    for (ValueId id : init->outputs) given[init->value(id).name] = &init->type(id);
  }
  Names names;
  for (const Variable& v : graph.variables) {
    if (v.name.empty() || !names.insert(v.name).second) {
      return invalid_argument("variable '", v.name, "': names must be unique and not empty");
    }
    if (!is_valid_dtype(static_cast<int32_t>(v.dtype))) {
      return invalid_argument("variable '", v.name, "': ", static_cast<int32_t>(v.dtype), " is no dtype");
    }
    const auto bytes = byte_size(v.dtype, v.shape);
    if (!bytes.ok()) return bytes.status().with_context(str_cat("variable '", v.name, "'"));
    ValueType first{v.initial.dtype(), v.initial.shape()};
    if (!v.initial.defined()) {
      const auto found = given.find(v.name);
      if (found == given.end()) {
        return invalid_argument("variable '", v.name, "' has no first value and no output of 'init' is called so");
      }
      first = *found->second;
    }
    if (first.dtype != v.dtype || !compatible(first.shape, v.shape)) {
      return invalid_argument("variable '", v.name, "': the first value is ", first.dtype, " ", first.shape,
                              ", wanted ", v.dtype, " ", v.shape);
    }
  }
  return {};
}

}  // namespace

Status validate(const Graph& graph) {
  if (graph.functions.empty() || graph.functions[0].name != kMainFunction) {
    return invalid_argument("a graph needs a function 'main' as its first");
  }
  Names names;
  for (const Function& f : graph.functions) {
    if (f.name.empty() || !names.insert(f.name).second) {
      return invalid_argument("function '", f.name, "': names must be unique and not empty");
    }
    PERCALE_RETURN_IF_ERROR(check_structure(f).with_context(str_cat("function '", f.name, "'")));
  }
  PERCALE_RETURN_IF_ERROR(check_nesting(graph));
  for (const Function& f : graph.functions) {
    PERCALE_RETURN_IF_ERROR(check_types(graph, f).with_context(str_cat("function '", f.name, "'")));
  }
  return check_variables(graph);
}

}  // namespace percale
