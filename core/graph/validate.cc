#include "core/graph/validate.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/infer.h"
#include "core/graph/queues.h"

namespace percale {
namespace {

using Names = std::unordered_set<std::string_view>;
using VariableIndex = std::unordered_map<std::string_view, const Variable*>;

uint64_t u64(size_t n) { return static_cast<uint64_t>(n); }

bool in_range(int32_t index, size_t size) { return index >= 0 && static_cast<size_t>(index) < size; }

Status check_type(const ValueType& type) {
  if (!is_valid_dtype(static_cast<int32_t>(type.dtype))) {
    return invalid_argument(static_cast<int32_t>(type.dtype), " is not a dtype");
  }
  const auto shape = Shape::make(type.shape.dims());
  if (!shape.ok()) return shape.status();
  if (!type.shape.is_static()) return {};
  return byte_size(type.dtype, type.shape).status();
}

// Checks only the structure: everything that must hold before an index may be followed.
Status check_value(const Function& f, ValueId id, Names& names) {
  const Value& v = f.value(id);
  PERCALE_RETURN_IF_ERROR(check_name(v.name));
  if (!names.insert(v.name).second) return invalid_argument("two values have this name");
  PERCALE_RETURN_IF_ERROR(check_type(v.type));
  bool defined = false;
  switch (v.kind) {
    case ValueKind::kInput:
      defined = in_range(v.def, f.inputs.size()) && f.inputs[static_cast<size_t>(v.def)] == id;
      break;
    case ValueKind::kConstant: defined = in_range(v.def, f.constants.size()); break;
    case ValueKind::kNode:
      defined = in_range(v.def, f.nodes.size()) && in_range(v.output, f.node(v.def).outputs.size()) &&
                f.node(v.def).outputs[static_cast<size_t>(v.output)] == id;
      break;
  }
  if (!defined) return invalid_argument("its definition does not list this value: index ", v.def);
  return {};
}

Status check_values(const Function& f) {
  Names names;
  names.reserve(f.values.size());
  for (size_t i = 0; i < f.values.size(); ++i) {
    const Status status = check_value(f, static_cast<ValueId>(i), names);
    if (status.ok()) continue;
    const std::string& name = f.values[i].name;
    return status.with_context(check_name(name).ok() ? str_cat("value '", name, "'") : str_cat("value ", u64(i)));
  }
  return {};
}

Status check_constants(const Function& f) {
  for (size_t i = 0; i < f.constants.size(); ++i) {
    if (!f.constants[i].defined()) return invalid_argument("constant ", u64(i), " has no tensor");
  }
  for (const Value& v : f.values) {
    if (v.kind != ValueKind::kConstant) continue;
    const Tensor& t = f.constants[static_cast<size_t>(v.def)];
    if (t.dtype() != v.type.dtype || !(t.shape() == v.type.shape)) {
      return invalid_argument("constant '", v.name, "' is declared ", v.type.dtype, " ", v.type.shape,
                              ", but its tensor is ", t.dtype(), " ", t.shape());
    }
  }
  return {};
}

Status check_node_links(const Function& f, NodeId id) {
  const Node& node = f.node(id);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId input = node.inputs[i];
    if (input == kNoValue) continue;
    if (!in_range(input, f.values.size())) {
      return invalid_argument("input ", u64(i), ": there is no value ", input, ", the function has ",
                              u64(f.values.size()));
    }
    const Value& v = f.value(input);
    if (v.kind == ValueKind::kNode && v.def >= id) {
      return invalid_argument("input ", u64(i), ": '", v.name, "' comes from node ", v.def,
                              ", which does not precede it: nodes must be in topological order, without cycles");
    }
  }
  if (!node.inputs.empty() && node.inputs.back() == kNoValue) {
    return invalid_argument("input ", u64(node.inputs.size() - 1), ": trailing absent inputs must be omitted");
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    if (!in_range(node.outputs[i], f.values.size())) {
      return invalid_argument("output ", u64(i), ": there is no value ", node.outputs[i], ", the function has ",
                              u64(f.values.size()));
    }
    const Value& v = f.value(node.outputs[i]);
    if (v.kind != ValueKind::kNode || v.def != id || v.output != static_cast<int32_t>(i)) {
      return invalid_argument("output ", u64(i), ": '", v.name, "' is not defined by this node");
    }
  }
  NodeId last = -1;
  for (size_t i = 0; i < node.control.size(); ++i) {
    const NodeId before = node.control[i];
    if (before <= last || before >= id) {
      return invalid_argument("control input ", u64(i), ": ", before,
                              " is not an earlier node, or the list is not in ascending order");
    }
    last = before;
  }
  return {};
}

Status check_ends(const Function& f) {
  for (size_t i = 0; i < f.inputs.size(); ++i) {
    const ValueId id = f.inputs[i];
    if (!in_range(id, f.values.size())) return invalid_argument("input ", u64(i), ": there is no value ", id);
    if (f.value(id).kind != ValueKind::kInput || f.value(id).def != static_cast<int32_t>(i)) {
      return invalid_argument("input ", u64(i), ": value '", f.value(id).name, "' is not this input");
    }
  }
  for (size_t i = 0; i < f.outputs.size(); ++i) {
    if (!in_range(f.outputs[i], f.values.size())) {
      return invalid_argument("output ", u64(i), ": there is no value ", f.outputs[i]);
    }
  }
  return {};
}

Status check_structure(const Function& f) {
  PERCALE_RETURN_IF_ERROR(check_values(f));
  PERCALE_RETURN_IF_ERROR(check_ends(f));
  PERCALE_RETURN_IF_ERROR(check_constants(f));
  Names names;
  names.reserve(f.nodes.size());
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Node& node = f.nodes[i];
    const Status named = check_name(node.name);
    if (!named.ok()) return named.with_context(str_cat("node ", u64(i)));
    if (!names.insert(node.name).second) return invalid_argument("two nodes have the name '", node.name, "'");
    const Status status = check_node_links(f, static_cast<NodeId>(i));
    if (!status.ok()) return status.with_context(str_cat("node '", node.name, "'"));
  }
  return {};
}

