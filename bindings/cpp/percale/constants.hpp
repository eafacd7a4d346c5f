// Written by bindings/gen; do not edit.
/// The constants of percale.h as enums.
#ifndef PERCALE_CPP_CONSTANTS_HPP_
#define PERCALE_CPP_CONSTANTS_HPP_

#include <percale.h>

#include <cstdint>
#include <string_view>

namespace percale {

/// Code of a status: the canonical codes of gRPC; new ones are only ever added at the end.
enum class Code : percale_code {
  kOk = PERCALE_OK,  ///< success
  kCancelled = PERCALE_CANCELLED,  ///< somebody asked for the end
  kUnknown = PERCALE_UNKNOWN,  ///< none of the others
  kInvalidArgument = PERCALE_INVALID_ARGUMENT,  ///< wrong, whatever the state is
  kDeadlineExceeded = PERCALE_DEADLINE_EXCEEDED,  ///< the time has run out
  kNotFound = PERCALE_NOT_FOUND,  ///< no file, name or kind like that
  kAlreadyExists = PERCALE_ALREADY_EXISTS,  ///< the name is taken
  kPermissionDenied = PERCALE_PERMISSION_DENIED,  ///< the system forbids it
  kResourceExhausted = PERCALE_RESOURCE_EXHAUSTED,  ///< no memory, or beyond a limit
  kFailedPrecondition = PERCALE_FAILED_PRECONDITION,  ///< wrong in this state
  kAborted = PERCALE_ABORTED,  ///< ended by a callback or a fault beside it
  kOutOfRange = PERCALE_OUT_OF_RANGE,  ///< past the end, or beyond what may be
  kUnimplemented = PERCALE_UNIMPLEMENTED,  ///< known, and not there
  kInternal = PERCALE_INTERNAL,  ///< a bug of the library
  kUnavailable = PERCALE_UNAVAILABLE,  ///< not now, or not on this machine
  kDataLoss = PERCALE_DATA_LOSS,  ///< bytes are broken or missing
  kUnauthenticated = PERCALE_UNAUTHENTICATED,  ///< a peer that nobody knows
};

/// Element type; the numbers are ONNX's TensorProto.DataType.
enum class DType : percale_dtype {
  kInvalid = PERCALE_DTYPE_INVALID,  ///< none
  kF32 = PERCALE_DTYPE_F32,  ///< IEEE single
  kU8 = PERCALE_DTYPE_U8,  ///< 1 byte from 0 on
  kI8 = PERCALE_DTYPE_I8,  ///< 1 byte with a sign
  kU16 = PERCALE_DTYPE_U16,  ///< 2 bytes from 0 on
  kI16 = PERCALE_DTYPE_I16,  ///< 2 bytes with a sign
  kI32 = PERCALE_DTYPE_I32,  ///< 4 bytes with a sign
  kI64 = PERCALE_DTYPE_I64,  ///< 8 bytes with a sign
  kString = PERCALE_DTYPE_STRING,  ///< text; no tensor has it
  kBool = PERCALE_DTYPE_BOOL,  ///< 1 byte, 0 or 1
  kF16 = PERCALE_DTYPE_F16,  ///< IEEE half
  kF64 = PERCALE_DTYPE_F64,  ///< IEEE double
  kU32 = PERCALE_DTYPE_U32,  ///< 4 bytes from 0 on
  kU64 = PERCALE_DTYPE_U64,  ///< 8 bytes from 0 on
  kCOMPLEX64 = PERCALE_DTYPE_COMPLEX64,  ///< two f32
  kCOMPLEX128 = PERCALE_DTYPE_COMPLEX128,  ///< two f64
  kBF16 = PERCALE_DTYPE_BF16,  ///< the upper half of f32
  kF8E4M3FN = PERCALE_DTYPE_F8E4M3FN,  ///< 4 bits of exponent, 3 of mantissa, no infinity
  kF8E4M3FNUZ = PERCALE_DTYPE_F8E4M3FNUZ,  ///< the same without minus zero
  kF8E5M2 = PERCALE_DTYPE_F8E5M2,  ///< 5 bits of exponent, 2 of mantissa
  kF8E5M2FNUZ = PERCALE_DTYPE_F8E5M2FNUZ,  ///< the same without infinity and minus zero
  kU4 = PERCALE_DTYPE_U4,  ///< two in a byte, from 0 on
  kI4 = PERCALE_DTYPE_I4,  ///< two in a byte, with a sign
  kF4E2M1 = PERCALE_DTYPE_F4E2M1,  ///< two in a byte: 2 bits of exponent, 1 of mantissa
  kF8E8M0 = PERCALE_DTYPE_F8E8M0,  ///< a power of two
  kU2 = PERCALE_DTYPE_U2,  ///< four in a byte, from 0 on
  kI2 = PERCALE_DTYPE_I2,  ///< four in a byte, with a sign
};

/// Level of a message of the log.
enum class LogLevel : percale_log_level {
  kDebug = PERCALE_LOG_DEBUG,  ///< for developers of Percale
  kInfo = PERCALE_LOG_INFO,  ///< progress and decisions: placement, devices without work, op Print
  kWarning = PERCALE_LOG_WARNING,  ///< something was lost and the library goes on, such as a device
  kError = PERCALE_LOG_ERROR,  ///< something failed that no call could report
};

/// "f32", "i64", ...; "?" for a number that is none.
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
