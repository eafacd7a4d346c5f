// Batched transposition, for changes of layout. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_TRANSPOSE_H_
#define PERCALE_DEVICES_CPU_SIMD_TRANSPOSE_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

struct TransposeFns {
  // to[b, c, r] = from[b, r, c] for 4-byte elements of any kind (bits are preserved). `from`
  // [batch, rows, cols] and `to` are dense and do not overlap. NCHW -> NHWC is rows = C, cols = H
  // W.
  void (*transpose32)(const void* from, int64_t batch, int64_t rows, int64_t cols, void* to,
                      const ParallelFor& parallel);
};
extern const TransposeFns kTransposeFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_TRANSPOSE_H_
