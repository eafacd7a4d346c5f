// Which instruction set the SIMD kernels use: found by our own CPUID, lowered by an option, never by a
// global.
#ifndef PERCALE_DEVICES_CPU_SIMD_COMMON_ISA_H_
#define PERCALE_DEVICES_CPU_SIMD_COMMON_ISA_H_

#include <optional>
#include <string_view>

namespace percale::simd {

// Ordered: a machine that has one has all before it. kNone is a machine (or an architecture) for which this
// folder has no kernels; callers use their portable ones then.
//   kSse4    SSE4.2 with PCLMUL and AES; has no fused multiply-add, so its bits differ from the two below
//   kAvx2    AVX2 with BMI2, FMA and F16C
//   kAvx512  F, CD, VL, DQ and BW; the same bits as kAvx2 in every function of this folder
enum class Isa { kNone = -1, kSse4 = 0, kAvx2 = 1, kAvx512 = 2 };
inline constexpr int kIsaCount = 3;

// The best of them that both the processor and the operating system (saved registers, XGETBV) support.
Isa detect_isa();

// The meaning of the option `isa=auto|sse4|avx2|avx512`: the cap, or nullopt for any other text. "auto" is no
// cap.
std::optional<Isa> parse_isa_cap(std::string_view text);

// The lower of the two.
inline Isa capped(Isa detected, Isa cap) { return detected < cap ? detected : cap; }

// "none", "sse4", "avx2" or "avx512"; part of the numerics fingerprint.
const char* isa_name(Isa isa);

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_COMMON_ISA_H_
