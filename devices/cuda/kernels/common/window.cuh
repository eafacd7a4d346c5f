// Index arithmetic of images with three dims, for kernels with sliding windows.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_WINDOW_CUH_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_WINDOW_CUH_

#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {

__device__ inline int64_t size_of(const int64_t (&dims)[3]) { return dims[0] * dims[1] * dims[2]; }

// The position of an element in images with the same dims: its image and its coordinates there. It
// also serves as a channel with a tap of the window.
struct Point {
  int64_t outer;
  int64_t p[3];
};
__device__ inline Point point_in(const int64_t (&dims)[3], int64_t i) {
  Point out;
  int64_t rest = i;
  for (int d = 2; d >= 0; --d) {
    const Divided of = divide(rest, dims[d]);
    out.p[d] = of.rest;
    rest = of.quotient;
  }
  out.outer = rest;
  return out;
}

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_WINDOW_CUH_
