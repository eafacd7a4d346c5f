#include "core/tensor/dlpack.h"

namespace percale::dlpack {
namespace {

struct Row {
  DType dtype;
  uint8_t code, bits;
};
constexpr Row kRows[] = {
    {DType::kF32, kFloat, 32},
    {DType::kF64, kFloat, 64},
    {DType::kF16, kFloat, 16},
    {DType::kBF16, kBfloat, 16},
    {DType::kI8, kInt, 8},
    {DType::kI16, kInt, 16},
    {DType::kI32, kInt, 32},
    {DType::kI64, kInt, 64},
    {DType::kU8, kUInt, 8},
    {DType::kU16, kUInt, 16},
    {DType::kU32, kUInt, 32},
    {DType::kU64, kUInt, 64},
    {DType::kBool, kBool, 8},
    {DType::kComplex64, kComplex, 64},
    {DType::kComplex128, kComplex, 128},
};

}  // namespace

std::optional<DLDataType> to_dlpack(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return DLDataType{row.code, row.bits, 1};
  }
  return std::nullopt;
}

std::optional<DType> from_dlpack(DLDataType type) {
  for (const Row& row : kRows) {
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace percale::dlpack
