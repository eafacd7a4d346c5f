/**
 * @file percale_plugin.h
 * What a plug-in of Percale implements: tables of functions for devices, kernels, ops and importers.
 *
 * A plug-in is a shared library that exports one function, percale_plugin_init(). It gets a table of everything the
 * library offers it (percale_host_api) and hands up a table of what it adds (percale_plugin_api). It must have no
 * undefined percale_* symbol, so that it can never bind to another copy of the library than the one that opened it.
 *
 * Every table starts with `uint32_t struct_size`, set by its author to sizeof of the struct he compiled against; tables
 * only ever grow at the end. A NULL slot means "not implemented". No function of a table may throw or abort.
 *
 * A function of a table calls the library through percale_host_api alone, and of it only what its own arguments are for: node_* and
 * fused_* with the node view that it was given, kernel_plan_* within plan(), run_* and parallel_for within run(), shape_* and grad_*
 * within the functions of an op, builder_* and graph_* within importers and exporters. status_* and tensor_* may be called
 * anywhere but within run(), which should allocate nothing. What was borrowed for a call must not be used after it.
 */
#ifndef PERCALE_PLUGIN_H_
#define PERCALE_PLUGIN_H_

#include "percale.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header's tables. \since 0.1 */
#define PERCALE_PLUGIN_ABI 1

/** What a kernel sees of the node that it may run: op, attributes, types, shapes, constants. Borrowed; read it with the
 * node_* getters of the host table. \since 0.1 */
typedef struct percale_node_view percale_node_view;
/** Where a kernel's plan() books what it needs. Borrowed for the duration of plan(). \since 0.1 */
typedef struct percale_kernel_plan percale_kernel_plan;
/** What a shape function reads and fills. Borrowed for the duration of the call. \since 0.1 */
typedef struct percale_shape_context percale_shape_context;
/** What a gradient function reads and emits nodes to. Borrowed for the duration of the call. \since 0.1 */
typedef struct percale_grad_context percale_grad_context;
/** The run that a kernel works for: parallelism, cancellation, the error word. Borrowed. \since 0.1 */
typedef struct percale_run_context percale_run_context;

/** What run() of a kernel gets. Operands are the node's inputs, then its outputs, in schema order; an absent optional one
 * is NULL, an empty tensor is a non-NULL pointer. Memory is 64-byte aligned, of the kernel's device, and row-major where
 * the kernel's plan has not said otherwise.
 * \since 0.1 */
typedef struct percale_launch {
  void* const* operands;
  /** The bytes booked with kernel_plan_set_scratch(), 64-byte aligned; contents undefined. */
  void* scratch;
  /** The device's queue that the work goes to; NULL on the CPU, where run() does the work before it returns. */
  void* queue;
  percale_run_context* run;
} percale_launch;

/** A kernel: one way to run one op on one kind of device. The list of an op is asked in order; the first kernel whose
 * accepts() returns NULL is taken. \since 0.1 */
typedef struct percale_kernel {
  uint32_t struct_size;
  /** Name for traces and `percale kernels`, such as "onednn.conv". */
  const char* name;
  /** Op domain ("" for ONNX's own) and name. */
  const char* domain;
  const char* op;
  /** NULL when the kernel can run the node; else a status whose message is the reason. */
  percale_status* (*accepts)(void* user, const percale_node_view* node);
  /** Prepares the node: books scratch, makes immutable state that concurrent runs share. UNIMPLEMENTED where formats that it needs are not given: then the next kernel is asked. */
  percale_status* (*plan)(void* user, const percale_node_view* node, percale_kernel_plan* plan, void** out_state);
  /** Does the work. May be called by several threads at once with the same state. Should allocate nothing. */
  void (*run)(const void* state, const percale_launch* launch);
  /** Frees what plan() made. */
  void (*destroy)(void* state);
  /** Handed to accepts() and plan(). */
  void* user;
} percale_kernel;

