#include "c_api/plugin/host_graph.h"

#include <iterator>

#include "c_api/api.h"
#include "c_api/handles.h"
#include "core/passes/inference.h"

namespace percale::c_api {
namespace {

const Function* function_at(const percale_graph* graph, size_t index) {
  const auto& functions = graph->graph->functions;
  return index < functions.size() ? &functions[index] : nullptr;
}
const Node* node_at(const percale_graph* graph, size_t function, size_t index) {
  const Function* f = function_at(graph, function);
  return f != nullptr && index < f->nodes.size() ? &f->nodes[index] : nullptr;
}
const Attributes::Entry* attribute_at(const percale_graph* graph, size_t function, size_t node, size_t index) {
  const Node* n = node_at(graph, function, node);
  if (n == nullptr || index >= n->attributes.size()) return nullptr;
  return &*std::next(n->attributes.begin(), static_cast<ptrdiff_t>(index));
}

// 0 for a caller whose struct is older than ours.
template <class Info>
int32_t give(const Info& info, Info* out) {
  if (out->struct_size < sizeof(Info)) return 0;
  const uint32_t size = out->struct_size;
  *out = info;
  out->struct_size = size;
  return 1;
}

// The dims and the rank of a shape, which must live on.
template <class Info>
void set_dims(const Shape& shape, Info& info) {
  info.dims = shape.begin();
  info.rank = shape.known_rank() ? shape.rank() : SIZE_MAX;
}
template <class Info>
void set_tensor(const Tensor& tensor, Info& info) {
  info.dtype = static_cast<percale_dtype>(tensor.dtype());
  set_dims(tensor.shape(), info);
  info.data = tensor.data();
  info.bytes = static_cast<uint64_t>(tensor.bytes());
}

}  // namespace

int32_t graph_function(const percale_graph* graph, size_t index, percale_graph_function_info* out) {
  const Function* f = function_at(graph, index);
  if (f == nullptr) return 0;
  percale_graph_function_info info{};
  info.name = f->name.c_str();
  info.value_count = f->values.size();
  info.node_count = f->nodes.size();
  info.inputs = f->inputs.data();
  info.input_count = f->inputs.size();
  info.outputs = f->outputs.data();
  info.output_count = f->outputs.size();
  return give(info, out);
}

int32_t graph_value(const percale_graph* graph, size_t function, size_t index, percale_graph_value_info* out) {
  const Function* f = function_at(graph, function);
  if (f == nullptr || index >= f->values.size()) return 0;
  const Value& value = f->values[index];
  percale_graph_value_info info{};
  if (const Tensor* tensor = f->constant(static_cast<ValueId>(index))) {
    set_tensor(*tensor, info);
  } else {
    info.dtype = static_cast<percale_dtype>(value.type.dtype);
    set_dims(value.type.shape, info);
  }
  info.name = value.name.c_str();
  return give(info, out);
}

int32_t graph_node(const percale_graph* graph, size_t function, size_t index, percale_graph_node_info* out) {
  const Node* node = node_at(graph, function, index);
  if (node == nullptr) return 0;
  percale_graph_node_info info{};
  // Names of ops stand in literals, which end with NUL.
  info.domain = node->op->domain.data();
  info.op = node->op->name.data();
  info.version = node->op->since;
  info.name = node->name.c_str();
  info.inputs = node->inputs.data();
  info.input_count = node->inputs.size();
  info.outputs = node->outputs.data();
  info.output_count = node->outputs.size();
  info.attribute_count = node->attributes.size();
  return give(info, out);
}

int32_t graph_attribute(const percale_graph* graph, size_t function, size_t node, size_t index,
                        percale_graph_attribute_info* out) {
  const Attributes::Entry* entry = attribute_at(graph, function, node, index);
  if (entry == nullptr) return 0;
  const AttrValue& value = entry->second;
  percale_graph_attribute_info info{};
  info.name = entry->first.c_str();
  info.kind = static_cast<int32_t>(value.kind());
  const auto set_text = [&](const std::string& text) {
    info.text = text.c_str();
    info.text_size = text.size();
  };
  if (const auto* f = value.get_if<double>()) info.f = *f;
  if (const auto* i = value.get_if<int64_t>()) info.i = *i;
  if (const auto* text = value.get_if<std::string>()) set_text(*text);
  if (const auto* ref = value.get_if<FunctionRef>()) set_text(ref->name);
  if (const auto* tensor = value.get_if<Tensor>()) set_tensor(*tensor, info);
  if (const auto* floats = value.get_if<std::vector<double>>()) {
    info.floats = floats->data();
    info.count = floats->size();
  }
  if (const auto* ints = value.get_if<std::vector<int64_t>>()) {
    info.ints = ints->data();
    info.count = ints->size();
  }
  if (const auto* texts = value.get_if<std::vector<std::string>>()) info.count = texts->size();
  return give(info, out);
}

const char* graph_attribute_string(const percale_graph* graph, size_t function, size_t node, size_t attribute,
                                   size_t index, size_t* out_size) {
  const Attributes::Entry* entry = attribute_at(graph, function, node, attribute);
  const auto* texts = entry == nullptr ? nullptr : entry->second.get_if<std::vector<std::string>>();
  if (texts == nullptr || index >= texts->size()) return nullptr;
  *out_size = (*texts)[index].size();
  return (*texts)[index].c_str();
}

int32_t graph_variable(const percale_graph* graph, size_t index, percale_graph_variable_info* out) {
  const auto& variables = graph->graph->variables;
  if (index >= variables.size()) return 0;
  const Variable& variable = variables[index];
  percale_graph_variable_info info{};
  if (variable.initial.defined()) {
    set_tensor(variable.initial, info);
  } else {
    info.dtype = static_cast<percale_dtype>(variable.dtype);
    set_dims(variable.shape, info);
  }
  info.name = variable.name.c_str();
  info.trainable = variable.trainable ? 1 : 0;
  return give(info, out);
}

int32_t graph_metadata(const percale_graph* graph, size_t index, const char** out_key, const char** out_value,
                       size_t* out_value_size) {
  const auto& metadata = graph->graph->metadata;
  if (index >= metadata.size()) return 0;
  const auto entry = std::next(metadata.begin(), static_cast<ptrdiff_t>(index));
  *out_key = entry->first.c_str();
  *out_value = entry->second.c_str();
  *out_value_size = entry->second.size();
  return 1;
}

percale_status* graph_inference(const percale_graph* graph,
                                int32_t (*keeps)(void* user, const char* domain, const char* op, int32_t version),
                                void* user, percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {NEEDS(graph), NEEDS(keeps), NEEDS(out_graph)}, [&]() -> Status {
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph, inference_graph(*graph->graph, [&](const OpSchema& op) {
                               return keeps(user, op.domain.data(), op.name.data(), op.since) != 0;
                             }));
    *out_graph = handle.release();
    return {};
  });
}

}  // namespace percale::c_api
