// The body of a fused node as plug-ins see it: nodes and numbered values.
#ifndef PERCALE_C_API_PLUGIN_FUSED_VIEW_H_
#define PERCALE_C_API_PLUGIN_FUSED_VIEW_H_

#include "core/registry/kernel.h"

namespace percale::c_api {

// As the slots of percale_host_api that are called so say.
size_t fused_node_count(const NodeView* node);
const NodeView* fused_node(const NodeView* node, size_t index);
int32_t fused_node_input(const NodeView* node, size_t index, size_t input);
int32_t fused_node_output(const NodeView* node, size_t index);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_PLUGIN_FUSED_VIEW_H_
