#include <cpuid.h>

#include <cstdint>

#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {
namespace {

bool has(uint32_t reg, uint32_t bits) { return (reg & bits) == bits; }

uint64_t xgetbv0() {
  uint32_t lo = 0, hi = 0;
  __asm__("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return (static_cast<uint64_t>(hi) << 32) | lo;
}

}  // namespace

Isa isa_of_machine() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return Isa::kNone;
  if (!has(c, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_PCLMUL | bit_AES)) return Isa::kNone;
  if (!has(c, bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C)) return Isa::kSse4;
  const uint64_t saved = xgetbv0();
  // SSE and AVX state; for kZmm also mask registers and the upper and high ZMM registers.
  constexpr uint64_t kYmm = 0x6, kZmm = 0xE6;
  if ((saved & kYmm) != kYmm) return Isa::kSse4;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return Isa::kSse4;
  if (!has(b, bit_AVX2 | bit_BMI | bit_BMI2)) return Isa::kSse4;
  if ((saved & kZmm) != kZmm) return Isa::kAvx2;
  // CD exists in every processor with the other four, and compilers include it in their AVX-512
  // level.
  if (!has(b, bit_AVX512F | bit_AVX512CD | bit_AVX512VL | bit_AVX512DQ | bit_AVX512BW)) return Isa::kAvx2;
  return Isa::kAvx512;
}

}  // namespace percale::simd
