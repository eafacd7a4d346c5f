/**
 * @file percale/plugin/types.h
 * Views, numbers and attributes that all parts of the plug-in interface share.
 */
#ifndef PERCALE_PLUGIN_TYPES_H_
#define PERCALE_PLUGIN_TYPES_H_

#include "../../percale.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_types Views, numbers and attributes
 * The library describes nodes, shapes and runs to a plug-in by borrowed views. A plug-in reads a
 * view with the functions of the host table of the same name, and only during the call that it was
 * given for.
 *
 * @code
 * int64_t axis = -1;
 * host->attributes->get_int(host->node->attributes(node), "axis", &axis);
 * @endcode
 * @{
 */

/** Version of the plug-in interface. The tables of one version only ever grow at their ends.
 * \since 0.1 */
#define PERCALE_PLUGIN_ABI 1

/** A node that a kernel may run: op, attributes, element types, shapes, constants. Borrowed.
 * \since 0.1 */
typedef struct percale_node_view percale_node_view;
/** The requests of a kernel for one node: scratch memory, layouts, outputs in place. Borrowed.
 * \since 0.1 */
typedef struct percale_kernel_plan percale_kernel_plan;
/** The run that a kernel works for. Borrowed. Any thread of the run may use it. \since 0.1 */
typedef struct percale_run_context percale_run_context;
/** The inputs and outputs of a node whose output shapes are wanted. Borrowed. \since 0.1 */
typedef struct percale_shape_context percale_shape_context;
/** A node whose gradient is wanted, and the function that the gradient is added to. Borrowed.
 * \since 0.1 */
typedef struct percale_grad_context percale_grad_context;
/** The attributes of a node. Borrowed; as long-lived as the view or context that they came from.
 * \since 0.1 */
typedef struct percale_attributes percale_attributes;

/** Kind of an attribute; the numbers are ONNX's AttributeProto.AttributeType. \since 0.1 */
typedef int32_t percale_attribute_kind;
enum {
  PERCALE_ATTRIBUTE_FLOAT = 1,    /**< a number */
  PERCALE_ATTRIBUTE_INT = 2,      /**< a whole number */
  PERCALE_ATTRIBUTE_STRING = 3,   /**< UTF-8 text */
  PERCALE_ATTRIBUTE_TENSOR = 4,   /**< a tensor */
  PERCALE_ATTRIBUTE_FUNCTION = 5, /**< the name of a function of the same graph; ONNX: a graph */
  PERCALE_ATTRIBUTE_FLOATS = 6,   /**< a list of numbers */
  PERCALE_ATTRIBUTE_INTS = 7,     /**< a list of whole numbers */
  PERCALE_ATTRIBUTE_STRINGS = 8   /**< a list of UTF-8 texts */
};

/** Reason for the failure of a run, for which the library words the message. The numbers differ
 * from those of percale_code, so that one taken for the other is found. \since 0.1 */
typedef int32_t percale_run_error;
enum {
  PERCALE_RUN_ERROR_KERNEL_FAILED = 101,         /**< INTERNAL; `detail`: any number */
  PERCALE_RUN_ERROR_INDEX_OUT_OF_RANGE = 102,    /**< OUT_OF_RANGE; `detail`: the index */
  PERCALE_RUN_ERROR_DIVISION_BY_ZERO = 103,      /**< integer division; `detail`: the element */
  PERCALE_RUN_ERROR_BAD_SIZE = 104,              /**< size, start or length; `detail`: its value */
  PERCALE_RUN_ERROR_NOT_POSITIVE = 105,          /**< `detail`: index of the input */
  PERCALE_RUN_ERROR_NOT_FINITE = 106,            /**< infinity or NaN; `detail`: the element */
  PERCALE_RUN_ERROR_SINGULAR = 107,              /**< `detail`: the matrix in its batch */
  PERCALE_RUN_ERROR_NOT_POSITIVE_DEFINITE = 108, /**< `detail`: the matrix in its batch */
  PERCALE_RUN_ERROR_ASSERTION_FAILED = 109,      /**< FAILED_PRECONDITION; `detail`: element */
  PERCALE_RUN_ERROR_OUT_OF_MEMORY = 110          /**< RESOURCE_EXHAUSTED; `detail` is not used */
};

/** A named attribute and its value. `kind` says which members hold the value; the others are not
 * read. The layout never changes, because arrays of it cross the border. Text and arrays are
 * borrowed. \since 0.1 */
typedef struct percale_attribute {
  const char* name;
  percale_attribute_kind kind;
  /** FLOAT. */
  double f;
  /** INT. */
  int64_t i;
  /** STRING: the text. FUNCTION: the name of the function. */
  const char* text;
  /** Bytes of `text`, PERCALE_NUL_ENDED allowed in an attribute that is given to the library. */
  size_t text_size;
  /** FLOATS. */
  const double* floats;
  /** INTS. */
  const int64_t* ints;
  /** STRINGS, NUL-ended, in an attribute that is given to the library. NULL in one that was read;
   * `percale_host_attributes_api` has a function for each string. */
  const char* const* strings;
  /** Entries of FLOATS, INTS and STRINGS. */
  size_t count;
  /** TENSOR: element type, dims, rank, row-major elements and their bytes. */
  percale_dtype dtype;
  const int64_t* dims;
  size_t rank;
  const void* data;
  uint64_t bytes;
} percale_attribute;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_TYPES_H_ */
