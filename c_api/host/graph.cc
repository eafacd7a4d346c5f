// The table by which a format reads a graph.
#include <iterator>

#include "c_api/api.h"
#include "c_api/handles.h"
#include "c_api/host/attributes.h"
#include "c_api/host/tables.h"
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

// 0 for a caller whose struct is older than this library.
template <class Info>
int32_t give(const Info& info, Info* out) {
  if (out->struct_size < sizeof(Info)) return 0;
  const uint32_t size = out->struct_size;
  *out = info;
  out->struct_size = size;
  return 1;
}

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
  // Names of ops are literals, which end with NUL.
  info.domain = node->op->domain.data();
  info.op = node->op->name.data();
  info.version = node->op->since;
  info.name = node->name.c_str();
  info.inputs = node->inputs.data();
  info.input_count = node->inputs.size();
  info.outputs = node->outputs.data();
  info.output_count = node->outputs.size();
  info.attributes = view_of(node->attributes);
  return give(info, out);
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

}  // namespace

constinit const percale_host_graph_api kHostGraph = {
    .struct_size = sizeof(percale_host_graph_api),
    .function = graph_function,
    .value = graph_value,
    .node = graph_node,
    .variable = graph_variable,
    .metadata = graph_metadata,
    .inference = graph_inference,
    .release = percale_graph_release,
};

}  // namespace percale::c_api