/** Facts about one device. Text is borrowed from the plug-in and lives as long as it. \since 0.1 */
typedef struct percale_device_description {
  uint32_t struct_size;
  /** "cpu", "null", "cuda": the kind part of the device's name. */
  const char* kind;
  /** The maker's name of the thing: "AMD EPYC 9554". */
  const char* model;
  /** Bytes of its memory, 0 when not known. */
  uint64_t memory_bytes;
  /** 1 when the host may read and write its memory by pointer: copies from and to such a device are plain. */
  int32_t shares_host_memory;
  /** Peak arithmetic rate in GFLOP/s of f32 and memory bandwidth in GB/s for the placement's cost model; 0 = unknown. */
  double gflops;
  double gbytes_per_second;
} percale_device_description;

/** What an engine wants of a device that it opens. \since 0.1 */
typedef struct percale_device_options {
  uint32_t struct_size;
  /** The most that allocate() may have given out at once, in bytes; 0: all that the device has. */
  uint64_t memory_limit;
  /** 1: the same bits in every run; 0: faster code without that promise is welcome. */
  int32_t deterministic;
  /** 1: products of f32 may be made of tf32, which keeps 10 bits of the fraction. */
  int32_t tf32;
} percale_device_options;

/** A kind of device. `self` is the table's own user pointer, `device` what open() returned. Functions may be called from
 * any thread; calls on one queue are serialised by the library. \since 0.1 */