// `types` are the types that the op infers. They, and not only the types that the file declares,
// must match the variable, because ReadVariable declares its type itself. The planner checks a
// shape again that becomes known only with the feeds.
Status check_variable_use(const VariableIndex& variables, const Function& f, const Node& node,
                          const std::vector<ValueType>& types) {
  const AttrValue* attr = node.op->has(kStateful) ? node.attributes.find("variable") : nullptr;
  const std::string* name = attr != nullptr ? attr->get_if<std::string>() : nullptr;
  if (name == nullptr) return {};
  const auto found = variables.find(*name);
  if (found == variables.end()) return not_found("variable '", *name, "' is not declared");
  const Variable& v = *found->second;
  const auto same = [&](const ValueType& t) -> Status {
    if (t.dtype == v.dtype && compatible(t.shape, v.shape)) return {};
    return invalid_argument("variable '", *name, "' is ", v.dtype, " ", v.shape, ", but is used as ", t.dtype, " ",
                            t.shape);
  };
  if (!types.empty()) PERCALE_RETURN_IF_ERROR(same(types[0]));
  const std::vector<ValueId>& held = node.outputs.empty() ? node.inputs : node.outputs;
  return held.empty() || held[0] == kNoValue ? Status() : same(f.type(held[0]));
}

Status check_node_types(const DeclaredFunctionTypes& functions, const VariableIndex& variables, const Function& f,
                        const Node& node) {
  PERCALE_ASSIGN_OR_RETURN(const auto types, infer_node(f, node, &functions));
  const auto at = [&](size_t i) { return str_cat(op_name(*node.op), " '", node.name, "': output ", u64(i)); };
  for (size_t i = 0; i < types.size(); ++i) {
    if (node.outputs[i] == kNoValue) {
      if (node.op->output(i).presence == Presence::kRequired) return invalid_argument(at(i), " is required");
      continue;
    }
    const ValueType& declared = f.type(node.outputs[i]);
    if (declared.dtype != types[i].dtype || !compatible(declared.shape, types[i].shape)) {
      return invalid_argument(at(i), " is declared ", declared.dtype, " ", declared.shape, ", but the op gives ",
                              types[i].dtype, " ", types[i].shape);
    }
  }
  return check_variable_use(variables, f, node, types).with_context(str_cat(op_name(*node.op), " '", node.name, "'"));
}

