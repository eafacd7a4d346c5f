// Elementwise losses of two tensors of one shape, and their sum or mean in an order that depends on
// the size only.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/row_args.h"

namespace percale::cuda {
namespace {

template <class W>
__device__ W pair_loss(const PairLossArgs& a, W x, W target) {
  if (a.huber) {
    const W distance = fabs(x - target), delta = static_cast<W>(a.delta);
    return distance <= delta ? distance * distance / 2 : delta * (distance - delta / 2);
  }
  const W zero = 0, most = x > zero || x != x ? x : zero;
  return most - x * target + log1p(exp(-fabs(x)));
}

// Without reduction, each thread computes elements. Otherwise each block stores the sum of a piece.
template <class T>
__device__ void pair_losses(const PairLossArgs& a) {
  __shared__ double lanes[32];
  const T *x = at<const T>(a.x), *target = at<const T>(a.target);
  if (a.reduction == 0) {
    for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
      at<T>(a.y)[i] = narrow<T>(pair_loss(a, widen(x[i]), widen(target[i])));
    }
    return;
  }
  const int64_t each = (a.size + a.pieces - 1) / a.pieces;
  for (int64_t piece = blockIdx.x; piece < a.pieces; piece += gridDim.x) {
    const int64_t begin = piece * each, end = begin + each < a.size ? begin + each : a.size;
    double sum = 0;
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      sum += static_cast<double>(pair_loss(a, widen(x[i]), widen(target[i])));
    }
    sum = join_row(sum, lanes, JoinSum());
    if (threadIdx.x == 0) at<double>(a.partial)[piece] = sum;
  }
}

}  // namespace

#define PERCALE_PAIR_LOSS(name, T) \
  PERCALE_KERNEL(percale_pair_loss_##name, PairLossArgs, 256) { pair_losses<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_PAIR_LOSS)

// One block computes the sum or mean of the pieces.
PERCALE_KERNEL(percale_pair_loss_join, PairLossArgs, 256) {
  __shared__ double lanes[32];
  double sum = 0;
  for (int64_t i = threadIdx.x; i < a.pieces; i += blockDim.x) sum += at<const double>(a.partial)[i];
  sum = join_row(sum, lanes, JoinSum());
  if (a.reduction == 2) sum /= static_cast<double>(a.size);
  if (threadIdx.x == 0) write_float(a.y, a.dtype, 0, sum);
}

}  // namespace percale::cuda