typedef struct percale_device_api {
  uint32_t struct_size;
  void* self;
  /** The kind, as in the description; names of its devices are "<kind>:<index>". */
  const char* kind;
  /** How many such devices the machine has. With none, *out_reason says why ("no NVIDIA driver"); never an error. */
  int32_t (*probe)(void* self, const char** out_reason);
  percale_status* (*open)(void* self, int32_t index, void** out_device);
  void (*close)(void* device);
  percale_status* (*describe)(void* device, percale_device_description* out_description);
  /** Device memory, 64-byte aligned, contents undefined. Out of memory is RESOURCE_EXHAUSTED, `bytes` of 0
   * INVALID_ARGUMENT. */
  percale_status* (*allocate)(void* device, uint64_t bytes, void** out_memory);
  void (*free)(void* device, void* memory);
  /** In-order queues of work. NULL slots: the device works synchronously and has no queues. */
  percale_status* (*queue_create)(void* device, void** out_queue);
  void (*queue_destroy)(void* queue);
  /** Enqueues a copy between host memory and device memory; `to` and `from` may lie anywhere within a block. Without
   * queues (`queue` NULL) it is done when it returns. */
  percale_status* (*copy_from_host)(void* device, void* queue, void* to, const void* from, uint64_t bytes);
  percale_status* (*copy_to_host)(void* device, void* queue, void* to, const void* from, uint64_t bytes);
  /** Returns when all work of the queue is done and every reached() of queue_signal() has returned; the first error of that work,
   * if any. */
  percale_status* (*queue_synchronize)(void* queue);
  /** Bytes allocated now, and the high-water mark. */
  void (*memory_stats)(void* device, uint64_t* out_used, uint64_t* out_peak);
  /** Asks queued work to end early. Optional. */
  void (*cancel)(void* device);
  /** 1 when the device will never work again. Optional; NULL = never. */
  int32_t (*lost)(void* device);
  /** The other way to execute: takes a whole partition as the bytes of a .percale file, whose function "main" has static types and
   * neither variables nor random ops. Optional; a device that has it is given partitions, no kernels. UNIMPLEMENTED names a node
   * that the device cannot run. `inputs` and `outputs` of execute(), arrays that end with the call, are device memory in the order of
   * "main"; it puts the work on the queue, or has done it when it returns where there are none (`queue` NULL). It is called by
   * several threads at once, on queues of their own. */
  percale_status* (*compile)(void* device, const void* graph, uint64_t bytes, void** out_executable);
  percale_status* (*execute)(void* executable, void* queue, void* const* inputs, void* const* outputs);
  void (*executable_destroy)(void* executable);
  /** The kind of device whose kernels serve this one too, for ops that have no kernel for its own kind; NULL: none do. They read
   * and write memory that the device must show them: see launch(), which is needed with this. */
  const char* borrow_kernels;
  /** Enqueues one run of a kernel, a borrowed one or its own: a thread of the device calls run(state, l) after what is before it in
   * the queue, and the work is done when that returns. `l` is as `launch`, with operands and scratch, which are addresses within
   * blocks of allocate(), replaced by where a thread can reach those bytes, and `queue` NULL. What `launch` points to ends with
   * this call; `state` and launch->run last until the queue is synchronised. Not called when work before it has failed. */
  percale_status* (*launch)(void* queue, void (*run)(const void* state, const percale_launch* launch),
                            const void* state, const percale_launch* launch, size_t operand_count);
  /** A point on a timeline: enqueues that reached(event, value, code) is called once all work before it in the queue is done, with
   * PERCALE_OK, or has been left out because of an error, with its code: then too, and on a lost device. It comes from a thread
   * of the device and must neither wait nor call the table. NULL: whoever needs such a point synchronises the queue. When
   * queue_signal() itself fails it is never called. */
  percale_status* (*queue_signal)(void* queue, void (*reached)(void* event, uint64_t value, percale_code code),
                                  void* event, uint64_t value);
  /** open() with what the engine wants. NULL: open() is called. */
  percale_status* (*open_with)(void* self, int32_t index, const percale_device_options* options, void** out_device);
  /** Host memory that copies from and to the device need not go through a second time (pinned), 64-byte aligned. Any thread may read
   * and write it. Optional; NULL: the library takes memory of its own for what passes through the host. */
  percale_status* (*allocate_host)(void* device, uint64_t bytes, void** out_memory);
  void (*free_host)(void* device, void* memory);
  /** Work that is kept, to be done again at less cost than enqueuing it. Optional, all four or none, for devices whose kernels enqueue by
   * themselves (no launch()). Between record_begin() and record_end() what kernels put on the queue is kept and not done; nothing
   * else is asked of the queue meanwhile. play() enqueues all that was kept, with the operands that it had: the library plays it only where
   * they lie as they did, and has run the kernels at least once before. `run` is the one that it is played for, whose random numbers may be
   * others. *out_recording NULL: some of it depends on the run in another way, and nothing of it will be done. A recording is destroyed when none of its plays is under way, maybe after its queue. */
  percale_status* (*record_begin)(void* queue);
  percale_status* (*record_end)(void* queue, void** out_recording);
  percale_status* (*play)(void* queue, void* recording, percale_run_context* run);
  void (*recording_destroy)(void* recording);
  /** copy_to_host() of bytes that nothing writes before the queue is synchronised: work behind it need not wait for it, so that results
   * leave while the device goes on; points of queue_signal() behind it, and synchronising, do wait. NULL: copy_to_host() is called. */
  percale_status* (*copy_out)(void* device, void* queue, void* to, const void* from, uint64_t bytes);
  /** Adds across devices of this table: the counts[k] numbers at buffers[i * buffer_count + k], memory of devices[i] that no queue works on,
   * become on all of them their sum over i. They are added as a tree over i has it, whose left half has one more where they are odd, so that
   * the bits are those of the host. `dtype` is f32 or f64. Done when it returns; after an error the numbers are undefined. UNIMPLEMENTED where
   * these devices do not reach each other's memory. Optional; NULL: the library adds on the host. */
  percale_status* (*all_reduce)(void* const* devices, uint32_t device_count, void* const* buffers,
                                const uint64_t* counts, uint32_t buffer_count, percale_dtype dtype);
} percale_device_api;

/** A function of a graph: values and nodes by number. Of all graph_*_info: the caller sets struct_size; text and arrays are borrowed
 * from the graph. \since 0.1 */
