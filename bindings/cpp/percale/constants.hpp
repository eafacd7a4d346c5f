// Written by bindings/gen; do not edit.
/// The constants of percale.h as enums.
#ifndef PERCALE_CPP_CONSTANTS_HPP_
#define PERCALE_CPP_CONSTANTS_HPP_

#include <percale.h>

#include <cstdint>
#include <string_view>

namespace percale {

/// Code of a status: the canonical codes of gRPC. New ones are only added at the end.
enum class Code : percale_code {
  kOk = PERCALE_OK,  ///< success
  kCancelled = PERCALE_CANCELLED,  ///< cancelled by the caller
  kUnknown = PERCALE_UNKNOWN,  ///< none of the other codes
  kInvalidArgument = PERCALE_INVALID_ARGUMENT,  ///< wrong in every state
  kDeadlineExceeded = PERCALE_DEADLINE_EXCEEDED,  ///< the timeout has passed
  kNotFound = PERCALE_NOT_FOUND,  ///< no such file, name or kind
  kAlreadyExists = PERCALE_ALREADY_EXISTS,  ///< the name is taken
  kPermissionDenied = PERCALE_PERMISSION_DENIED,  ///< the system forbids it
  kResourceExhausted = PERCALE_RESOURCE_EXHAUSTED,  ///< out of memory, or beyond a limit
  kFailedPrecondition = PERCALE_FAILED_PRECONDITION,  ///< wrong in the present state
  kAborted = PERCALE_ABORTED,  ///< ended by a callback or another fault
  kOutOfRange = PERCALE_OUT_OF_RANGE,  ///< past the end, or beyond a range
  kUnimplemented = PERCALE_UNIMPLEMENTED,  ///< known, but not available here
  kInternal = PERCALE_INTERNAL,  ///< an error of the library itself
  kUnavailable = PERCALE_UNAVAILABLE,  ///< not now, or not on this machine
  kDataLoss = PERCALE_DATA_LOSS,  ///< data is damaged or missing
  kUnauthenticated = PERCALE_UNAUTHENTICATED,  ///< an unknown peer
};

/// Element type; the numbers are those of ONNX's TensorProto.DataType.
enum class DType : percale_dtype {
  kInvalid = PERCALE_DTYPE_INVALID,  ///< none
  kF32 = PERCALE_DTYPE_F32,  ///< IEEE single precision
  kU8 = PERCALE_DTYPE_U8,  ///< unsigned 8-bit integer
  kI8 = PERCALE_DTYPE_I8,  ///< signed 8-bit integer
  kU16 = PERCALE_DTYPE_U16,  ///< unsigned 16-bit integer
  kI16 = PERCALE_DTYPE_I16,  ///< signed 16-bit integer
  kI32 = PERCALE_DTYPE_I32,  ///< signed 32-bit integer
  kI64 = PERCALE_DTYPE_I64,  ///< signed 64-bit integer
  kString = PERCALE_DTYPE_STRING,  ///< text; no tensor has it
  kBool = PERCALE_DTYPE_BOOL,  ///< 1 byte, 0 or 1
  kF16 = PERCALE_DTYPE_F16,  ///< IEEE half precision
  kF64 = PERCALE_DTYPE_F64,  ///< IEEE double precision
  kU32 = PERCALE_DTYPE_U32,  ///< unsigned 32-bit integer
  kU64 = PERCALE_DTYPE_U64,  ///< unsigned 64-bit integer
  kCOMPLEX64 = PERCALE_DTYPE_COMPLEX64,  ///< two f32
  kCOMPLEX128 = PERCALE_DTYPE_COMPLEX128,  ///< two f64
  kBF16 = PERCALE_DTYPE_BF16,  ///< the upper half of an f32
  kF8E4M3FN = PERCALE_DTYPE_F8E4M3FN,  ///< 8-bit float: 4 bits exponent, 3 fraction, no infinity
  kF8E4M3FNUZ = PERCALE_DTYPE_F8E4M3FNUZ,  ///< the same without negative zero
  kF8E5M2 = PERCALE_DTYPE_F8E5M2,  ///< 8-bit float: 5 bits exponent, 2 fraction
  kF8E5M2FNUZ = PERCALE_DTYPE_F8E5M2FNUZ,  ///< the same without infinity and negative zero
  kU4 = PERCALE_DTYPE_U4,  ///< unsigned 4-bit integer, two per byte
  kI4 = PERCALE_DTYPE_I4,  ///< signed 4-bit integer, two per byte
  kF4E2M1 = PERCALE_DTYPE_F4E2M1,  ///< 4-bit float, two per byte
  kF8E8M0 = PERCALE_DTYPE_F8E8M0,  ///< a power of two in 8 bits
  kU2 = PERCALE_DTYPE_U2,  ///< unsigned 2-bit integer, four per byte
  kI2 = PERCALE_DTYPE_I2,  ///< signed 2-bit integer, four per byte
};

/// Level of a message of the log.
enum class LogLevel : percale_log_level {
  kDebug = PERCALE_LOG_DEBUG,  ///< for developers of Percale
  kInfo = PERCALE_LOG_INFO,  ///< progress and decisions: placement, idle devices, op Print
  kWarning = PERCALE_LOG_WARNING,  ///< the library continues without something, such as a device
  kError = PERCALE_LOG_ERROR,  ///< a failure that no call can report
};

/// Returns the name of a dtype, such as "f32"; "?" for a number that is not a dtype.
inline std::string_view name_of(DType dtype) {
  switch (dtype) {
    case DType::kInvalid:
      return "invalid";
    case DType::kF32:
      return "f32";
    case DType::kU8:
      return "u8";
    case DType::kI8:
      return "i8";
    case DType::kU16:
      return "u16";
    case DType::kI16:
      return "i16";
    case DType::kI32:
      return "i32";
    case DType::kI64:
      return "i64";
    case DType::kString:
      return "string";
    case DType::kBool:
      return "bool";
    case DType::kF16:
      return "f16";
    case DType::kF64:
      return "f64";
    case DType::kU32:
      return "u32";
    case DType::kU64:
      return "u64";
    case DType::kCOMPLEX64:
      return "complex64";
    case DType::kCOMPLEX128:
      return "complex128";
    case DType::kBF16:
      return "bf16";
    case DType::kF8E4M3FN:
      return "f8e4m3fn";
    case DType::kF8E4M3FNUZ:
      return "f8e4m3fnuz";
    case DType::kF8E5M2:
      return "f8e5m2";
    case DType::kF8E5M2FNUZ:
      return "f8e5m2fnuz";
    case DType::kU4:
      return "u4";
    case DType::kI4:
      return "i4";
    case DType::kF4E2M1:
      return "f4e2m1";
    case DType::kF8E8M0:
      return "f8e8m0";
    case DType::kU2:
      return "u2";
    case DType::kI2:
      return "i2";
  }
  return "?";
}

}  // namespace percale

#endif  // PERCALE_CPP_CONSTANTS_HPP_
