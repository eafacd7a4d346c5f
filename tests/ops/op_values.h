// Elements of tensors of any element type, for the rows of the op tables.
#ifndef PERCALE_TESTS_OPS_OP_VALUES_H_
#define PERCALE_TESTS_OPS_OP_VALUES_H_

#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "core/tensor/half.h"
#include "core/tensor/tensor.h"

namespace percale {

// Calls f.operator()<T>() for the element type.
template <class F>
auto with_type(DType dtype, F&& f) -> decltype(f.template operator()<float>()) {
  switch (dtype) {
    case DType::kF32: return f.template operator()<float>();
    case DType::kF64: return f.template operator()<double>();
    case DType::kF16: return f.template operator()<F16>();
    case DType::kBF16: return f.template operator()<BF16>();
    case DType::kI8: return f.template operator()<int8_t>();
    case DType::kI16: return f.template operator()<int16_t>();
    case DType::kI32: return f.template operator()<int32_t>();
    case DType::kI64: return f.template operator()<int64_t>();
    case DType::kU8: return f.template operator()<uint8_t>();
    case DType::kU16: return f.template operator()<uint16_t>();
    case DType::kU32: return f.template operator()<uint32_t>();
    case DType::kU64: return f.template operator()<uint64_t>();
    default: return f.template operator()<bool>();
  }
}

// Elements of float8, float4 and 4-bit and 2-bit integers are stored as bits; several share a byte,
// low bits first.
inline bool is_small(DType dtype) { return dtype >= DType::kF8E4M3FN && dtype <= DType::kI2; }

// Element i as f64, and also exactly for integers.
struct Element {
  double real;
  uint64_t exact;
};
Element element(const Tensor& tensor, size_t i);

// Compares dtype, shape and elements. The error says where `got`, which is called `what`, differs.
Status compare(const Tensor& got, const Tensor& want, double tolerance, const std::string& what);

}  // namespace percale

#endif  // PERCALE_TESTS_OPS_OP_VALUES_H_
