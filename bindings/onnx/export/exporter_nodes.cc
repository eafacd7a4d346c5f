// The part of the exporter that writes nodes: operands and attributes in the form of the opset.
#include <algorithm>

#include "bindings/onnx/export/exporter.h"

namespace percale_onnx {
namespace {

// Returns true for attributes that Percale adds to ops of ONNX: the stream of random numbers, the
// number of carried values of a loop, and its longest trip count.
bool is_our_own(std::string_view domain, std::string_view attribute) {
  return domain.empty() && (attribute == "id" || attribute == "num_carried" || attribute == "trip_limit");
}

// Returns the name without a number after it: "x" for "x_12".
std::string_view base_of(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != std::string_view::npos && end + 1 < name.size() && end > 0 && name[end] == '_' ? name.substr(0, end)
                                                                                               : name;
}

// Returns the number of inputs that a node has in ONNX. The values that its functions capture are
// trailing inputs, which their sub-graphs use directly.
size_t own_inputs(const percale_graph_node_info& info, int64_t carried, bool carries) {
  size_t count = info.input_count;
  if (carries) count = std::min(count, carried < 0 ? size_t{1} : static_cast<size_t>(carried) + 2);
  while (count > 0 && info.inputs[count - 1] < 0) --count;
  return count;
}

}  // namespace

int64_t Exporter::carried_by(const percale_graph_node_info& info) const {
  for (const percale_attribute& a : attributes(info)) {
    if (std::string_view(a.name) == "num_carried") return a.i;
  }
  return -1;
}

OnnxNode Exporter::onnx_node(size_t function, size_t index) const {
  const percale_graph_node_info info = node(function, index);
  OnnxNode out;
  out.op = info.op;
  bool carries = false;
  for (const percale_attribute& a : attributes(info)) {
    carries = carries || a.kind == PERCALE_ATTRIBUTE_FUNCTION;
    if (!is_our_own(info.domain, a.name)) out.attributes.push_back(a);
  }
  const auto type_of = [&](int32_t id) { return id < 0 ? percale_graph_value_info{} : value(function, id); };
  const size_t inputs = own_inputs(info, carried_by(info), carries);
  for (size_t i = 0; i < inputs; ++i) out.inputs.push_back(type_of(info.inputs[i]));
  size_t outputs = info.output_count;
  while (outputs > 0 && info.outputs[outputs - 1] < 0) --outputs;
  for (size_t i = 0; i < outputs; ++i) out.outputs.push_back(type_of(info.outputs[i]));
  return out;
}

OnnxNode Exporter::written_node(size_t function, size_t index) const {
  OnnxNode out = onnx_node(function, index);
  if (*node(function, index).domain == '\0') to_opset(&out, opsets_.at(""));
  return out;
}

std::vector<bool> Exporter::read_values(const Scope& scope) const {
  std::vector<bool> out(scope.info.value_count, false);
  const auto read = [&](int32_t id) {
    if (id >= 0) out[static_cast<size_t>(id)] = true;
  };
  for (size_t n = 0; n < scope.info.node_count; ++n) {
    const percale_graph_node_info info = node(scope.function, n);
    const size_t written = written_node(scope.function, n).inputs.size();
    const size_t own = onnx_node(scope.function, n).inputs.size();
    for (size_t i = 0; i < info.input_count; ++i) {
      if (i < written || i >= own) read(info.inputs[i]);
    }
  }
  for (size_t i = 0; i < scope.info.output_count; ++i) read(scope.info.outputs[i]);
  return out;
}

Status Exporter::write_node(const Scope& scope, size_t index, MessageWriter* graph) {
  const percale_graph_node_info info = node(scope.function, index);
  if (--nodes_left_ < 0) {
    return Status(PERCALE_RESOURCE_EXHAUSTED, "functions that call each other expand to too many nodes");
  }
  if (!variable_of(info).empty()) return {};
  if (scope.function == 0 && absorbed_.contains(index)) return {};
  const OnnxNode form = written_node(scope.function, index);
  MessageWriter out;
  const auto name_of = [&](int32_t id) -> std::string_view {
    return id < 0 ? std::string_view() : std::string_view(scope.names[static_cast<size_t>(id)]);
  };
  for (size_t i = 0; i < form.inputs.size(); ++i) out.bytes(1, name_of(info.inputs[i]));
  for (size_t i = 0; i < form.outputs.size(); ++i) out.bytes(2, name_of(info.outputs[i]));
  // Nodes and values share one set of names. If a value has the name of the node, with or without a
  // number after it, the library generated the name, and it is not written.
  const std::string name = info.name, base(base_of(name));
  if (!taken_.contains(name) && !taken_.contains(base) && is_utf8(name)) out.bytes(3, name);
  out.bytes(4, form.op);
  for (const percale_attribute& a : form.attributes) {
    MessageWriter field;
    if (a.kind == PERCALE_ATTRIBUTE_FUNCTION) {
      field.bytes(1, a.name);
      MessageWriter inner;
      inner.bytes(2, a.name);
      const int64_t carried = carried_by(info);
      ONNX_TRY(write_graph(scope, info, carried, {a.text, a.text_size}, &inner));
      field.message(6, std::move(inner));
      field.integer(20, PERCALE_ATTRIBUTE_FUNCTION);
    } else {
      write_attribute(info, a, &field);
    }
    out.message(5, std::move(field));
  }
  if (*info.domain != '\0') out.bytes(7, info.domain);
  graph->message(1, std::move(out));
  return {};
}

void Exporter::write_attribute(const percale_graph_node_info& info, const percale_attribute& a, MessageWriter* out) {
  out->bytes(1, a.name);
  switch (a.kind) {
    case PERCALE_ATTRIBUTE_FLOAT: out->real(2, static_cast<float>(a.f)); break;
    case PERCALE_ATTRIBUTE_INT: out->integer(3, a.i); break;
    case PERCALE_ATTRIBUTE_STRING: out->bytes(4, {a.text, a.text_size}); break;
    case PERCALE_ATTRIBUTE_TENSOR: out->message(5, tensor({}, a.dtype, a.dims, a.rank, a.data, a.bytes)); break;
    case PERCALE_ATTRIBUTE_FLOATS:
      for (size_t i = 0; i < a.count; ++i) out->real(7, static_cast<float>(a.floats[i]));
      break;
    case PERCALE_ATTRIBUTE_INTS:
      for (size_t i = 0; i < a.count; ++i) out->integer(8, a.ints[i]);
      break;
    case PERCALE_ATTRIBUTE_STRINGS:
      for (size_t i = 0; i < a.count; ++i) {
        size_t size = 0;
        const char* text = host_->attributes->get_string_at(info.attributes, a.name, i, &size);
        out->bytes(9, {text, size});
      }
      break;
    default: break;
  }
  out->integer(20, a.kind);
}

}  // namespace percale_onnx
