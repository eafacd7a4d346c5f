// 2-D pooling and its gradients, NCHW. See simd.h for what holds for every function of this folder.
#ifndef PERCALE_DEVICES_CPU_SIMD_POOL_H_
#define PERCALE_DEVICES_CPU_SIMD_POOL_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// Over `planes` (batch times channels) images [in_h, in_w] -> [out_h, out_w]. The window of output (p, q)
// holds (p * stride_h + i * dilation_h - pad_top, q * stride_w + j * dilation_w - pad_left) for i < kernel_h,
// j < kernel_w, without the places outside the image. Needs kernels, strides and dilations >= 1, pads >= 0,
// in_h * in_w < 2^31. A window that is wholly outside gives -infinity (maximum) or 0 (average).
struct Pool2d {
  int64_t planes = 1, in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  int64_t pad_top = 0, pad_left = 0;
  // For averages that count pads: pads count as far as these reach.
  int64_t pad_bottom = 0, pad_right = 0;
  bool count_pads = false;
};

struct PoolFns {
  // y [planes, out_h, out_w]. indices (may be null): where the maximum is, as an index into the whole of x,
  // counting rows first; the first of equals, the first NaN if there is one; -1 for a window wholly outside.
  void (*max)(const Pool2d& pool, const float* x, float* y, int64_t* indices, const ParallelFor& parallel);
  // dx = 0, then dx[index of each maximum] += dy, in the order of outputs. From x, or from the indices that
  // max gave (the other is null).
  void (*max_grad)(const Pool2d& pool, const float* x, const int64_t* indices, const float* dy, float* dx,
                   const ParallelFor& parallel);
  // Rows of the window first; the sum divided by the places counted.
  void (*average)(const Pool2d& pool, const float* x, float* y, const ParallelFor& parallel);
  // dx = 0, then every place of a window += dy / places counted, in the order of outputs' rows.
  void (*average_grad)(const Pool2d& pool, const float* dy, float* dx, const ParallelFor& parallel);
};
extern const PoolFns kPoolFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_POOL_H_