typedef struct percale_graph_function_info {
  uint32_t struct_size;
  const char* name;
  size_t value_count;
  size_t node_count;
  /** Values. */
  const int32_t* inputs;
  size_t input_count;
  const int32_t* outputs;
  size_t output_count;
} percale_graph_function_info;

/** A value of a function. \since 0.1 */
typedef struct percale_graph_value_info {
  uint32_t struct_size;
  const char* name;
  percale_dtype dtype;
  /** -1 where unknown; a rank of SIZE_MAX: not even that is known. */
  const int64_t* dims;
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
  /** The opset, or version of the domain, that gave the op its meaning. */
  int32_t version;
  const char* name;
  /** Values; -1: absent. */
  const int32_t* inputs;
  size_t input_count;
  const int32_t* outputs;
  size_t output_count;
  size_t attribute_count;
} percale_graph_node_info;

/** An attribute that a node gives; defaults are not among them. `kind` says which members hold it: 1 float (f), 2 int (i), 3 string
 * (text), 4 tensor (dtype to bytes), 5 function (text: its name), 6 floats, 7 ints, 8 strings (count; one by one with
 * graph_attribute_string). \since 0.1 */
typedef struct percale_graph_attribute_info {
  uint32_t struct_size;
  const char* name;
  int32_t kind;
  double f;
  int64_t i;
  const char* text;
  size_t text_size;
  const double* floats;
  const int64_t* ints;
  size_t count;
  percale_dtype dtype;
  const int64_t* dims;
  size_t rank;
  const void* data;
  uint64_t bytes;
} percale_graph_attribute_info;

/** A variable of a graph. \since 0.1 */
typedef struct percale_graph_variable_info {
  uint32_t struct_size;
  const char* name;
  percale_dtype dtype;
  const int64_t* dims;
  size_t rank;
  int32_t trainable;
  /** Its first value; NULL where the function "init" gives it. */
  const void* data;
  uint64_t bytes;
} percale_graph_variable_info;

