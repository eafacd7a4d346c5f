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
  kOk = PERCALE_OK,
  kCancelled = PERCALE_CANCELLED,
  kUnknown = PERCALE_UNKNOWN,
  kInvalidArgument = PERCALE_INVALID_ARGUMENT,
  kDeadlineExceeded = PERCALE_DEADLINE_EXCEEDED,
  kNotFound = PERCALE_NOT_FOUND,
  kAlreadyExists = PERCALE_ALREADY_EXISTS,
  kPermissionDenied = PERCALE_PERMISSION_DENIED,
  kResourceExhausted = PERCALE_RESOURCE_EXHAUSTED,
  kFailedPrecondition = PERCALE_FAILED_PRECONDITION,
  kAborted = PERCALE_ABORTED,
  kOutOfRange = PERCALE_OUT_OF_RANGE,
  kUnimplemented = PERCALE_UNIMPLEMENTED,
  kInternal = PERCALE_INTERNAL,
  kUnavailable = PERCALE_UNAVAILABLE,
  kDataLoss = PERCALE_DATA_LOSS,
  kUnauthenticated = PERCALE_UNAUTHENTICATED,
};

/// Element type; the numbers are ONNX's TensorProto.DataType.
enum class DType : percale_dtype {
  kInvalid = PERCALE_DTYPE_INVALID,
  kF32 = PERCALE_DTYPE_F32,
  kU8 = PERCALE_DTYPE_U8,
  kI8 = PERCALE_DTYPE_I8,
  kU16 = PERCALE_DTYPE_U16,
  kI16 = PERCALE_DTYPE_I16,
  kI32 = PERCALE_DTYPE_I32,
  kI64 = PERCALE_DTYPE_I64,
  kString = PERCALE_DTYPE_STRING,
  kBool = PERCALE_DTYPE_BOOL,
  kF16 = PERCALE_DTYPE_F16,
  kF64 = PERCALE_DTYPE_F64,
  kU32 = PERCALE_DTYPE_U32,
  kU64 = PERCALE_DTYPE_U64,
  kCOMPLEX64 = PERCALE_DTYPE_COMPLEX64,
  kCOMPLEX128 = PERCALE_DTYPE_COMPLEX128,
  kBF16 = PERCALE_DTYPE_BF16,
  kF8E4M3FN = PERCALE_DTYPE_F8E4M3FN,
  kF8E4M3FNUZ = PERCALE_DTYPE_F8E4M3FNUZ,
  kF8E5M2 = PERCALE_DTYPE_F8E5M2,
  kF8E5M2FNUZ = PERCALE_DTYPE_F8E5M2FNUZ,
  kU4 = PERCALE_DTYPE_U4,
  kI4 = PERCALE_DTYPE_I4,
  kF4E2M1 = PERCALE_DTYPE_F4E2M1,
  kF8E8M0 = PERCALE_DTYPE_F8E8M0,
  kU2 = PERCALE_DTYPE_U2,
  kI2 = PERCALE_DTYPE_I2,
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
