// Selection of the instruction set of the SIMD kernels: detected by our own code, limited by an
// option, never by a global.
#ifndef PERCALE_DEVICES_CPU_SIMD_COMMON_ISA_H_
#define PERCALE_DEVICES_CPU_SIMD_COMMON_ISA_H_

#include <optional>
#include <string_view>

namespace percale::simd {

// Ordered: a machine that supports one supports all lower ones of its architecture. kNone is a
// machine or architecture without SIMD kernels; callers then use their portable ones.
//   kSse4    SSE4.2 with PCLMUL and AES; no fused multiply-add, so its bits differ from those below
//   kAvx2    AVX2 with BMI2, FMA and F16C
//   kAvx512  F, CD, VL, DQ and BW; the same bits as kAvx2 in every function of this folder
//   kNeon    what every arm64 processor has
enum class Isa { kNone = -1, kSse4 = 0, kAvx2 = 1, kAvx512 = 2, kNeon = 3 };
inline constexpr Isa kHighestIsa = Isa::kNeon;
inline constexpr int kIsaCount = 4;

// The sets that are built, all of one architecture (build option "isas"): bits 1 << Isa.
#ifndef PERCALE_ISAS
#define PERCALE_ISAS 7
#endif

// True if the kernels without fused multiply-add are built for sets that have it (build option
// "portable_numerics").
#ifndef PERCALE_PORTABLE_NUMERICS
#define PERCALE_PORTABLE_NUMERICS 0
#endif

// Returns the highest set that both the processor and the operating system (saved registers)
// support. The folder of each architecture has it.
Isa isa_of_machine();

// Returns the highest set that the machine supports and that is built.
Isa detect_isa();

// Parses the option `isa=auto|sse4|avx2|avx512|neon`. Returns the limit, or nullopt for any other
// text. "auto" is no limit.
std::optional<Isa> parse_isa_cap(std::string_view text);

// Returns the highest set that is built and not above either.
constexpr Isa capped(Isa detected, Isa cap) {
  int isa = static_cast<int>(detected < cap ? detected : cap);
  while (isa >= 0 && (PERCALE_ISAS >> isa & 1) == 0) --isa;
  return static_cast<Isa>(isa);
}

constexpr bool has_fused_multiply_add(Isa isa) { return isa != Isa::kNone && isa != Isa::kSse4; }
// Returns the highest set up to `isa` for which kernels without fused multiply-add are built.
constexpr Isa portable_isa(Isa isa) {
  return PERCALE_PORTABLE_NUMERICS || !has_fused_multiply_add(isa) ? isa : capped(isa, Isa::kSse4);
}

// Returns "none", "sse4", "avx2", "avx512" or "neon". The name is part of the numerics fingerprint.
const char* isa_name(Isa isa);

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_COMMON_ISA_H_
