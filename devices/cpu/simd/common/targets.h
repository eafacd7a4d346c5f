// Every *_simd.cc includes this file first. It selects the targets that Highway compiles the file
// for and names their tables. A file is compiled once per target (hwy/foreach_target.h) and once
// more for the compiler's baseline, where PERCALE_SIMD_TARGET is 0 and nothing is added.
#ifndef PERCALE_DEVICES_CPU_SIMD_COMMON_TARGETS_H_
#define PERCALE_DEVICES_CPU_SIMD_COMMON_TARGETS_H_

// g++ 12 warns about its own AVX-512 headers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#define PERCALE_SIMD_TARGET (HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)

// Initializes a `const XFns kXFns[kIsaCount]` from the `kFns` in each target's namespace.
#if defined(__x86_64__) || defined(__i386__)
#define PERCALE_SIMD_TABLE \
  { N_SSE4::kFns, N_AVX2::kFns, N_AVX3::kFns }
#else
#define PERCALE_SIMD_TABLE \
  {}
#endif

#endif  // PERCALE_DEVICES_CPU_SIMD_COMMON_TARGETS_H_
