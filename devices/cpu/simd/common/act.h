// The activation that a product or convolution applies when it stores its output.
#ifndef PERCALE_DEVICES_CPU_SIMD_COMMON_ACT_H_
#define PERCALE_DEVICES_CPU_SIMD_COMMON_ACT_H_

#include <cstdint>
#include <limits>

namespace percale::simd {

// None; clip: min(max(x, low), high), of which relu is the case [0, infinity]; or hard-swish: x
// max(0, min(1, fma(1/6, x, 1/2))). NaN is kept. The bits equal those of the elementwise functions.
struct Act {
  enum class Kind : uint8_t { kNone, kClip, kHardSwish };
  Kind kind = Kind::kNone;
  float low = 0, high = 0;

  bool operator==(const Act&) const = default;
  static constexpr Act clip(float low, float high) { return {Kind::kClip, low, high}; }
  static const Act kNone, kRelu, kHardSwish;
};
inline constexpr Act Act::kNone = {};
inline constexpr Act Act::kRelu = {Act::Kind::kClip, 0.0f, std::numeric_limits<float>::infinity()};
inline constexpr Act Act::kHardSwish = {Act::Kind::kHardSwish, 0.0f, 0.0f};

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_COMMON_ACT_H_
