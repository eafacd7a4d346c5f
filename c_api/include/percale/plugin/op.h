/**
 * @file percale/plugin/op.h
 * Ops that a plug-in adds: schema, shape function, gradient.
 */
#ifndef PERCALE_PLUGIN_OP_H_
#define PERCALE_PLUGIN_OP_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_op Ops
 * An op of a plug-in is an op like any other: graphs name it "domain:Name", its shape function
 * checks nodes when they are built, and its gradient function makes it trainable. The domain is
 * that of the plug-in.
 *
 * @code
 * static percale_status* square_shape(void* user, percale_shape_context* c) {
 *   size_t rank;
 *   const int64_t* dims = host->shape->input_dims(c, 0, &rank);
 *   return host->shape->set_output(c, 0, host->shape->input_dtype(c, 0), dims, rank);
 * }
 * @endcode
 * @{
 */

/** One input or output of an op. The layout never changes. \since 0.1 */
typedef struct percale_op_value {
  const char* name;
  /** Inputs and outputs with the same letter have the same element type; 0: independent. */
  char type_group;
  /** The allowed element types as bits 1 << PERCALE_DTYPE_*. 0 for an output whose element type the
   * shape function sets. */
  uint32_t dtypes;
  /** Inputs only: 1 if a node may leave it out. */
  int32_t optional;
} percale_op_value;

/** One attribute of an op. The layout never changes. \since 0.1 */
typedef struct percale_op_attribute {
  const char* name;
  /** Any kind but FUNCTION. */
  percale_attribute_kind kind;
  /** 1: every node must give it. */
  int32_t required;
  /** 1: a node that does not give it has the default below, for the kinds FLOAT, INT and STRING. */
  int32_t has_default;
  int64_t int_default;
  double float_default;
  const char* string_default;
} percale_op_attribute;

/** An op. Strings and arrays live as long as the plug-in. The functions may be called by several
 * threads at once. \since 0.1 */
typedef struct percale_op {
  uint32_t struct_size;
  const char* name;
  /** Version of the plug-in's domain that gave the op this meaning, from 1 on. */
  int32_t since;
  /** One sentence for `percale ops`. */
  const char* doc;
  const percale_op_value* inputs;
  size_t input_count;
  const percale_op_value* outputs;
  size_t output_count;
  const percale_op_attribute* attributes;
  size_t attribute_count;
  /** Passed to `shape` and `gradient`. */
  void* user;
  /** Sets element type and dims of every output, or returns the reason why the node is wrong. Dims
   * of inputs may be unknown. */
  percale_status* (*shape)(void* user, percale_shape_context* context);
  /** Adds nodes that compute the gradients of the inputs. NULL: the op has no gradient. */
  percale_status* (*gradient)(void* user, percale_grad_context* context);
} percale_op;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_OP_H_ */
