/**
 * @file percale/plugin/host_graph.h
 * Functions of the library for ops and formats: shapes, gradients, graphs to build and to read.
 */
#ifndef PERCALE_PLUGIN_HOST_GRAPH_H_
#define PERCALE_PLUGIN_HOST_GRAPH_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_host_shape Shape functions
 * The node whose outputs a shape function describes. Not thread-safe; used by the thread that calls
 * the shape function.
 *
 * @code
 * return host->shape->set_output(context, 0, PERCALE_DTYPE_F32, dims, rank);
 * @endcode
 * @{
 */

/** Shapes of a node. Arrays are borrowed from the context. \since 0.1 */
typedef struct percale_host_shape_api {
  uint32_t struct_size;
  size_t (*input_count)(const percale_shape_context* context);
  /** Returns the element type; 0: absent. */
  percale_dtype (*input_dtype)(const percale_shape_context* context, size_t index);
  /** Returns the dims, -1 where unknown. `*out_rank` is SIZE_MAX if even the rank is unknown. */
  const int64_t* (*input_dims)(const percale_shape_context* context, size_t index, size_t* out_rank);
  /** Returns the elements of an input whose value is known, else NULL. */
  const void* (*input_constant)(const percale_shape_context* context, size_t index);
  const percale_attributes* (*attributes)(const percale_shape_context* context);
  /** Sets an output's element type and dims, -1 where unknown; a `rank` of SIZE_MAX: unknown rank.
   * INVALID_ARGUMENT: no such element type, or a rank above 8. */
  percale_status* (*set_output)(percale_shape_context* context, size_t index, percale_dtype dtype, const int64_t* dims,
                                size_t rank);
} percale_host_shape_api;

/** @} */

/**
 * @defgroup plugin_host_grad Gradient functions
 * The node whose gradient is wanted, and the nodes that compute it. Values are numbers; -1: absent.
 * After the first error nothing more is emitted, all emitted values are -1, and the gradient fails
 * with that error: a gradient function need not check. Used by the thread that calls it.
 *
 * @code
 * // y = x^2: dx = dy * 2x
 * int32_t x = host->grad->input(c, 0), dy = host->grad->output_gradient(c, 0);
 * int32_t two[] = {x, host->grad->scalar(c, host->grad->dtype(c, x), 2)};
 * int32_t product[] = {dy, host->grad->emit(c, "Mul", two, 2, NULL, 0)};
 * host->grad->set_input_gradient(c, 0, host->grad->emit(c, "Mul", product, 2, NULL, 0));
 * @endcode
 * @{
 */

/** The gradient of a node. \since 0.1 */
typedef struct percale_host_grad_api {
  uint32_t struct_size;
  const percale_attributes* (*attributes)(const percale_grad_context* context);
  /** Returns an input of the node. */
  int32_t (*input)(const percale_grad_context* context, size_t index);
  /** Returns an output of the node. */
  int32_t (*output)(const percale_grad_context* context, size_t index);
  /** Returns the gradient that arrives at an output; -1: zero. */
  int32_t (*output_gradient)(const percale_grad_context* context, size_t index);
  /** Returns 1 if the gradient of an input is needed: work for others can be left out. */
  int32_t (*wants)(const percale_grad_context* context, size_t input_index);
  /** Returns the element type of a value; 0 for -1. */
  percale_dtype (*dtype)(const percale_grad_context* context, int32_t value);
  /** Gives the dims of a value, -1 where unknown, and the rank, SIZE_MAX if unknown. `out_dims` has
   * room for 8. */
  void (*dims)(const percale_grad_context* context, int32_t value, int64_t* out_dims, size_t* out_rank);
  /** Returns a constant of rank 0 that holds `value` converted to `dtype`, which is a type of at
   * least 8 bits. */
  int32_t (*scalar)(percale_grad_context* context, percale_dtype dtype, double value);
  /** Returns an i64 constant of rank 1, as shapes and axes are given to ops. */
  int32_t (*ints)(percale_grad_context* context, const int64_t* values, size_t count);
  /** Adds a node "Op" or "domain:Op" with these inputs and attributes and returns its first output;
   * -1 after an error. The attributes are copied; their kinds may be any but TENSOR and
   * FUNCTION. */
  int32_t (*emit)(percale_grad_context* context, const char* op, const int32_t* inputs, size_t input_count,
                  const percale_attribute* attributes, size_t attribute_count);
  /** As `emit`, for an op with `output_count` outputs, which go to `out_values`. */
  void (*emit_outputs)(percale_grad_context* context, const char* op, const int32_t* inputs, size_t input_count,
                       const percale_attribute* attributes, size_t attribute_count, int32_t* out_values,
                       size_t output_count);
  /** Sets the gradient with respect to an input. An input without one counts as zero. */
  void (*set_input_gradient)(percale_grad_context* context, size_t input_index, int32_t value);
} percale_host_grad_api;

/** @} */

/**
 * @defgroup plugin_host_builder Building a graph
 * The graph that a format imports. Functions that share their name with percale_builder_ functions
 * of percale.h do the same. Used by the thread that calls the import.
 *
 * @code
 * percale_value x, y;
 * host->builder->input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x);
 * host->builder->node(builder, "Relu", 14, "relu");
 * host->builder->add_input(builder, x);
 * host->builder->finish_node(builder, 1, &y);
 * host->builder->set_outputs(builder, &y, 1);
 * @endcode
 * @{
 */

/** A graph builder. \since 0.1 */
typedef struct percale_host_builder_api {
  uint32_t struct_size;
  /** Returns the engine that the graph is built for, borrowed from the builder. */
  percale_engine* (*engine)(percale_builder* builder);
  /** Returns 1 if nodes of `op` ("Conv", "domain:Op") can be made as opset `version` of the op's
   * domain defines it; 0 for `version`: the newest. */
  int32_t (*knows_op)(const percale_builder* builder, const char* op, int32_t version);
  /** Stores a fact about the graph with it. */
  percale_status* (*set_metadata)(percale_builder* builder, const char* key, const char* value);

  /* Functions and their values. */

  percale_status* (*begin_function)(percale_builder* builder, const char* name);
  percale_status* (*end_function)(percale_builder* builder);
  /** Adds an input of the current function. `dims`: `rank` sizes, -1 where unknown; a `rank` of
   * SIZE_MAX: unknown rank. */
  percale_status* (*input)(percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims,
                           size_t rank, percale_value* out_value);
  percale_status* (*constant)(percale_builder* builder, const char* name, percale_tensor* tensor,
                              percale_value* out_value);
  /** Adds a variable; `trainable` is 0 for one that no optimizer changes. */
  percale_status* (*variable)(percale_builder* builder, const char* name, percale_tensor* initial, int32_t trainable,
                              percale_value* out_value);
  /** Reserves a name of the current function for the input or renamed value that will get it. */
  percale_status* (*reserve_name)(percale_builder* builder, const char* name);
  percale_status* (*rename)(percale_builder* builder, percale_value value, const char* name);
  /** Gives element type, dims and rank of a value. `out_dims` has room for 8. */
  percale_status* (*value_type)(const percale_builder* builder, percale_value value, percale_dtype* out_dtype,
                                int64_t* out_dims, size_t* out_rank);
  percale_status* (*set_outputs)(percale_builder* builder, const percale_value* values, size_t count);

  /* Nodes: `node`, then inputs and attributes, then `finish_node`. */

  /** Starts a node. `version` is the opset of the op's domain that defines its meaning; nodes of
   * older opsets are upgraded. 0: the newest. `name` may be NULL. */
  percale_status* (*node)(percale_builder* builder, const char* op, int32_t version, const char* name);
  percale_status* (*add_input)(percale_builder* builder, percale_value value);
  percale_status* (*set_int)(percale_builder* builder, const char* attribute, int64_t value);
  percale_status* (*set_float)(percale_builder* builder, const char* attribute, double value);
  percale_status* (*set_string)(percale_builder* builder, const char* attribute, const char* value);
  percale_status* (*set_ints)(percale_builder* builder, const char* attribute, const int64_t* values, size_t count);
  percale_status* (*set_floats)(percale_builder* builder, const char* attribute, const double* values, size_t count);
  percale_status* (*set_strings)(percale_builder* builder, const char* attribute, const char* const* values,
                                 size_t count);
  percale_status* (*set_tensor)(percale_builder* builder, const char* attribute, percale_tensor* value);
  percale_status* (*set_function)(percale_builder* builder, const char* attribute, const char* function);
  percale_status* (*finish_node)(percale_builder* builder, size_t output_count, percale_value* out_values);

  /* Files of the host, where the folder of the model begins with "host:". */

  /** Gives the size of a file in bytes. `path` begins with the folder. */
  percale_status* (*file_size)(percale_engine* engine, const char* path, int64_t* out_size);
  /** Reads `size` bytes from byte `offset` of a file, within its size. */
  percale_status* (*read_file)(percale_engine* engine, const char* path, int64_t offset, void* buffer, size_t size);
} percale_host_builder_api;

/** @} */

/**
 * @defgroup plugin_host_graph Reading a graph
 * The graph that a format exports. Functions ("main" first), values, nodes in execution order,
 * attributes and variables are numbered from 0. Thread-safe. Text and arrays are borrowed from the
 * graph.
 *
 * @code
 * percale_graph_node_info node;
 * node.struct_size = sizeof node;
 * for (size_t i = 0; host->graph->node(graph, 0, i, &node); ++i) ...
 * @endcode
 * @{
 */

/** A function of a graph. The caller sets `struct_size`, as in all of these structs. \since 0.1 */
typedef struct percale_graph_function_info {
  uint32_t struct_size;
  const char* name;
  size_t value_count;
  size_t node_count;
  /** Numbers of values. */
  const int32_t* inputs;
  size_t input_count;
  /** Numbers of values. */
  const int32_t* outputs;
  size_t output_count;
} percale_graph_function_info;

/** A value of a function. \since 0.1 */
typedef struct percale_graph_value_info {
  uint32_t struct_size;
  const char* name;
  percale_dtype dtype;
  /** -1 where unknown. */
  const int64_t* dims;
  /** SIZE_MAX: unknown. */
  size_t rank;
  /** The elements of a constant, else NULL. */
  const void* data;
  uint64_t bytes;
} percale_graph_value_info;

/** A node of a function. \since 0.1 */
typedef struct percale_graph_node_info {
  uint32_t struct_size;
  /** "" for ONNX's own. */
  const char* domain;
  const char* op;
  /** The opset of the domain that gave the op its meaning. */
  int32_t version;
  const char* name;
  /** Numbers of values; -1: absent. */
  const int32_t* inputs;
  size_t input_count;
  /** Numbers of values. */
  const int32_t* outputs;
  size_t output_count;
  /** The attributes that the node gives, without defaults. */
  const percale_attributes* attributes;
} percale_graph_node_info;

/** A variable of a graph. \since 0.1 */
typedef struct percale_graph_variable_info {
  uint32_t struct_size;
  const char* name;
  percale_dtype dtype;
  const int64_t* dims;
  size_t rank;
  int32_t trainable;
  /** Its initial value; NULL if the function "init" computes it. */
  const void* data;
  uint64_t bytes;
} percale_graph_variable_info;

/** A finished graph. A function that fills a struct returns 1, or 0 past the end. \since 0.1 */
typedef struct percale_host_graph_api {
  uint32_t struct_size;
  int32_t (*function)(const percale_graph* graph, size_t index, percale_graph_function_info* out_info);
  int32_t (*value)(const percale_graph* graph, size_t function, size_t index, percale_graph_value_info* out_info);
  int32_t (*node)(const percale_graph* graph, size_t function, size_t index, percale_graph_node_info* out_info);
  int32_t (*variable)(const percale_graph* graph, size_t index, percale_graph_variable_info* out_info);
  /** Gives one fact that is stored with the graph, in the order of keys. */
  int32_t (*metadata)(const percale_graph* graph, size_t index, const char** out_key, const char** out_value,
                      size_t* out_value_size);
  /** Makes a graph with the same outputs, without nodes that they do not depend on and without
   * calls of functions by Call nodes. An op that is composed of others is replaced by them if
   * `keeps` returns 0 for it. The caller releases the graph. FAILED_PRECONDITION: an output depends
   * on the value of a variable after the run has changed it. */
  percale_status* (*inference)(const percale_graph* graph,
                               int32_t (*keeps)(void* user, const char* domain, const char* op, int32_t version),
                               void* user, percale_graph** out_graph);
  /** Releases a graph of `inference`. */
  void (*release)(percale_graph* graph);
} percale_host_graph_api;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_HOST_GRAPH_H_ */
