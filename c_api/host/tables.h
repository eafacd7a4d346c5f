// The tables of functions that plug-ins get, one per theme. percale_plugin.h documents them.
#ifndef PERCALE_C_API_HOST_TABLES_H_
#define PERCALE_C_API_HOST_TABLES_H_

#include "c_api/include/percale_plugin.h"

namespace percale::c_api {

extern const percale_host_status_api kHostStatus;
extern const percale_host_log_api kHostLog;
extern const percale_host_tensor_api kHostTensor;
extern const percale_host_attributes_api kHostAttributes;
extern const percale_host_node_api kHostNode;
extern const percale_host_kernel_plan_api kHostKernelPlan;
extern const percale_host_run_api kHostRun;
extern const percale_host_shape_api kHostShape;
extern const percale_host_grad_api kHostGrad;
extern const percale_host_builder_api kHostBuilder;
extern const percale_host_graph_api kHostGraph;

}  // namespace percale::c_api

#endif  // PERCALE_C_API_HOST_TABLES_H_
