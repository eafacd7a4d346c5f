// Softmax, log-softmax and cross-entropy over rows. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_SOFTMAX_H_
#define PERCALE_DEVICES_CPU_SIMD_SOFTMAX_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// All matrices are dense [rows, classes]. An output may be identical to an input of the same shape.
struct SoftmaxFns {
  // y = exp(x - max) / sum of exp(x - max) per row.
  void (*softmax)(const float* x, int64_t rows, int64_t classes, float* y, const ParallelFor& parallel);
  // y = x - max - log(sum of exp(x - max)) per row.
  void (*log_softmax)(const float* x, int64_t rows, int64_t classes, float* y, const ParallelFor& parallel);
  // dx = y (dy - sum of dy y), where y is softmax's output.
  void (*softmax_grad)(const float* y, const float* dy, int64_t rows, int64_t classes, float* dx,
                       const ParallelFor& parallel);
  // dx = dy - exp(y) sum of dy, where y is log_softmax's output.
  void (*log_softmax_grad)(const float* y, const float* dy, int64_t rows, int64_t classes, float* dx,
                           const ParallelFor& parallel);

  // Cross-entropy with integer labels: loss[r] = log(sum of exp(x - max)) - (x[r, label] - max);
  // probabilities = softmax. `probabilities` may be null, or identical to `logits`. A label outside
  // [0, classes) gives a loss of NaN without an access out of bounds; the caller reports it. One of
  // the two label pointers is null.
  void (*cross_entropy)(const float* logits, const int32_t* labels32, const int64_t* labels64, int64_t rows,
                        int64_t classes, float* loss, float* probabilities, const ParallelFor& parallel);
  // dlogits[r, c] = (probabilities[r, c] - (c == label ? 1 : 0)) * dloss[r]. With `dloss_scalar`,
  // dloss is one value for all rows. A label outside [0, classes) gives a row of NaN.
  void (*cross_entropy_grad)(const float* probabilities, const int32_t* labels32, const int64_t* labels64,
                             const float* dloss, bool dloss_scalar, int64_t rows, int64_t classes, float* dlogits,
                             const ParallelFor& parallel);
};
extern const SoftmaxFns kSoftmaxFns[kIsaCount], kPortableSoftmaxFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_SOFTMAX_H_
