/**
 * @file percale/plugin/kernel.h
 * Kernels: the functions that run an op on one kind of device.
 */
#ifndef PERCALE_PLUGIN_KERNEL_H_
#define PERCALE_PLUGIN_KERNEL_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_kernel Kernels
 * The library asks the kernels of an op one after the other and takes the first one that accepts
 * the node. Kernels of plug-ins come before those of the library. A kernel plans a node once and
 * then runs it any number of times.
 *
 * @code
 * static void run_square(const void* state, const percale_launch* launch) {
 *   const int64_t count = *(const int64_t*)state;
 *   const float* x = launch->operands[0];
 *   float* y = launch->operands[1];
 *   for (int64_t i = 0; i < count; ++i) y[i] = x[i] * x[i];
 * }
 * @endcode
 * @{
 */

/** The operands of one run of a kernel. Operands are the inputs of the node, then its outputs, in
 * schema order. An absent optional operand is NULL; an empty tensor is a non-NULL pointer. Memory
 * belongs to the kernel's device, is 64-byte aligned, and is row-major unless the plan has set a
 * layout. Borrowed for the call. \since 0.1 */
typedef struct percale_launch {
  void* const* operands;
  /** The memory requested with `set_scratch`, 64-byte aligned, contents undefined. */
  void* scratch;
  /** The device's stream that the work goes to. NULL on the CPU and on devices without streams:
   * there the work is done when `run` returns. */
  void* stream;
  percale_run_context* run;
} percale_launch;

/** One way to run one op on one kind of device. Strings live as long as the plug-in. The functions
 * may be called by several threads at once. \since 0.1 */
typedef struct percale_kernel {
  uint32_t struct_size;
  /** Name in traces and in `percale kernels`, such as "onednn.conv". */
  const char* name;
  /** Kind of the device that it runs on, such as "cpu" or "cuda". */
  const char* device_kind;
  /** Domain of the op, "" for ONNX's own, and its name. */
  const char* domain;
  const char* op;
  /** Returns NULL if the kernel can run `node`, else a status whose message is the reason. */
  percale_status* (*accepts)(void* user, const percale_node_view* node);
  /** Prepares a node that was accepted. Makes `*out_state`, which is immutable and shared by
   * concurrent runs; it may stay NULL. UNIMPLEMENTED if a layout that the kernel needs was not
   * granted: then the next kernel is asked. */
  percale_status* (*plan)(void* user, const percale_node_view* node, percale_kernel_plan* plan, void** out_state);
  /** Does the work. Should allocate nothing. Reports failure with the `run` table of the host. */
  void (*run)(const void* state, const percale_launch* launch);
  /** Frees the state that `plan` made. Optional. */
  void (*destroy)(void* state);
  /** Passed to `accepts` and `plan`. */
  void* user;
} percale_kernel;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_KERNEL_H_ */
