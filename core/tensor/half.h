// The two 16-bit floating-point formats: storage types and conversions. Arithmetic is done in f32.
#ifndef PERCALE_CORE_TENSOR_HALF_H_
#define PERCALE_CORE_TENSOR_HALF_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/tensor/dtype.h"

namespace percale {

// IEEE 754 binary16.
struct F16 {
  uint16_t bits;
};
// bfloat16: the upper half of an f32.
struct BF16 {
  uint16_t bits;
};
template <>
inline constexpr DType dtype_of<F16> = DType::kF16;
template <>
inline constexpr DType dtype_of<BF16> = DType::kBF16;

inline float to_f32(BF16 value) { return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16); }

inline float to_f32(F16 value) {
  constexpr uint32_t kExponent = 0x7C00u << 13;
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  uint32_t bits = static_cast<uint32_t>(value.bits & 0x7FFFu) << 13;
  const uint32_t exponent = bits & kExponent;
  bits += (127u - 15u) << 23;
  if (exponent == kExponent) {
    bits += (128u - 16u) << 23;  // infinity and NaN
  } else if (exponent == 0) {    // zero and subnormals: the FPU normalizes them
    bits = std::bit_cast<uint32_t>(std::bit_cast<float>(bits + (1u << 23)) - std::bit_cast<float>(113u << 23));
  }
  return std::bit_cast<float>(bits | sign);
}

// Round to nearest, ties to even. NaN stays NaN.
inline BF16 to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

inline F16 to_f16(float value) {
  constexpr uint32_t kMagic = ((127u - 15u) + (23u - 10u) + 1u) << 23;
  auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits & 0x80000000u;
  bits ^= sign;
  uint32_t out;
  if (bits >= (127u + 16u) << 23) {
    out = bits > 255u << 23 ? 0x7E00u : 0x7C00u;
  } else if (bits < 113u << 23) {  // a subnormal result: the FPU addition rounds at the right bit
    out = std::bit_cast<uint32_t>(std::bit_cast<float>(bits) + std::bit_cast<float>(kMagic)) - kMagic;
  } else {
    const uint32_t odd = (bits >> 13) & 1u;
    bits += 0xFFFu + odd - ((127u - 15u) << 23);
    out = bits >> 13;
  }
  return {static_cast<uint16_t>(out | (sign >> 16))};
}

// Returns `value` as an f32, with the last bit set if the conversion is inexact. Rounding the
// result to 16 bits then equals rounding `value` directly.
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace percale

#endif  // PERCALE_CORE_TENSOR_HALF_H_