/** What the library offers a plug-in. Valid for the life of the process. \since 0.1 */
typedef struct percale_host_api {
  uint32_t struct_size;

  percale_status* (*status_create)(int32_t code, const char* message, size_t message_size);

  /* Node view. Inputs and outputs are counted in schema order; an absent optional input has dtype 0. */
  const char* (*node_op)(const percale_node_view* node);
  const char* (*node_name)(const percale_node_view* node);
  size_t (*node_input_count)(const percale_node_view* node);
  size_t (*node_output_count)(const percale_node_view* node);
  percale_dtype (*node_input_dtype)(const percale_node_view* node, size_t index);
  percale_dtype (*node_output_dtype)(const percale_node_view* node, size_t index);
  const int64_t* (*node_input_dims)(const percale_node_view* node, size_t index, size_t* out_rank);
  const int64_t* (*node_output_dims)(const percale_node_view* node, size_t index, size_t* out_rank);
  /** The bytes of an input that is known before the run, else NULL. */
  const void* (*node_input_constant)(const percale_node_view* node, size_t index);
  /** Attributes, the schema's defaults filled in. 1 when present, else 0 and nothing is written. */
  int32_t (*node_attribute_int)(const percale_node_view* node, const char* name, int64_t* out_value);
  int32_t (*node_attribute_float)(const percale_node_view* node, const char* name, double* out_value);
  int32_t (*node_attribute_string)(const percale_node_view* node, const char* name, const char** out_text,
                                   size_t* out_size);
  int32_t (*node_attribute_ints)(const percale_node_view* node, const char* name, const int64_t** out_values,
                                 size_t* out_count);

  void (*kernel_plan_set_scratch)(percale_kernel_plan* plan, uint64_t bytes);

  /** Runs body(arg, 0) ... body(arg, pieces - 1) on the engine's threads and returns when all are done. For the same bits
   * on any number of threads, `pieces` must depend on the problem alone. */
  void (*parallel_for)(percale_run_context* run, int64_t pieces, void (*body)(void* arg, int64_t piece), void* arg);
  /** 1 when the run was cancelled or its deadline has passed: return soon. */
  int32_t (*run_cancelled)(percale_run_context* run);
  /** Fails the run because an index or a value of an input is out of range; the message names the node.
   * run_fail_with() takes a message of its own. */
  void (*run_fail)(percale_run_context* run, int32_t code, int64_t detail);

  /* Shape functions. */
  size_t (*shape_input_count)(const percale_shape_context* context);
  percale_dtype (*shape_input_dtype)(const percale_shape_context* context, size_t index);
  /** Dims, -1 where unknown; *out_rank is SIZE_MAX when even the rank is unknown. */
  const int64_t* (*shape_input_dims)(const percale_shape_context* context, size_t index, size_t* out_rank);
  percale_status* (*shape_set_output)(percale_shape_context* context, size_t index, percale_dtype dtype,
                                      const int64_t* dims, size_t rank);
  int32_t (*shape_attribute_int)(const percale_shape_context* context, const char* name, int64_t* out_value);

  /* Gradient functions: values are numbers, -1 = absent. Attributes can be neither read nor given to the nodes that are emitted, so
   * that a constant comes from values: `Div(x, x)` is 1 where x is not 0, `Exp(Sub(x, x))` is 1 where x is finite. */
  int32_t (*grad_input)(const percale_grad_context* context, size_t index);
  int32_t (*grad_output)(const percale_grad_context* context, size_t index);
  int32_t (*grad_of_output)(const percale_grad_context* context, size_t index);
  /** Emits a node of the domain "" or "domain:Op" and returns its first output, -1 after an error. */
  int32_t (*grad_emit)(percale_grad_context* context, const char* op, const int32_t* inputs, size_t input_count);
  /** The gradient with respect to an input: a value that grad_* functions gave. An input without one counts as zero. */
  void (*grad_set)(percale_grad_context* context, size_t input_index, int32_t value);

  /* Statuses that the functions below give: the plug-in passes them on, or reads and releases them. */
  percale_code (*status_code)(const percale_status* status);
  const char* (*status_message)(const percale_status* status, size_t* out_size);
  void (*status_release)(percale_status* status);

  /* Importers. What has a namesake in percale.h does the same. */
  percale_status* (*tensor_create)(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank,
                                   percale_tensor** out_tensor);
  void* (*tensor_get_data)(const percale_tensor* tensor);
  size_t (*tensor_bytes)(const percale_tensor* tensor);
  percale_tensor* (*tensor_retain)(percale_tensor* tensor);
  void (*tensor_release)(percale_tensor* tensor);
  /** The engine that the graph is built for. Borrowed from the builder. */
  percale_engine* (*builder_engine)(percale_builder* builder);
  /** 1 when nodes of the op ("Conv", "domain:Op") can be made as opset `version` of its domain knows it; 0 = the newest. */
  int32_t (*builder_knows_op)(const percale_builder* builder, const char* op, int32_t version);
  /** Keeps a name of the current function free for the input or the renamed value that will be called so. */
  percale_status* (*builder_reserve_name)(percale_builder* builder, const char* name);
  /** `rank` may be SIZE_MAX: not even the rank is known. */
  percale_status* (*builder_input)(percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims,
                                   size_t rank, percale_value* out_value);
  percale_status* (*builder_constant)(percale_builder* builder, const char* name, percale_tensor* tensor,
                                      percale_value* out_value);
  percale_status* (*builder_variable)(percale_builder* builder, const char* name, percale_tensor* initial,
                                      int32_t trainable, percale_value* out_value);
  /** `version`: the opset of the op's domain that says what the node means; older ones are upgraded. 0 = the newest. */
  percale_status* (*builder_node)(percale_builder* builder, const char* op, int32_t version, const char* name);
  percale_status* (*builder_add_input)(percale_builder* builder, percale_value value);
  percale_status* (*builder_set_int)(percale_builder* builder, const char* attribute, int64_t value);
  percale_status* (*builder_set_float)(percale_builder* builder, const char* attribute, double value);
  percale_status* (*builder_set_string)(percale_builder* builder, const char* attribute, const char* value);
  percale_status* (*builder_set_ints)(percale_builder* builder, const char* attribute, const int64_t* values,
                                      size_t count);
  percale_status* (*builder_set_floats)(percale_builder* builder, const char* attribute, const double* values,
                                        size_t count);
  percale_status* (*builder_set_strings)(percale_builder* builder, const char* attribute, const char* const* values,
                                         size_t count);
  percale_status* (*builder_set_tensor)(percale_builder* builder, const char* attribute, percale_tensor* value);
  percale_status* (*builder_set_function)(percale_builder* builder, const char* attribute, const char* function);
  percale_status* (*builder_finish_node)(percale_builder* builder, size_t output_count, percale_value* out_values);
  percale_status* (*builder_begin_function)(percale_builder* builder, const char* name);
  percale_status* (*builder_end_function)(percale_builder* builder);
  percale_status* (*builder_set_outputs)(percale_builder* builder, const percale_value* values, size_t count);
  percale_status* (*builder_rename)(percale_builder* builder, percale_value value, const char* name);
  percale_status* (*builder_value_type)(const percale_builder* builder, percale_value value, percale_dtype* out_dtype,
                                        int64_t* out_dims, size_t* out_rank);
  /** A fact about the graph, kept with it. */
  percale_status* (*builder_set_metadata)(percale_builder* builder, const char* key, const char* value);

  /* Exporters. Functions, "main" first, values, nodes (each after those that it depends on), attributes and variables are
   * numbered from 0: 1, or 0 past the end. */
  int32_t (*graph_function)(const percale_graph* graph, size_t index, percale_graph_function_info* out);
  int32_t (*graph_value)(const percale_graph* graph, size_t function, size_t index, percale_graph_value_info* out);
  int32_t (*graph_node)(const percale_graph* graph, size_t function, size_t index, percale_graph_node_info* out);
  int32_t (*graph_attribute)(const percale_graph* graph, size_t function, size_t node, size_t index,
                             percale_graph_attribute_info* out);
  /** One of an attribute of strings; NULL past the end. */
  const char* (*graph_attribute_string)(const percale_graph* graph, size_t function, size_t node, size_t attribute,
                                        size_t index, size_t* out_size);
  int32_t (*graph_variable)(const percale_graph* graph, size_t index, percale_graph_variable_info* out);
  /** Facts that are kept with the graph, in the order of keys. */
  int32_t (*graph_metadata)(const percale_graph* graph, size_t index, const char** out_key, const char** out_value,
                            size_t* out_value_size);
  /** A graph with the same outputs, without what they do not depend on and without calls of functions by nodes Call; ops that others
   * express, and that keeps() refuses (0), are replaced by those. The caller releases it. FAILED_PRECONDITION where an output
   * depends on what a variable holds after the run has changed it. */
  percale_status* (*graph_inference)(const percale_graph* graph,
                                     int32_t (*keeps)(void* user, const char* domain, const char* op, int32_t version),
                                     void* user, percale_graph** out_graph);
  void (*graph_release)(percale_graph* graph);

  /* Kernels whose operands are not row-major. A format is a text of the plug-in's own, which begins with its name and a
   * colon ("onednn:aBcd16b;..."): the library compares these texts and nothing else. Where an operand lies otherwise than
   * a kernel wants it, the library puts the op percale:Reorder between, for which the plug-in brings a kernel. */
  /** The format of an input; NULL = row-major. Borrowed. */
  const char* (*node_input_format)(const percale_node_view* node, size_t index);
  /** The format that the output of a Reorder shall have; NULL = row-major. Borrowed. */
  const char* (*node_output_format)(const percale_node_view* node, size_t index);
  /** 1 when the input is the same in every run until a variable changes, so that a Reorder of it costs nothing: weights
   * that nobody trains. */
  int32_t (*node_input_prepared)(const percale_node_view* node, size_t index);
  /** Wants an operand (inputs, then outputs) in a format that takes `bytes`. 1 when it will be so; 0 when all operands are
   * row-major here, as in constant folding. Operands of which nothing is said are row-major, whatever was offered. */
  int32_t (*kernel_plan_set_format)(percale_kernel_plan* plan, size_t operand, const char* format, uint64_t bytes);
  /** The instruction set that kernels of the CPU may use, as the engine's option "isa" or the machine limits it: "sse4",
   * "avx2" or "avx512". */
  const char* (*node_isa)(const percale_node_view* node);

  /* The body of a node "Fused": plain nodes in their order. The whole gives the first output of the last, then what nodes give
   * besides their first. A value is a number: the inputs of the Fused node come first, then the constants of the body, then
   * the outputs of its nodes; -1 = absent. */
  /** How many nodes; 0 for every other op. */
  size_t (*fused_node_count)(const percale_node_view* node);
  /** A node of the body, to be read with the node_* getters. Borrowed; good as long as `node` is. */
  const percale_node_view* (*fused_node)(const percale_node_view* node, size_t index);
  int32_t (*fused_node_input)(const percale_node_view* node, size_t index, size_t input);
  int32_t (*fused_node_output)(const percale_node_view* node, size_t index);

  /** What random ops count by, besides their attributes: the run's seed, its step, and the number that the first row of the batch
   * has in the whole one. */
  void (*run_random)(const percale_run_context* run, int64_t* out_seed, int64_t* out_step, int64_t* out_first_row);
  /** For kernels that put their work on a queue: which instruction of the run is being enqueued, and run_fail() in its name by whoever
   * finds out later, before queue_synchronize() returns. That then says PERCALE_OK: the run knows. */
  int64_t (*run_mark)(const percale_run_context* run);
  void (*run_fail_at)(percale_run_context* run, int64_t mark, int32_t code, int64_t detail);

  /** The kernel may find an output at the address of an input of the same size and format: each place is read before it is written.
   * It is done where nobody reads the input afterwards; otherwise both have their own memory. Ops that say so of themselves need
   * no kernel that repeats it. */
  void (*kernel_plan_set_in_place)(percale_kernel_plan* plan, size_t output, size_t input);

  /** One of an attribute of strings; NULL past the end, and where the attribute is absent or none of strings. Borrowed. */
  const char* (*node_attribute_strings)(const percale_node_view* node, const char* name, size_t index);

  /** An attribute of floats. 1 when present, else 0 and nothing is written. Borrowed. */
  int32_t (*node_attribute_floats)(const percale_node_view* node, const char* name, const double** out_values,
                                   size_t* out_count);

  /** Fails the run with a status of `code`. Its message is the node's name, then the first 511 bytes of
   * `message`, which is UTF-8 and is copied. `message_size` may be PERCALE_NUL_ENDED. The first failure
   * of a run counts. Thread-safe. */
  void (*run_fail_with)(percale_run_context* run, int32_t code, const char* message, size_t message_size);
} percale_host_api;

