#include "core/graph_io/describe.h"

#include <map>

namespace percale {
namespace {

void write_type(JsonWriter& json, const ValueType& type) {
  json.key("dtype").value(dtype_name(type.dtype)).key("dims");
  if (!type.shape.known_rank()) {
    json.null();
    return;
  }
  json.begin_array();
  for (int64_t dim : type.shape) json.value(dim);
  json.end_array();
}

void write_values(JsonWriter& json, const Function& f, const std::vector<ValueId>& ids) {
  json.begin_array();
  for (ValueId id : ids) {
    if (id == kNoValue) {
      json.null();
      continue;
    }
    json.begin_object().key("name").value(f.value(id).name);
    write_type(json, f.type(id));
    json.end_object();
  }
  json.end_array();
}

int64_t bytes_of(const Variable& variable) {
  const auto bytes = byte_size(variable.dtype, variable.shape);
  return bytes.ok() ? *bytes : 0;
}

void write_variable(JsonWriter& json, const Variable& variable) {
  json.begin_object().key("name").value(variable.name);
  write_type(json, {variable.dtype, variable.shape});
  json.key("trainable").value(variable.trainable).key("slot").value(variable.slot);
  json.key("initial").value(variable.initial.defined() ? "stored" : "drawn").end_object();
}

}  // namespace

void write_attribute(JsonWriter& json, const AttrValue& value) {
  if (const auto* i = value.get_if<int64_t>()) {
    json.value(*i);
  } else if (const auto* d = value.get_if<double>()) {
    json.value(*d);
  } else if (const auto* s = value.get_if<std::string>()) {
    json.value(*s);
  } else if (const auto* f = value.get_if<FunctionRef>()) {
    json.begin_object().key("function").value(f->name).end_object();
  } else if (const auto* t = value.get_if<Tensor>()) {
    json.begin_object();
    write_type(json, {t->dtype(), t->shape()});
    json.end_object();
  } else {
    json.begin_array();
    if (const auto* ints = value.get_if<std::vector<int64_t>>()) {
      for (int64_t v : *ints) json.value(v);
    } else if (const auto* floats = value.get_if<std::vector<double>>()) {
      for (double v : *floats) json.value(v);
    } else if (const auto* strings = value.get_if<std::vector<std::string>>()) {
      for (const std::string& v : *strings) json.value(v);
    }
    json.end_array();
  }
}

std::string describe_graph(const Graph& graph) {
  std::map<std::string, int64_t> ops;
  int64_t nodes = 0, constant_bytes = 0, parameters = 0, variable_bytes = 0;
  JsonWriter json;
  json.begin_object().key("functions").begin_array();
  for (const Function& f : graph.functions) {
    json.begin_object().key("name").value(f.name).key("nodes").value(static_cast<int64_t>(f.nodes.size()));
    json.key("inputs").value(static_cast<int64_t>(f.inputs.size()));
    json.key("outputs").value(static_cast<int64_t>(f.outputs.size())).end_object();
    for (const Node& node : f.nodes) ++ops[op_name(*node.op)];
    for (const Tensor& constant : f.constants) constant_bytes += constant.bytes();
    nodes += static_cast<int64_t>(f.nodes.size());
  }
  json.end_array().key("inputs");
  write_values(json, graph.main(), graph.main().inputs);
  json.key("outputs");
  write_values(json, graph.main(), graph.main().outputs);
  json.key("variables").begin_array();
  for (const Variable& variable : graph.variables) {
    write_variable(json, variable);
    variable_bytes += bytes_of(variable);
    if (!variable.slot) parameters += variable.shape.num_elements();
  }
  json.end_array().key("ops").begin_object();
  for (const auto& [op, count] : ops) json.key(op).value(count);
  json.end_object().key("nodes").value(nodes).key("parameters").value(parameters);
  json.key("bytes").begin_object().key("variables").value(variable_bytes);
  json.key("constants").value(constant_bytes).end_object().key("metadata").begin_object();
  for (const auto& [key, value] : graph.metadata) json.key(key).value(value);
  json.end_object().end_object();
  return json.text();
}

std::string describe_nodes(const Graph& graph) {
  JsonWriter json;
  json.begin_array();
  for (const Function& f : graph.functions) {
    for (const Node& node : f.nodes) {
      json.begin_object().key("function").value(f.name).key("name").value(node.name);
      json.key("op").value(op_name(*node.op)).key("inputs");
      write_values(json, f, node.inputs);
      json.key("outputs");
      write_values(json, f, node.outputs);
      json.key("after").begin_array();
      for (NodeId before : node.control) json.value(f.node(before).name);
      json.end_array().key("attributes").begin_object();
      for (const auto& [name, value] : node.attributes) {
        json.key(name);
        write_attribute(json, value);
      }
      json.end_object().key("device").value(node.device).end_object();
    }
  }
  json.end_array();
  return json.text();
}

}  // namespace percale
