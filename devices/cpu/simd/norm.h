// Normalization of rows and of channels, and the softmax of attention. simd.h documents the rules
// for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_NORM_H_
#define PERCALE_DEVICES_CPU_SIMD_NORM_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// Sums along rows are ordered as in reduce.h. x and y are dense [rows, size]; y may be identical to
// x.
struct NormFns {
  // y = (x - mean) r scale + bias with r = 1 / sqrt(variance + epsilon), using mean and biased
  // variance of each row. `bias` may be null. `mean` and `inverse` (r) return one number per row;
  // they may be null, too.
  void (*layer_norm)(const float* x, int64_t rows, int64_t size, const float* scale, const float* bias, float epsilon,
                     float* y, float* mean, float* inverse, const ParallelFor& parallel);
  // y = x r scale with r = 1 / sqrt(mean of x^2 + epsilon) of each row.
  void (*rms_norm)(const float* x, int64_t rows, int64_t size, const float* scale, float epsilon, float* y,
                   const ParallelFor& parallel);
  // x and y are [batch, channels, image]. y = (x - mean) r scale + bias with r = 1 / sqrt(variance
  // + epsilon), using mean and biased variance of each channel, which are returned.
  void (*batch_norm)(const float* x, int64_t batch, int64_t channels, int64_t image, const float* scale,
                     const float* bias, float epsilon, float* y, float* mean, float* variance,
                     const ParallelFor& parallel);
  // Gradients of batch_norm. With h = (x - mean) r: dbias = sum of dy, dscale = sum of dy h, dx =
  // scale r (dy - mean of dy - h mean of dy h).
  void (*batch_norm_grad)(const float* dy, const float* x, int64_t batch, int64_t channels, int64_t image,
                          const float* scale, float epsilon, float* dx, float* dscale, float* dbias,
                          const ParallelFor& parallel);
  // In place, on the calling thread: x[r, c] = softmax over c of fma(x[r, c], scale, mask[r *
  // mask_step + c]). Rows of x are `stride` apart; `mask` may be null. A row whose sum is NaN
  // becomes NaN, or 0 with `nan_is_zero`.
  void (*masked_softmax)(float* x, int64_t rows, int64_t cols, int64_t stride, float scale, const float* mask,
                         int64_t mask_step, bool nan_is_zero);
};
extern const NormFns kNormFns[kIsaCount], kPortableNormFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_NORM_H_
