/**
 * @file percale/plugin/device.h
 * Devices: memory, streams, copies, and how work reaches them.
 */
#ifndef PERCALE_PLUGIN_DEVICE_H_
#define PERCALE_PLUGIN_DEVICE_H_

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_device Devices
 * A plug-in offers kinds of devices; `probe` says how many of a kind this machine has. An engine
 * opens the devices that its options name and calls them through the table. A device executes work
 * in one of three ways: kernels of its own kind enqueue on its streams, `launch` runs kernels of
 * another kind on its threads, or `compile` takes a whole part of the graph.
 *
 * The smallest device has `probe` to `free` and the two copies, works synchronously, and has no
 * streams; `devices/null` in the source tree is one.
 *
 * @code
 * static percale_device_api api;
 * api.struct_size = sizeof api;
 * api.kind = "mine";
 * api.probe = probe, api.open = open_device, api.close = close_device, api.describe = describe;
 * api.allocate = allocate, api.free = free_memory;
 * api.copy_from_host = copy_from_host, api.copy_to_host = copy_to_host;
 * @endcode
 * @{
 */

/** Facts about one device. Strings live as long as the device. \since 0.1 */
typedef struct percale_device_description {
  uint32_t struct_size;
  /** The kind, which is the first part of the device's name: "cpu", "null", "cuda". */
  const char* kind;
  /** The maker's name of the product: "AMD EPYC 9554". */
  const char* model;
  /** Bytes of its memory; 0: not known. */
  uint64_t memory_bytes;
  /** 1: the host may read and write its memory through pointers, and copies are plain. */
  int32_t shares_host_memory;
  /** Peak arithmetic rate of f32 in GFLOP/s, for the cost model of placement; 0: not known. */
  double gflops;
  /** Memory bandwidth in GB/s, for the cost model of placement; 0: not known. */
  double gbytes_per_second;
  /** 1: it is several devices, to which it distributes the nodes of `compile` as their device hints
   * say, or as it finds best. */
  int32_t places_nodes;
} percale_device_description;

/** The settings of the engine that opens a device. \since 0.1 */
typedef struct percale_device_options {
  uint32_t struct_size;
  /** Limit of the bytes that `allocate` has given out at any time; 0: no limit. */
  uint64_t memory_limit;
  /** 1: every run gives the same bits; 0: faster code without that promise is welcome. */
  int32_t deterministic;
  /** 1: products of f32 may use tf32, which keeps 10 bits of the fraction. */
  int32_t tf32;
} percale_device_options;

/** A kind of device. `self` is passed to `probe` and `open`; `device` is the value that `open`
 * gave. The functions may be called from any thread. The library serialises calls on one stream.
 * A NULL slot means that the device does not have the feature. \since 0.1 */
typedef struct percale_device_api {
  uint32_t struct_size;
  void* self;
  /** The kind. Names of devices are "KIND:INDEX". */
  const char* kind;

  /* ---- Finding and opening ---- */

  /** Returns the number of such devices in this machine. If it is 0, `*out_reason` is the reason
   * ("no NVIDIA driver"), which lives as long as the plug-in. Never an error. */
  int32_t (*probe)(void* self, const char** out_reason);
  /** Opens the device `index`, 0 to `probe() - 1`. `options` is not NULL and ends with the call.
   * NOT_FOUND: there is no such device. */
  percale_status* (*open)(void* self, int32_t index, const percale_device_options* options, void** out_device);
  /** Closes a device. No memory, stream or executable of it is in use any more. */
  void (*close)(void* device);
  /** Fills `*out_description`; the caller has set its `struct_size`. */
  percale_status* (*describe)(void* device, percale_device_description* out_description);
  /** Returns 1 if the device will never work again. Optional. */
  int32_t (*lost)(void* device);

  /* ---- Memory ---- */

  /** Allocates device memory, 64-byte aligned, contents undefined. RESOURCE_EXHAUSTED: out of
   * memory. INVALID_ARGUMENT: `bytes` is 0. */
  percale_status* (*allocate)(void* device, uint64_t bytes, void** out_memory);
  /** Frees memory of `allocate`. */
  void (*free)(void* device, void* memory);
  /** Allocates pinned host memory, 64-byte aligned, from and to which copies need no second copy.
   * Any thread may read and write it. Optional; without it the library uses its own memory. */
  percale_status* (*allocate_host)(void* device, uint64_t bytes, void** out_memory);
  /** Frees memory of `allocate_host`. */
  void (*free_host)(void* device, void* memory);
  /** Gives the bytes that are allocated now and their maximum so far. Optional. */
  void (*memory_stats)(void* device, uint64_t* out_used, uint64_t* out_peak);

  /* ---- Streams: in-order sequences of work. NULL slots: the device works synchronously. ---- */

  /** Creates a stream. */
  percale_status* (*stream_create)(void* device, void** out_stream);
  /** Destroys a stream that has no work left. */
  void (*stream_destroy)(void* stream);
  /** Returns when all work of the stream is done and every `reached` of `stream_signal` has
   * returned. The status is the first error of that work. */
  percale_status* (*stream_synchronize)(void* stream);
  /** Enqueues a point on the timeline of the stream. When all work before it is done,
   * `reached(event, value, PERCALE_OK)` is called; if that work failed or was skipped, or the
   * device was lost, it is called with the error's code. The call comes from a thread of the device
   * and must neither wait nor call this table. Without it, the library synchronises the stream. If
   * `stream_signal` itself fails, `reached` is never called. */
  percale_status* (*stream_signal)(void* stream, void (*reached)(void* event, uint64_t value, percale_code code),
                                   void* event, uint64_t value);

  /* ---- Copies. `stream` is NULL without streams; then the copy is done on return. ---- */

  /** Enqueues a copy of `bytes` bytes from host memory to device memory; `to` may point into a
   * block. */
  percale_status* (*copy_from_host)(void* device, void* stream, void* to, const void* from, uint64_t bytes);
  /** Enqueues a copy from device memory to host memory; `from` may point into a block. */
  percale_status* (*copy_to_host)(void* device, void* stream, void* to, const void* from, uint64_t bytes);
  /** As `copy_to_host`, for bytes that nothing writes before the stream is synchronised. Work
   * behind it need not wait for it; later points of `stream_signal`, and synchronising, do.
   * Optional; without it `copy_to_host` is called. */
  percale_status* (*copy_out)(void* device, void* stream, void* to, const void* from, uint64_t bytes);

  /* ---- Kernels of another kind of device ---- */

  /** The kind of device whose kernels serve this one too, for ops without a kernel of its own kind.
   * They read and write memory that the device must make reachable, see `launch`. Optional. */
  const char* borrow_kernels;
  /** Enqueues one run of a kernel. A thread of the device calls `run(state, l)` when the work
   * before it in the stream is done, and the work is complete when that returns. `l` equals
   * `launch`, except that `stream` is NULL and that operands and scratch, which are addresses
   * within blocks of `allocate`, are replaced by addresses that the thread can use. `launch` and
   * its array of `operand_count` operands end with this call; `state` and `launch->run` last until
   * the stream is synchronised. `run` is not called if work before it has failed. Needed with
   * `borrow_kernels`. */
  percale_status* (*launch)(void* stream, void (*run)(const void* state, const percale_launch* launch),
                            const void* state, const percale_launch* launch, size_t operand_count);

  /* ---- Capture and replay. Optional: all four or none, for devices without `launch`. ---- */

  /** Starts a capture: until `capture_end`, work that kernels put on the stream is recorded and not
   * executed. The library asks nothing else of the stream meanwhile. */
  percale_status* (*capture_begin)(void* stream);
  /** Ends a capture. `*out_captured` is NULL if some of the work depends on the run in a way that a
   * replay cannot follow; the recorded work is then dropped. */
  percale_status* (*capture_end)(void* stream, void** out_captured);
  /** Enqueues the captured work, with the operands of the capture. The library replays only if all
   * operands have the same addresses, and has run the kernels at least once before. `run` is the
   * run that it is replayed for, whose random numbers may differ. */
  percale_status* (*replay)(void* stream, void* captured, percale_run_context* run);
  /** Destroys captured work of which no replay is under way, maybe after its stream. */
  void (*captured_destroy)(void* captured);

  /* ---- Whole parts of a graph ---- */

  /** Compiles `bytes` bytes of a .percale file, whose function "main" has static types and neither
   * variables nor random ops. UNIMPLEMENTED names a node that the device cannot run. Optional; a
   * device that has it is given parts of graphs and no kernels. */
  percale_status* (*compile)(void* device, const void* graph, uint64_t bytes, void** out_executable);
  /** Enqueues one run, or has done it on return if `stream` is NULL. `inputs` and `outputs` are
   * device memory in the order of "main"; the arrays end with the call. Several threads may call it
   * at once, each on a stream of its own. */
  percale_status* (*execute)(void* executable, void* stream, void* const* inputs, void* const* outputs);
  /** Destroys what `compile` made. */
  void (*executable_destroy)(void* executable);

  /* ---- Several devices ---- */

  /** All-reduce over devices of this table: each of the `counts[k]` numbers at
   * `buffers[i * buffer_count + k]`, memory of `devices[i]` that no stream works on, becomes the
   * sum over all i. The sum is a balanced tree over i, whose left half is larger by one if the
   * count is odd, so that the bits equal those of the host. `dtype` is f32 or f64. Done on return;
   * after an error the numbers are undefined. UNIMPLEMENTED: these devices cannot reach each
   * other's memory. Optional; without it the library adds on the host. */
  percale_status* (*all_reduce)(void* const* devices, uint32_t device_count, void* const* buffers,
                                const uint64_t* counts, uint32_t buffer_count, percale_dtype dtype);

  /* ---- More of whole parts of a graph ---- */

  /** Gives how many inputs and outputs the compiled "main" has, which are the lengths of the arrays
   * of `execute`. The library does not use an executable with other counts than those of the graph.
   * Optional; for a device whose executables come from another process. */
  void (*operand_counts)(void* executable, uint64_t* out_inputs, uint64_t* out_outputs);
} percale_device_api;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_DEVICE_H_ */
