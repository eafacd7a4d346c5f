/**
 * @file percale/types.h
 * Handles, codes, element types and conventions of the application interface.
 */
#ifndef PERCALE_TYPES_H_
#define PERCALE_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PERCALE_API
#else
#define PERCALE_API __attribute__((visibility("default")))
#endif

/* The compiler warns when a status is dropped. */
#if defined(__GNUC__) || defined(__clang__)
#define PERCALE_NODISCARD __attribute__((warn_unused_result))
#else
#define PERCALE_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup types Types and conventions
 *
 * Ownership: a function whose name has create, load, from or another verb gives a new reference,
 * which the caller releases with percale_X_release(). Release functions accept NULL and may be
 * called on any thread. A pointer that a percale_X_get_... function returns is borrowed from its
 * object.
 *
 * Errors: a function that can fail returns a percale_status*, NULL on success. On failure every
 * out parameter is NULL or 0. The message begins with the function and names the argument.
 *
 * Text: UTF-8. A parameter of size may be PERCALE_NUL_ENDED. Shapes: dims and rank, -1 for an
 * unknown dim; the rank is at most 8.
 *
 * NULL: allowed if the comment says so, and for an array without entries, such as the dims of rank
 * 0. Otherwise INVALID_ARGUMENT names the argument; a function that returns no status does nothing
 * for a NULL handle and returns 0, NULL or "".
 *
 * Threads: several threads may use a *thread-safe* object at a time. A *thread-compatible* one may
 * be used by one thread at a time. Builders, calls, data sets and trainers check that: a second
 * call at the same time gets FAILED_PRECONDITION. No thread may use a reference that another one
 * releases.
 *
 * Callbacks: `user` is passed on as it is and may be NULL. The type of a callback says which
 * functions may be called within it; others that return a status answer FAILED_PRECONDITION. A
 * call holds its own references to its objects, so a callback may release those of the host.
 *
 * @code
 * percale_engine* engine = NULL;
 * percale_status* status = percale_engine_create(NULL, &engine);
 * if (status != NULL) {
 *   fprintf(stderr, "%s\n", percale_status_message(status, NULL));
 *   percale_status_release(status);
 * }
 * percale_engine_release(engine);
 * @endcode
 * @{
 */

/** Code of a status: the canonical codes of gRPC. New ones are only added at the end. \since 0.1 */
typedef int32_t percale_code;
enum {
  PERCALE_OK = 0,                  /**< success */
  PERCALE_CANCELLED = 1,           /**< cancelled by the caller */
  PERCALE_UNKNOWN = 2,             /**< none of the other codes */
  PERCALE_INVALID_ARGUMENT = 3,    /**< wrong in every state */
  PERCALE_DEADLINE_EXCEEDED = 4,   /**< the timeout has passed */
  PERCALE_NOT_FOUND = 5,           /**< no such file, name or kind */
  PERCALE_ALREADY_EXISTS = 6,      /**< the name is taken */
  PERCALE_PERMISSION_DENIED = 7,   /**< the system forbids it */
  PERCALE_RESOURCE_EXHAUSTED = 8,  /**< out of memory, or beyond a limit */
  PERCALE_FAILED_PRECONDITION = 9, /**< wrong in the present state */
  PERCALE_ABORTED = 10,            /**< ended by a callback or another fault */
  PERCALE_OUT_OF_RANGE = 11,       /**< past the end, or beyond a range */
  PERCALE_UNIMPLEMENTED = 12,      /**< known, but not available here */
  PERCALE_INTERNAL = 13,           /**< an error of the library itself */
  PERCALE_UNAVAILABLE = 14,        /**< not now, or not on this machine */
  PERCALE_DATA_LOSS = 15,          /**< data is damaged or missing */
  PERCALE_UNAUTHENTICATED = 16     /**< an unknown peer */
};

/** Element type; the numbers are those of ONNX's TensorProto.DataType. \since 0.1 */
typedef int32_t percale_dtype;
enum {
  PERCALE_DTYPE_INVALID = 0,     /**< none */
  PERCALE_DTYPE_F32 = 1,         /**< IEEE single precision */
  PERCALE_DTYPE_U8 = 2,          /**< unsigned 8-bit integer */
  PERCALE_DTYPE_I8 = 3,          /**< signed 8-bit integer */
  PERCALE_DTYPE_U16 = 4,         /**< unsigned 16-bit integer */
  PERCALE_DTYPE_I16 = 5,         /**< signed 16-bit integer */
  PERCALE_DTYPE_I32 = 6,         /**< signed 32-bit integer */
  PERCALE_DTYPE_I64 = 7,         /**< signed 64-bit integer */
  PERCALE_DTYPE_STRING = 8,      /**< text; no tensor has it */
  PERCALE_DTYPE_BOOL = 9,        /**< 1 byte, 0 or 1 */
  PERCALE_DTYPE_F16 = 10,        /**< IEEE half precision */
  PERCALE_DTYPE_F64 = 11,        /**< IEEE double precision */
  PERCALE_DTYPE_U32 = 12,        /**< unsigned 32-bit integer */
  PERCALE_DTYPE_U64 = 13,        /**< unsigned 64-bit integer */
  PERCALE_DTYPE_COMPLEX64 = 14,  /**< two f32 */
  PERCALE_DTYPE_COMPLEX128 = 15, /**< two f64 */
  PERCALE_DTYPE_BF16 = 16,       /**< the upper half of an f32 */
  PERCALE_DTYPE_F8E4M3FN = 17,   /**< 8-bit float: 4 bits exponent, 3 fraction, no infinity */
  PERCALE_DTYPE_F8E4M3FNUZ = 18, /**< the same without negative zero */
  PERCALE_DTYPE_F8E5M2 = 19,     /**< 8-bit float: 5 bits exponent, 2 fraction */
  PERCALE_DTYPE_F8E5M2FNUZ = 20, /**< the same without infinity and negative zero */
  PERCALE_DTYPE_U4 = 21,         /**< unsigned 4-bit integer, two per byte */
  PERCALE_DTYPE_I4 = 22,         /**< signed 4-bit integer, two per byte */
  PERCALE_DTYPE_F4E2M1 = 23,     /**< 4-bit float, two per byte */
  PERCALE_DTYPE_F8E8M0 = 24,     /**< a power of two in 8 bits */
  PERCALE_DTYPE_U2 = 25,         /**< unsigned 2-bit integer, four per byte */
  PERCALE_DTYPE_I2 = 26          /**< signed 2-bit integer, four per byte */
};

/** Level of a message of the log. \since 0.1 */
typedef int32_t percale_log_level;
enum {
  PERCALE_LOG_DEBUG = 0,   /**< for developers of Percale */
  PERCALE_LOG_INFO = 1,    /**< progress and decisions: placement, idle devices, op Print */
  PERCALE_LOG_WARNING = 2, /**< the library continues without something, such as a device */
  PERCALE_LOG_ERROR = 3    /**< a failure that no call can report */
};

/** Text with its size, owned by the receiver. *thread-safe*. \since 0.1 */
typedef struct percale_text percale_text;
/** *thread-safe*. An error: code and message. NULL is success. \since 0.1 */
typedef struct percale_status percale_status;
/** *thread-compatible*. Named settings of an engine, a session, a trainer or an export.
 * \since 0.1 */
typedef struct percale_options percale_options;
/** *thread-safe*. The root of all objects: registries, devices, threads, memory limit. A process
 * may have several. \since 0.1 */
typedef struct percale_engine percale_engine;
/** *thread-safe* as a handle. Only the sole user of a tensor may write to its memory. \since 0.1 */
typedef struct percale_tensor percale_tensor;
/** *thread-compatible*. A graph under construction. \since 0.1 */
typedef struct percale_builder percale_builder;
/** *thread-safe*. A finished, immutable graph. \since 0.1 */
typedef struct percale_graph percale_graph;
/** *thread-safe*. The table of named tensors that sessions and trainers share, in versions.
 * \since 0.1 */
typedef struct percale_variables percale_variables;
/** *thread-safe*. Runs a graph; any number of runs at a time. \since 0.1 */
typedef struct percale_session percale_session;
/** *thread-compatible*. A prepared set of feeds and fetches, the fast way to run. Make one per
 * thread. \since 0.1 */
typedef struct percale_call percale_call;
/** *thread-safe*. A cancellation token. Cancelling it ends every call and trainer that it was
 * passed to, for good. \since 0.1 */
typedef struct percale_cancellation percale_cancellation;
/** *thread-safe*. The end of an asynchronous run, and its results. \since 0.1 */
typedef struct percale_event percale_event;
/** *thread-compatible*. Rows of tensors, in batches. \since 0.1 */
typedef struct percale_dataset percale_dataset;
/** *thread-compatible*, percale_trainer_cancel() excepted. Trains the variables of a graph.
 * \since 0.1 */
typedef struct percale_trainer percale_trainer;
/** *thread-safe*. Spans of time, recorded while the trace is attached. \since 0.1 */
typedef struct percale_trace percale_trace;
/** *thread-compatible*. The description of a cluster: jobs, tasks, addresses, the role of this
 * process. \since 0.1 */
typedef struct percale_cluster percale_cluster;
/** *thread-safe*. Serves the devices of an engine to other processes. \since 0.1 */
typedef struct percale_server percale_server;
/** *thread-compatible*. A piece of work for the thread pool of the host. \since 0.1 */
typedef struct percale_task percale_task;

/** A value of a builder: an input, a constant, a variable or an output of a node; -1: none.
 * \since 0.1 */
typedef int32_t percale_value;

/** As a value: none. */
#define PERCALE_NO_VALUE (-1)
/** As a size: the text ends with NUL. */
#define PERCALE_NUL_ENDED ((size_t)-1)
/** As a timeout: none. Any other negative number is a time that has passed. */
#define PERCALE_FOREVER ((int64_t)-1)

/** Returns the version of the loaded library as "major.minor.patch". NUL-ended and static.
 * \since 0.1 */
PERCALE_API const char* percale_version(void);

/** Returns the version of the ABI: major * 1000 + minor. Within a major version functions are only
 * added. \since 0.1 */
PERCALE_API uint32_t percale_abi_version(void);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_TYPES_H_ */
