/**
 * @file percale_plugin.h
 * The interface of plug-ins: tables of functions for devices, kernels, ops, model formats and
 * transports.
 *
 * A plug-in is a shared library that exports one function, percale_plugin_init(). It receives the
 * functions that the library offers (percale_host_api) and returns a table of what it adds
 * (percale_plugin_api). It must have no undefined percale_* symbol, so that it can never bind to
 * another copy of the library than the one that opened it.
 *
 * Names: percale_host_* are tables of the library; the other tables are implemented by plug-ins.
 * For C++ there is percale_plugin.hpp, for Rust the crate percale-plugin.
 *
 * Every table starts with `uint32_t struct_size`, which its author sets to the sizeof of the struct
 * that it was compiled against. Tables only ever grow at the end. A NULL slot means "not
 * implemented". No function of a table may throw or abort.
 *
 * A function of a plug-in calls the library through percale_host_api alone, and only the tables
 * that fit its own arguments: `node` with a node view, `kernel_plan` within plan(), `run` and `log`
 * within run(), `shape` and `grad` within the functions of an op, `builder` and `graph` within
 * those of a format. `status`, `attributes` and `tensor` may be called anywhere, but run() should
 * allocate nothing. A borrowed pointer must not be used after the call that it was given for.
 */
#ifndef PERCALE_PLUGIN_H_
#define PERCALE_PLUGIN_H_

#include "percale.h"
#include "percale/plugin/device.h"
#include "percale/plugin/format.h"
#include "percale/plugin/host_graph.h"
#include "percale/plugin/host_kernel.h"
#include "percale/plugin/kernel.h"
#include "percale/plugin/op.h"
#include "percale/plugin/transport.h"
#include "percale/plugin/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_init The plug-in and its entry point
 * A complete plug-in with one kernel:
 *
 * @code
 * static const percale_kernel* const kernels[] = {&square_kernel};
 * static percale_plugin_api api;
 *
 * percale_status* percale_plugin_init(const percale_host_api* given, uint32_t host_abi,
 *                                     const char* path, const percale_plugin_api** out_plugin) {
 *   host = given;
 *   api.struct_size = sizeof api;
 *   api.name = "square", api.version = "1.0", api.domain = "";
 *   api.kernels = kernels, api.kernel_count = 1;
 *   *out_plugin = &api;
 *   return NULL;
 * }
 * @endcode
 * @{
 */

/** The functions that the library offers a plug-in, by theme. It and its tables live as long as the
 * process. \since 0.1 */
typedef struct percale_host_api {
  uint32_t struct_size;
  const percale_host_status_api* status;
  const percale_host_log_api* log;
  const percale_host_tensor_api* tensor;
  const percale_host_attributes_api* attributes;
  const percale_host_node_api* node;
  const percale_host_kernel_plan_api* kernel_plan;
  const percale_host_run_api* run;
  const percale_host_shape_api* shape;
  const percale_host_grad_api* grad;
  const percale_host_builder_api* builder;
  const percale_host_graph_api* graph;
} percale_host_api;

/** The additions of a plug-in. Everything that it points to lives as long as the process.
 * \since 0.1 */
typedef struct percale_plugin_api {
  uint32_t struct_size;
  /** Name of the plug-in: "onednn". */
  const char* name;
  /** Its version, which the numerics fingerprint contains if it brings kernels. */
  const char* version;
  /** Domain of its ops: they are named "domain:Op" in graphs. Needed with ops; it may be neither ""
   * nor "ai.onnx" nor "percale", whose ops are the library's. */
  const char* domain;
  const percale_op* const* ops;
  size_t op_count;
  /** Kernels, which come before those that are already there, in this order. */
  const percale_kernel* const* kernels;
  size_t kernel_count;
  const percale_device_api* const* devices;
  size_t device_count;
  const percale_format* const* formats;
  size_t format_count;
  const percale_transport* const* transports;
  size_t transport_count;
} percale_plugin_api;

/** Type of percale_plugin_init(), the only function that a plug-in exports. `host_abi` is the
 * PERCALE_PLUGIN_ABI of the library, `path` the plug-in's own file. On failure it returns a status
 * of `host->status->create`. If the plug-in was found in a folder, it is then reported as absent
 * with that reason; if the option "plugin_path" names its file, the engine fails.
 *
 * It is called whenever an engine is made, from any thread, and by each copy of the library in the
 * process with a table of its own. A plug-in that keeps the first table refuses those of other
 * copies; one that serves all of them gives each its own tables and finds the host by `user`. The
 * file of a plug-in stays open until the process ends. \since 0.1 */
typedef percale_status* (*percale_plugin_init_fn)(const percale_host_api* host, uint32_t host_abi, const char* path,
                                                  const percale_plugin_api** out_plugin);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_H_ */
