// The functions of the host table by which an exporter walks over a graph; percale_plugin.h says what they do.
#ifndef PERCALE_C_API_PLUGIN_HOST_GRAPH_H_
#define PERCALE_C_API_PLUGIN_HOST_GRAPH_H_

#include "c_api/include/percale_plugin.h"

namespace percale::c_api {

int32_t graph_function(const percale_graph* graph, size_t index, percale_graph_function_info* out);
int32_t graph_value(const percale_graph* graph, size_t function, size_t index, percale_graph_value_info* out);
int32_t graph_node(const percale_graph* graph, size_t function, size_t index, percale_graph_node_info* out);
int32_t graph_attribute(const percale_graph* graph, size_t function, size_t node, size_t index,
                        percale_graph_attribute_info* out);
const char* graph_attribute_string(const percale_graph* graph, size_t function, size_t node, size_t attribute,
                                   size_t index, size_t* out_size);
int32_t graph_variable(const percale_graph* graph, size_t index, percale_graph_variable_info* out);
int32_t graph_metadata(const percale_graph* graph, size_t index, const char** out_key, const char** out_value,
                       size_t* out_value_size);
percale_status* graph_inference(const percale_graph* graph,
                                int32_t (*keeps)(void* user, const char* domain, const char* op, int32_t version),
                                void* user, percale_graph** out_graph);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_PLUGIN_HOST_GRAPH_H_