Status check_types(const DeclaredFunctionTypes& functions, const VariableIndex& variables, const Function& f) {
  for (const Node& node : f.nodes) {
    if (node.op == nullptr) return invalid_argument("node '", node.name, "': it has no op");
  }
  for (const Node& node : f.nodes) PERCALE_RETURN_IF_ERROR(check_node_types(functions, variables, f, node));
  return {};
}

// Calls among functions must end. The depth of a function is one more than the deepest function
// that it calls, computed bottom-up.
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
          return not_found("function '", graph.functions[i].name, "': node '", node.name, "': no function '", ref->name,
                           "' in the graph");
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
    if (!changed) break;
  }
  // In a cycle, depths still grow after as many rounds as the limit allows. Deep nesting without a
  // cycle may be found in one round.
  const auto deepest = std::max_element(depth.begin(), depth.end()) - depth.begin();
  if (depth[static_cast<size_t>(deepest)] <= kMaxFunctionDepth) return {};
  return invalid_argument("function '", graph.functions[static_cast<size_t>(deepest)].name,
                          "': functions call each other recursively or are nested deeper than ",
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
    PERCALE_RETURN_IF_ERROR(check_name(v.name).with_context("variable"));
    if (!names.insert(v.name).second) return invalid_argument("two variables have the name '", v.name, "'");
    Status sized = check_type({v.dtype, v.shape});
    if (sized.ok()) sized = byte_size(v.dtype, v.shape).status();  // refuses unknown dims
    if (!sized.ok()) return sized.with_context(str_cat("variable '", v.name, "'"));
    ValueType first{v.initial.dtype(), v.initial.shape()};
    if (!v.initial.defined()) {
      const auto found = given.find(v.name);
      if (found == given.end()) {
        return invalid_argument("variable '", v.name, "' has no initial value, and 'init' has no output of this name");
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

// Limit on the work that nodes calling functions may cause in the type check.
int64_t work_limit(const Graph& graph) {
  size_t size = graph.functions.size();
  for (const Function& f : graph.functions) {
    size += f.values.size() + f.nodes.size() + f.inputs.size() + f.outputs.size();
    for (const Node& node : f.nodes) size += node.inputs.size() + node.outputs.size();
  }
  return static_cast<int64_t>(16 * size + (size_t{1} << 20));
}

}  // namespace

Status check_name(std::string_view name) {
  if (name.empty()) return invalid_argument("the name is empty");
  if (name.size() > kMaxNameBytes) {
    return invalid_argument("the name has ", u64(name.size()), " bytes, the limit is ", u64(kMaxNameBytes));
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    return invalid_argument("the name contains a control character");
  }
  return {};
}

Status validate_structure(const Graph& graph) {
  if (graph.functions.empty() || graph.functions[0].name != kMainFunction) {
    return invalid_argument("a graph needs 'main' as its first function");
  }
  Names names;
  for (size_t i = 0; i < graph.functions.size(); ++i) {
    const Function& f = graph.functions[i];
    PERCALE_RETURN_IF_ERROR(check_name(f.name).with_context(str_cat("function ", u64(i))));
    if (!names.insert(f.name).second) return invalid_argument("two functions have the name '", f.name, "'");
    PERCALE_RETURN_IF_ERROR(check_structure(f).with_context(str_cat("function '", f.name, "'")));
  }
  return check_nesting(graph);
}

Status validate(const Graph& graph) {
  PERCALE_RETURN_IF_ERROR(validate_structure(graph));
  PERCALE_RETURN_IF_ERROR(check_variables(graph));
  VariableIndex variables;
  for (const Variable& v : graph.variables) variables.emplace(v.name, &v);
  const DeclaredFunctionTypes functions(graph, work_limit(graph));
  for (const Function& f : graph.functions) {
    PERCALE_RETURN_IF_ERROR(check_types(functions, variables, f).with_context(str_cat("function '", f.name, "'")));
  }
  return queues_of(graph).status();
}

}  // namespace percale
