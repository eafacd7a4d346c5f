// Conversions of f16, which are single instructions on a GPU.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {

float widen(F16 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000) << 16;
  const uint32_t exponent = x.bits >> 10 & 0x1F, fraction = x.bits & 0x3FF;
  if (exponent == 0x1F) return bits_to_float(sign | 0x7F800000 | fraction << 13);
  if (exponent > 0) return bits_to_float(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = ldexpf(static_cast<float>(fraction), -24);  // exact
  return sign != 0 ? -small : small;
}

// Rounds to nearest, ties to even.
F16 to_f16(float x) {
  const uint32_t bits = float_to_bits(x), magnitude = bits & 0x7FFFFFFF;
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  if (magnitude > 0x7F800000) return {static_cast<uint16_t>(sign | 0x7E00)};
  if (magnitude >= 0x47800000) return {static_cast<uint16_t>(sign | 0x7C00)};  // 2^16 and above
  if (magnitude < 0x38800000) {  // below the smallest normal number, 2^-14: in units of 2^-24
    const float units = rintf(ldexpf(bits_to_float(magnitude), 24));
    return {static_cast<uint16_t>(sign | static_cast<uint16_t>(units))};
  }
  const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13))};
}

}  // namespace percale::cuda