/** One input or output of an op that a plug-in adds. \since 0.1 */
typedef struct percale_op_value {
  const char* name;
  /** Values with the same letter have the same dtype. */
  char type_group;
  /** Bit set: 1 << PERCALE_DTYPE_*. 0 for an output: the shape function says its dtype. */
  uint32_t dtypes;
  /** Inputs only: 1 = may be absent. */
  int32_t optional;
} percale_op_value;

/** One attribute of an op that a plug-in adds. \since 0.1 */
typedef struct percale_op_attribute {
  const char* name;
  /** 1 float, 2 int, 3 string, 6 floats, 7 ints: ONNX's AttributeProto.AttributeType. */
  int32_t kind;
  /** 1: a node must give it. */
  int32_t required;
  /** Where `has_default` is 1, its value when a node does not give it. */
  int32_t has_default;
  int64_t int_default;
  double float_default;
  const char* string_default;
} percale_op_attribute;

/** An op that a plug-in adds. \since 0.1 */
typedef struct percale_op {
  uint32_t struct_size;
  const char* domain;
  const char* name;
  int32_t since;
  const char* doc;
  const percale_op_value* inputs;
  size_t input_count;
  const percale_op_value* outputs;
  size_t output_count;
  void* user;
  percale_status* (*shape)(void* user, percale_shape_context* context);
  /** NULL: the op has no gradient. */
  percale_status* (*gradient)(void* user, percale_grad_context* context);
  const percale_op_attribute* attributes;
  size_t attribute_count;
  /** 1: the gradient is the same for all values of the attributes. A gradient function can neither read attributes nor
   * give them to the nodes that it emits, so an op that has both is refused unless it says this. */
  int32_t gradient_ignores_attributes;
} percale_op;

