#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/roof_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/roof.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

double fma_roof(int64_t steps) {
  // More than latency times execution units of any processor, and fewer than its registers.
  constexpr int kChains = 12;
  Vec<float> acc[kChains];
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) acc[i] = set<float>(1.0f + 0.01f * static_cast<float>(i));
  const Vec<float> scale = set<float>(0.999f), shift = set<float>(0.001f);
  for (int64_t s = 0; s < steps; ++s) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) acc[i] = mul_add(acc[i], scale, shift);
  }
  Vec<float> sum = zero<float>();
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sum = hn::Add(sum, acc[i]);
  const double flop = 2.0 * kChains * static_cast<double>(kL) * static_cast<double>(steps);
  // The sum is near 12. Returning a value that depends on it keeps the compiler from removing the
  // loop.
  return hn::GetLane(sum) == 0.0f ? -flop : flop;
}

}  // namespace

constexpr RoofFns kFns = {fma_roof};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(RoofFns);
}  // namespace percale::simd
#endif
