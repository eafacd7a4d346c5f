// Element types. The numbers are those of ONNX's TensorProto.DataType and part of the C ABI and of
// the file format.
#ifndef PERCALE_CORE_TENSOR_DTYPE_H_
#define PERCALE_CORE_TENSOR_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace percale {

enum class DType : int32_t {
  kInvalid = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBF16 = 16,
  kF8E4M3FN = 17,
  kF8E4M3FNUZ = 18,
  kF8E5M2 = 19,
  kF8E5M2FNUZ = 20,
  kU4 = 21,
  kI4 = 22,
  kF4E2M1 = 23,
  kF8E8M0 = 24,
  kU2 = 25,
  kI2 = 26,
};
inline constexpr int32_t kNumDTypes = 27;

// Returns the short name used in messages, options and JSON: "f32", "i64", "bool".
std::string_view dtype_name(DType dtype);
// Returns the element type with this name, or nullopt.
std::optional<DType> dtype_from_name(std::string_view name);
// True for every number of the enum above except kInvalid.
bool is_valid_dtype(int32_t number);
// Returns the bits of one element; 2 or 4 for packed types, 0 for kString and kInvalid.
int32_t dtype_bits(DType dtype);
bool is_float(DType dtype);
bool is_integer(DType dtype);
bool is_signed_integer(DType dtype);

// A set of element types, used by op schemas.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  template <class... D>
  static constexpr DTypeSet of(D... dtypes) {
    DTypeSet out;
    ((out.bits_ |= bit(dtypes)), ...);
    return out;
  }
  constexpr bool contains(DType dtype) const { return (bits_ & bit(dtype)) != 0; }
  constexpr DTypeSet operator|(DTypeSet o) const {
    DTypeSet out;
    out.bits_ = bits_ | o.bits_;
    return out;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr uint32_t bits() const { return bits_; }

 private:
  static constexpr uint32_t bit(DType dtype) { return uint32_t{1} << static_cast<uint32_t>(dtype); }
  uint32_t bits_ = 0;
};

namespace dtypes {
inline constexpr DTypeSet kFloat64Or32 = DTypeSet::of(DType::kF32, DType::kF64);
inline constexpr DTypeSet kFloat = kFloat64Or32 | DTypeSet::of(DType::kF16, DType::kBF16);
inline constexpr DTypeSet kSigned = DTypeSet::of(DType::kI8, DType::kI16, DType::kI32, DType::kI64);
inline constexpr DTypeSet kUnsigned = DTypeSet::of(DType::kU8, DType::kU16, DType::kU32, DType::kU64);
inline constexpr DTypeSet kInteger = kSigned | kUnsigned;
inline constexpr DTypeSet kNumeric = kFloat | kInteger;
inline constexpr DTypeSet kBoolOnly = DTypeSet::of(DType::kBool);
inline constexpr DTypeSet kIndex = DTypeSet::of(DType::kI32, DType::kI64);
inline constexpr DTypeSet kI64Only = DTypeSet::of(DType::kI64);
inline constexpr DTypeSet kAny = kNumeric | kBoolOnly;
}  // namespace dtypes

// The element type of a C++ type: dtype_of<float> == DType::kF32.
template <class T>
inline constexpr DType dtype_of = DType::kInvalid;
template <>
inline constexpr DType dtype_of<float> = DType::kF32;
template <>
inline constexpr DType dtype_of<double> = DType::kF64;
template <>
inline constexpr DType dtype_of<int8_t> = DType::kI8;
template <>
inline constexpr DType dtype_of<int16_t> = DType::kI16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::kI32;
template <>
inline constexpr DType dtype_of<int64_t> = DType::kI64;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::kU8;
template <>
inline constexpr DType dtype_of<uint16_t> = DType::kU16;
template <>
inline constexpr DType dtype_of<uint32_t> = DType::kU32;
template <>
inline constexpr DType dtype_of<uint64_t> = DType::kU64;
template <>
inline constexpr DType dtype_of<bool> = DType::kBool;

}  // namespace percale

#endif  // PERCALE_CORE_TENSOR_DTYPE_H_
