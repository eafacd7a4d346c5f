// 2-D pooling and its gradients, NCHW. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_POOL_H_
#define PERCALE_DEVICES_CPU_SIMD_POOL_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// Maps `planes` (batch times channels) images [in_h, in_w] to [out_h, out_w]. The window of output
// (p, q) contains (p * stride_h + i * dilation_h - pad_top, q * stride_w + j * dilation_w -
// pad_left) for i < kernel_h, j < kernel_w, without the positions outside the image. Requires
// kernels, strides and dilations >= 1, pads >= 0, in_h * in_w < 2^31. A window entirely outside
// gives -infinity (maximum) or 0 (average).
struct Pool2d {
  int64_t planes = 1, in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  // Limits of the pads that an average counts.
  int64_t pad_bottom = 0, pad_right = 0;
  bool count_pads = false;
};

struct PoolFns {
  // y is [planes, out_h, out_w]. `indices` (may be null) returns the position of each maximum as a
  // row-major index into the whole of x: the first of equal elements, the first NaN if there is
  // one, -1 for a window entirely outside.
  void (*max)(const Pool2d& pool, const float* x, float* y, int64_t* indices, const ParallelFor& parallel);
  // dx = 0, then dx[index of each maximum] += dy, in the order of the outputs. The maxima come from
  // x, or from the indices that max() returned; the other pointer is null.
  void (*max_grad)(const Pool2d& pool, const float* x, const int64_t* indices, const float* dy, float* dx,
                   const ParallelFor& parallel);
  // Sums the window row by row and divides by the number of counted positions.
  void (*average)(const Pool2d& pool, const float* x, float* y, const ParallelFor& parallel);
  // dx = 0, then dx += dy / counted positions for every position of a window, in the order of the
  // output rows.
  void (*average_grad)(const Pool2d& pool, const float* dy, float* dx, const ParallelFor& parallel);
};
extern const PoolFns kPoolFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_POOL_H_
