/**
 * @file percale/plugin/host_kernel.h
 * Functions of the library for all plug-ins, and for kernels: status, log, tensors, attributes,
 * nodes, plans, runs.
 */
#ifndef PERCALE_PLUGIN_HOST_KERNEL_H_
#define PERCALE_PLUGIN_HOST_KERNEL_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_host_status Statuses and messages
 * Every function that can fail returns a status, NULL on success. A plug-in makes statuses for the
 * library; it passes on those that it receives, or reads and releases them. Thread-safe.
 *
 * @code
 * return host->status->create(PERCALE_UNIMPLEMENTED, "its input must be f32", PERCALE_NUL_ENDED);
 * @endcode
 * @{
 */

/** Statuses. All but `create` may also be called while a kernel runs. \since 0.1 */
typedef struct percale_host_status_api {
  uint32_t struct_size;
  /** Makes a status; the caller owns it. `message` is UTF-8 and is copied; `message_size` may be
   * PERCALE_NUL_ENDED. A `code` that is no error becomes UNKNOWN. */
  percale_status* (*create)(percale_code code, const char* message, size_t message_size);
  /** Returns the code; PERCALE_OK for NULL. */
  percale_code (*code)(const percale_status* status);
  /** Returns the message, borrowed from the status; "" for NULL. `out_size` may be NULL. */
  const char* (*message)(const percale_status* status, size_t* out_size);
  /** Releases a status. NULL is allowed. */
  void (*release)(percale_status* status);
} percale_host_status_api;

/** The engine's log. \since 0.1 */
typedef struct percale_host_log_api {
  uint32_t struct_size;
  /** Writes a message to the log function of the run's engine, if `level` reaches the option "log".
   * `message` is UTF-8; `message_size` may be PERCALE_NUL_ENDED. For rare events: the log function
   * is the host's own code and may be slow. */
  void (*write)(const percale_run_context* run, percale_log_level level, const char* message, size_t message_size);
} percale_host_log_api;

/** @} */

/**
 * @defgroup plugin_host_tensor Tensors
 * Tensors that formats read and build. The functions equal those of percale.h with the prefix
 * percale_tensor_. Thread-safe.
 * @{
 */

/** Tensors. \since 0.1 */
typedef struct percale_host_tensor_api {
  uint32_t struct_size;
  /** Makes a zeroed tensor in the memory of `engine`; the caller releases it. */
  percale_status* (*create)(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank,
                            percale_tensor** out_tensor);
  /** Returns the elements, row-major, borrowed from the tensor. */
  void* (*get_data)(const percale_tensor* tensor);
  /** Returns the bytes of all elements. */
  size_t (*bytes)(const percale_tensor* tensor);
  /** Adds a reference and returns `tensor`. */
  percale_tensor* (*retain)(percale_tensor* tensor);
  /** Releases a reference. NULL is allowed. */
  void (*release)(percale_tensor* tensor);
  /** Returns the CRC-32C of bytes, the checksum of tensors in files and messages. `crc` is that of
   * the bytes before them; 0 at the start. */
  uint32_t (*crc32c)(const void* data, size_t bytes, uint32_t crc);
} percale_host_tensor_api;

/** @} */

/**
 * @defgroup plugin_host_attributes Attributes
 * Typed getters for the attributes of a node. The schema's defaults are filled in, except for nodes
 * of a graph that is exported. Values are borrowed from the view that the attributes came from.
 *
 * @code
 * double alpha = 0;
 * if (!host->attributes->get_float(host->shape->attributes(context), "alpha", &alpha)) ...
 * @endcode
 * @{
 */

/** Attributes. A getter returns 1 if the attribute is there and has its kind, else 0, and then
 * leaves its outputs alone. \since 0.1 */
typedef struct percale_host_attributes_api {
  uint32_t struct_size;
  int32_t (*get_int)(const percale_attributes* attributes, const char* name, int64_t* out_value);
  int32_t (*get_float)(const percale_attributes* attributes, const char* name, double* out_value);
  /** `out_size` may be NULL. */
  int32_t (*get_string)(const percale_attributes* attributes, const char* name, const char** out_text,
                        size_t* out_size);
  int32_t (*get_ints)(const percale_attributes* attributes, const char* name, const int64_t** out_values,
                      size_t* out_count);
  int32_t (*get_floats)(const percale_attributes* attributes, const char* name, const double** out_values,
                        size_t* out_count);
  /** Returns one text of a list of strings, NUL-ended; NULL past the end, and if `name` is no such
   * attribute. `out_size` may be NULL. */
  const char* (*get_string_at)(const percale_attributes* attributes, const char* name, size_t index, size_t* out_size);
  /** Gets an attribute of any kind. */
  int32_t (*get)(const percale_attributes* attributes, const char* name, percale_attribute* out_attribute);
  /** Returns how many attributes there are. */
  size_t (*count)(const percale_attributes* attributes);
  /** Gets the attribute `index`, in the order of names; 0 past the end. */
  int32_t (*at)(const percale_attributes* attributes, size_t index, percale_attribute* out_attribute);
} percale_host_attributes_api;

/** @} */

/**
 * @defgroup plugin_host_node Nodes
 * The node that a kernel is asked to run. Inputs and outputs have the order of the schema; an
 * optional one that is absent has the element type 0. Shapes are known. A view may be used by one
 * thread at a time, and only during `accepts` or `plan`.
 *
 * @code
 * size_t rank;
 * const int64_t* dims = host->node->input_dims(node, 0, &rank);
 * @endcode
 * @{
 */

/** The view of a node. Text and arrays are borrowed from it. An index past the end gives 0, NULL or
 * an element type of 0. \since 0.1 */
typedef struct percale_host_node_api {
  uint32_t struct_size;
  /** Returns the domain of the op, "" for ONNX's own. */
  const char* (*domain)(const percale_node_view* node);
  /** Returns the name of the op, without its domain. */
  const char* (*op)(const percale_node_view* node);
  /** Returns the name of the node in its graph. */
  const char* (*name)(const percale_node_view* node);
  size_t (*input_count)(const percale_node_view* node);
  size_t (*output_count)(const percale_node_view* node);
  percale_dtype (*input_dtype)(const percale_node_view* node, size_t index);
  percale_dtype (*output_dtype)(const percale_node_view* node, size_t index);
  const int64_t* (*input_dims)(const percale_node_view* node, size_t index, size_t* out_rank);
  const int64_t* (*output_dims)(const percale_node_view* node, size_t index, size_t* out_rank);
  /** Returns the elements of an input whose value is known before the run, else NULL. */
  const void* (*input_constant)(const percale_node_view* node, size_t index);
  const percale_attributes* (*attributes)(const percale_node_view* node);
  /** Returns the instruction set that kernels of the CPU may use, limited by the machine and by the
   * engine's option "isa": "sse4", "avx2" or "avx512". */
  const char* (*isa)(const percale_node_view* node);

  /** Returns the layout of an input, see `percale_host_kernel_plan_api`; NULL: row-major. */
  const char* (*input_layout)(const percale_node_view* node, size_t index);
  /** Returns the layout that the output of a Reorder must have; NULL: row-major. */
  const char* (*output_layout)(const percale_node_view* node, size_t index);
  /** Returns 1 if the input keeps its value until a variable changes, as weights do that are not
   * trained. A Reorder of it is precomputed once and costs nothing in a run. */
  int32_t (*input_is_precomputed)(const percale_node_view* node, size_t index);

  /** Returns the number of nodes in the body of a node "percale:Fused"; 0 for every other op. The
   * body holds plain nodes in execution order. The Fused node gives the first output of the last
   * node, then the other outputs of its nodes. Values of a body are numbers: first the inputs of
   * the Fused node, then the constants of the body, then the outputs of its nodes. */
  size_t (*body_node_count)(const percale_node_view* node);
  /** Returns a node of the body, borrowed from `node`. */
  const percale_node_view* (*body_node)(const percale_node_view* node, size_t index);
  /** Returns the number of the value that is input `input` of a node of the body; -1: absent. */
  int32_t (*body_input)(const percale_node_view* node, size_t index, size_t input);
  /** Returns the number of the value that is the first output of a node of the body. */
  int32_t (*body_output)(const percale_node_view* node, size_t index);
} percale_host_node_api;

/** @} */

/**
 * @defgroup plugin_host_kernel_plan Plans of kernels
 * Requests of a kernel for one node, made during `plan`.
 *
 * A layout is a text of the plug-in's own that says how the elements of an operand lie in memory.
 * It begins with the plug-in's name and a colon ("onednn:aBcd16b;..."). The library compares such
 * texts and does not interpret them. Where an operand has another layout than a kernel wants, the
 * library inserts the op percale:Reorder, for which the plug-in brings a kernel.
 *
 * @code
 * host->kernel_plan->set_scratch(plan, 4096);
 * @endcode
 * @{
 */

/** The plan of a kernel for one node. Operands are counted: inputs, then outputs. \since 0.1 */
typedef struct percale_host_kernel_plan_api {
  uint32_t struct_size;
  /** Requests `bytes` bytes of scratch memory for each run: percale_launch.scratch. */
  void (*set_scratch)(percale_kernel_plan* plan, uint64_t bytes);
  /** Allows that `output` has the address of `input`, if both have the same size and layout: the
   * kernel reads each element before it writes it. The library does so if no other node reads the
   * input later. Not needed for ops whose schema says so. */
  void (*set_in_place)(percale_kernel_plan* plan, size_t output, size_t input);
  /** Requests a layout that takes `bytes` bytes for an operand. Returns 1 if granted; 0 if all
   * operands are row-major here, as in constant folding. Operands without a request are row-major,
   * whatever layout was offered. */
  int32_t (*set_layout)(percale_kernel_plan* plan, size_t operand, const char* layout, uint64_t bytes);
} percale_host_kernel_plan_api;

/** @} */

/**
 * @defgroup plugin_host_run Runs
 * The engine's threads, cancellation and errors of a run. Thread-safe; may be called while a kernel
 * runs, and allocates nothing.
 *
 * @code
 * host->run->parallel_for(launch->run, (count + 16383) / 16384, square_piece, &job);
 * @endcode
 * @{
 */

/** A run. \since 0.1 */
typedef struct percale_host_run_api {
  uint32_t struct_size;
  /** Calls `body(arg, 0)` to `body(arg, pieces - 1)` on the engine's threads and returns when all
   * are done. If `pieces` depends on the problem alone, the bits are the same on any number of
   * threads. */
  void (*parallel_for)(percale_run_context* run, int64_t pieces, void (*body)(void* arg, int64_t piece), void* arg);
  /** Returns 1 if the run was cancelled or its deadline has passed: return soon. */
  int32_t (*cancelled)(const percale_run_context* run);
  /** Fails the run with a message of the kernel's own. The status has `code` and the message
   * "Op 'node': MESSAGE", of which the first 511 bytes are kept. `message` is UTF-8 and is copied;
   * `message_size` may be PERCALE_NUL_ENDED. A `code` that is no error becomes INTERNAL. The first
   * failure of a run counts. */
  void (*fail)(percale_run_context* run, percale_code code, const char* message, size_t message_size);
  /** Fails the run for a reason that the library words. `mark` says which instruction failed: -1
   * for the one that is running, or a number that `mark` gave. An `error` that is not one of
   * percale_run_error, a percale_code for instance, fails the run with INTERNAL. */
  void (*fail_at)(percale_run_context* run, int64_t mark, percale_run_error error, int64_t detail);
  /** Returns the number of the instruction that is being enqueued, for `fail_at` by code that finds
   * an error later, before `stream_synchronize` returns. That then returns NULL, because the run
   * knows the error. */
  int64_t (*mark)(const percale_run_context* run);
  /** Gives the counters of random ops, besides their attributes: the seed of the run, its step, and
   * the index of the first row of its batch within the whole batch. */
  void (*random)(const percale_run_context* run, int64_t* out_seed, int64_t* out_step, int64_t* out_first_row);
} percale_host_run_api;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_HOST_KERNEL_H_ */