/** Where an exporter puts a model. \since 0.1 */
typedef struct percale_export_target {
  uint32_t struct_size;
  void* user;
  /** Appends to the model. What goes wrong is the library's to report. */
  void (*write)(void* user, const void* bytes, size_t size);
  /** The name of a file beside the model that may hold elements of tensors; NULL: there is none. */
  const char* data_name;
  /** Appends to that file, which is there once this was called. */
  void (*write_data)(void* user, const void* bytes, size_t size);
  /** 0: elements go there where the format cannot hold them otherwise; 1: those of all tensors of some size do. */
  int32_t prefer_data;
} percale_export_target;

/** A foreign model format. \since 0.1 */
typedef struct percale_importer {
  uint32_t struct_size;
  /** "onnx" */
  const char* format;
  void* user;
  /** Fills the builder's function "main" and what it needs from the bytes. `folder`: where files that the model names may
   * lie, and nowhere else; NULL: the model came without one. */
  percale_status* (*import_graph)(void* user, percale_builder* builder, const void* bytes, size_t size,
                                  const char* folder);
  /** Writes a model of what "main" computes; the graph's variables have the values that it shall have. */
  percale_status* (*export_graph)(void* user, const percale_graph* graph, const percale_export_target* target);
  /** A tensor of the format's own kind (ONNX: a TensorProto), in the engine's memory. */
  percale_status* (*import_tensor)(void* user, percale_engine* engine, const void* bytes, size_t size,
                                   percale_tensor** out_tensor);
} percale_importer;

