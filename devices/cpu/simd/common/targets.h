// Every *_simd.cc includes this file first. It selects the targets that Highway compiles the file
// for and names their tables. A file is compiled once per target (hwy/foreach_target.h) and once
// more for the compiler's baseline, where PERCALE_SIMD_TARGET is 0 and nothing is added.
#ifndef PERCALE_DEVICES_CPU_SIMD_COMMON_TARGETS_H_
#define PERCALE_DEVICES_CPU_SIMD_COMMON_TARGETS_H_

#include "devices/cpu/simd/common/isa.h"

// g++ 12 warns about its own AVX-512 headers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#if PERCALE_ISAS & 1 && !PERCALE_SIMD_PORTABLE
#define PERCALE_SSE4_FNS N_SSE4::kFns
#define PERCALE_NOT_SSE4 0
#else
#define PERCALE_SSE4_FNS \
  {}
#define PERCALE_NOT_SSE4 HWY_SSE4
#endif
#if PERCALE_ISAS & 2
#define PERCALE_AVX2_FNS N_AVX2::kFns
#define PERCALE_NOT_AVX2 0
#else
#define PERCALE_AVX2_FNS \
  {}
#define PERCALE_NOT_AVX2 HWY_AVX2
#endif
#if PERCALE_ISAS & 4
#define PERCALE_AVX3_FNS N_AVX3::kFns
#define PERCALE_NOT_AVX3 0
#else
#define PERCALE_AVX3_FNS \
  {}
#define PERCALE_NOT_AVX3 HWY_AVX3
#endif

#if PERCALE_ISAS & 8
// The target of the compiler's baseline alone. Later versions of Highway have several for NEON.
#define HWY_COMPILE_ONLY_STATIC
#define PERCALE_NEON_FNS HWY_STATIC_DISPATCH(kFns)
#define PERCALE_SIMD_TARGET 1
#else
#define PERCALE_NEON_FNS \
  {}
#define PERCALE_SIMD_TARGET (HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
#endif

// Vectors of SVE have no size for the compiler, and the kernels keep vectors in arrays.
#define HWY_DISABLED_TARGETS                                                                               \
  (HWY_AVX3_DL | HWY_SSSE3 | PERCALE_NOT_SSE4 | PERCALE_NOT_AVX2 | PERCALE_NOT_AVX3 | HWY_SVE | HWY_SVE2 | \
   HWY_SVE_256 | HWY_SVE2_128)

// Initializes a `const XFns kXFns[kIsaCount]` from the `kFns` in each target's namespace.
#define PERCALE_SIMD_TABLE \
  { PERCALE_SSE4_FNS, PERCALE_AVX2_FNS, PERCALE_AVX3_FNS, PERCALE_NEON_FNS }

// The files with products and sums are compiled a second time with PERCALE_SIMD_PORTABLE=1, where
// mul_add() rounds twice. Names differ, so that the linker never takes one for the other. SSE4 has
// no fused multiply-add, so its functions serve both.
#if PERCALE_SIMD_PORTABLE
#define PERCALE_SIMD_NAMESPACE portable::HWY_NAMESPACE
#define PERCALE_DEFINE_TABLE(Fns) \
  using namespace portable;       \
  const Fns kPortable##Fns[kIsaCount] = PERCALE_SIMD_TABLE
#else
#define PERCALE_SIMD_NAMESPACE HWY_NAMESPACE
#define PERCALE_DEFINE_TABLE(Fns) const Fns k##Fns[kIsaCount] = PERCALE_SIMD_TABLE
#endif

#endif  // PERCALE_DEVICES_CPU_SIMD_COMMON_TARGETS_H_
