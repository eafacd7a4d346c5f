/**
 * Percale: trains and serves deep-learning models inside any host process.
 *
 * The application API, C99. Every function is thread-safe unless its type says otherwise.
 */
#ifndef PERCALE_H_
#define PERCALE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PERCALE_API
#else
#define PERCALE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Code of a status: the canonical codes of gRPC; new ones are only ever added at the end. \since 0.1 */
typedef int32_t percale_code;
enum {
  PERCALE_OK = 0,
  PERCALE_CANCELLED = 1,
  PERCALE_UNKNOWN = 2,
  PERCALE_INVALID_ARGUMENT = 3,
  PERCALE_DEADLINE_EXCEEDED = 4,
  PERCALE_NOT_FOUND = 5,
  PERCALE_ALREADY_EXISTS = 6,
  PERCALE_PERMISSION_DENIED = 7,
  PERCALE_RESOURCE_EXHAUSTED = 8,
  PERCALE_FAILED_PRECONDITION = 9,
  PERCALE_ABORTED = 10,
  PERCALE_OUT_OF_RANGE = 11,
  PERCALE_UNIMPLEMENTED = 12,
  PERCALE_INTERNAL = 13,
  PERCALE_UNAVAILABLE = 14,
  PERCALE_DATA_LOSS = 15,
  PERCALE_UNAUTHENTICATED = 16
};

/** Element type; the numbers are ONNX's TensorProto.DataType. \since 0.1 */
typedef int32_t percale_dtype;
enum {
  PERCALE_DTYPE_INVALID = 0,
  PERCALE_DTYPE_F32 = 1,
  PERCALE_DTYPE_U8 = 2,
  PERCALE_DTYPE_I8 = 3,
  PERCALE_DTYPE_U16 = 4,
  PERCALE_DTYPE_I16 = 5,
  PERCALE_DTYPE_I32 = 6,
  PERCALE_DTYPE_I64 = 7,
  PERCALE_DTYPE_STRING = 8,
  PERCALE_DTYPE_BOOL = 9,
  PERCALE_DTYPE_F16 = 10,
  PERCALE_DTYPE_F64 = 11,
  PERCALE_DTYPE_U32 = 12,
  PERCALE_DTYPE_U64 = 13,
  PERCALE_DTYPE_COMPLEX64 = 14,
  PERCALE_DTYPE_COMPLEX128 = 15,
  PERCALE_DTYPE_BF16 = 16,
  PERCALE_DTYPE_F8E4M3FN = 17,
  PERCALE_DTYPE_F8E4M3FNUZ = 18,
  PERCALE_DTYPE_F8E5M2 = 19,
  PERCALE_DTYPE_F8E5M2FNUZ = 20,
  PERCALE_DTYPE_U4 = 21,
  PERCALE_DTYPE_I4 = 22,
  PERCALE_DTYPE_F4E2M1 = 23,
  PERCALE_DTYPE_F8E8M0 = 24,
  PERCALE_DTYPE_U2 = 25,
  PERCALE_DTYPE_I2 = 26
};

/** *thread-safe*. An error: code and message. NULL is success. \since 0.1 */
typedef struct percale_status percale_status;
/** *thread-compatible*. A graph under construction. \since 0.1 */
typedef struct percale_builder percale_builder;
/** *thread-safe*. A finished, immutable graph. \since 0.1 */
typedef struct percale_graph percale_graph;
/** *thread-safe*. The state table: named tensors that sessions and trainers share. \since 0.1 */
typedef struct percale_variables percale_variables;

/** The version of the library that is loaded, as "major.minor.patch". NUL-ended, static. \since 0.1 */
PERCALE_API const char* percale_version(void);

/** The version of the ABI: major * 1000 + minor. Functions are only ever added within a major. \since 0.1 */
PERCALE_API uint32_t percale_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_H_ */