/** What a plug-in adds. Everything is copied or must live as long as the process. \since 0.1 */
typedef struct percale_plugin_api {
  uint32_t struct_size;
  const char* name;
  const char* version;
  const percale_device_api* const* devices;
  size_t device_count;
  /** Kernels, each with the kind of device it runs on ("cpu", "cuda"); they go before the kernels that are there. */
  const percale_kernel* const* kernels;
  const char* const* kernel_device_kinds;
  size_t kernel_count;
  const percale_op* const* ops;
  size_t op_count;
  const percale_importer* const* importers;
  size_t importer_count;
} percale_plugin_api;

/** The one function that a plug-in exports. `path` is the plug-in's own file. On failure it returns a status made with
 * host->status_create. A plug-in of a folder is then reported as absent with that reason; one that the option "plugin_path" names as a
 * file fails the engine.
 *
 * It is called whenever an engine is made, from any thread, by each copy of the library in the process with a table of its own. A
 * plug-in that keeps the first table refuses those of other copies; one that serves all of them gives each its own tables and
 * finds the host by `user`. The plug-in's file stays open until the process ends. \since 0.1 */
typedef percale_status* (*percale_plugin_init_fn)(const percale_host_api* host, uint32_t host_abi, const char* path,
                                                  const percale_plugin_api** out_plugin);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_H_ */
