// The body of a node "percale:Fused" as plug-ins see it: nodes and numbered values.
#ifndef PERCALE_C_API_HOST_BODY_VIEW_H_
#define PERCALE_C_API_HOST_BODY_VIEW_H_

#include "core/registry/kernel.h"

namespace percale::c_api {

// The slots of percale_host_node_api with these names.
size_t body_node_count(const NodeView* node);
const NodeView* body_node(const NodeView* node, size_t index);
int32_t body_input(const NodeView* node, size_t index, size_t input);
int32_t body_output(const NodeView* node, size_t index);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_HOST_BODY_VIEW_H_
