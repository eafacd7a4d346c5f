// GridSample and its gradients: pictures are sampled at positions between their elements. Positions
// and weights are those of the library's own kernel, in doubles and in its order. The gradient of
// the pictures is gathered: each thread of a block owns some elements of a picture and visits all
// points for them, so that no two threads add to one element.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

// The elements along one axis that contribute to a position, with their weights and the derivatives
// of the weights with respect to the grid.
struct AxisTaps {
  int count;
  int64_t index[4];  // -1: outside, reads zero
  double weight[4], slope[4];
};

// Reflects x at both ends until it is within [low, high]. Each reflection negates `sign`.
__device__ double reflect(double x, double low, double high, double* sign) {
  const double span = high - low;
  if (!(span > 0)) {
    *sign = 0;
    return low;
  }
  const bool below = x < low;
  if (!below && x <= high) return x;
  const double beyond = below ? low - x : x - high, turns = floor(beyond / span);
  double rest = beyond - turns * span;
  rest = rest < 0 ? 0 : rest > span ? span : rest;
  const bool even = fmod(turns, 2.0) == 0;
  if (even) *sign = -*sign;
  return even == below ? low + rest : high - rest;
}

// Cubic convolution by Keys (1981) with a = -0.75.
__device__ double near_weight(double d) { return ((-0.75 + 2) * d - (-0.75 + 3)) * d * d + 1; }
__device__ double far_weight(double d) { return ((-0.75 * d - 5 * -0.75) * d + 8 * -0.75) * d - 4 * -0.75; }
__device__ double near_slope(double d) { return (3 * (-0.75 + 2) * d - 2 * (-0.75 + 3)) * d; }
__device__ double far_slope(double d) { return (3 * -0.75 * d - 10 * -0.75) * d + 8 * -0.75; }

// Returns the position in elements. It is computed in the grid's own precision, so that ties are
// the same as on the host.
template <class G>
__device__ double place_of(G at, int64_t dim, bool align_corners) {
  const G n = static_cast<G>(dim);
  return static_cast<double>(align_corners ? (at + 1) / 2 * (n - 1) : ((at + 1) * n - 1) / 2);
}

// Returns a place that has finite taps: near or inside the axis from 0 to `last`, by the padding.
// Multiplies `slope` by the derivative of the move.
__device__ double place_inside(GridPadding padding, double x, double low, double high, double last, double* slope) {
  if (padding == GridPadding::kZeros) return x != x || x < -8 ? -8 : x > last + 8 ? last + 8 : x;
  if (x != x || (x - x != 0 && padding == GridPadding::kReflection)) {
    *slope = 0;
    return 0;
  }
  if (x >= low && x <= high) return x;
  if (padding == GridPadding::kReflection) return reflect(x, low, high, slope);
  *slope = 0;
  return x < 0 ? 0 : x > last ? last : x;
}

__device__ AxisTaps axis_taps(const GridArgs& a, double x, int64_t dim) {
  AxisTaps taps{};
  const double last = static_cast<double>(dim - 1), low = a.align_corners ? 0 : -0.5, high = a.align_corners ? last : last + 0.5;
  double slope = a.align_corners ? last / 2 : static_cast<double>(dim) / 2;
  if (a.mode == GridMode::kNearest) x = rint(x);
  x = place_inside(a.padding, x, low, high, last, &slope);
  const double below = floor(x), t = x - below;
  int64_t first = static_cast<int64_t>(below);
  if (a.mode == GridMode::kNearest) {
    taps.count = 1;
    taps.weight[0] = 1;
    first = static_cast<int64_t>(rint(x));
  } else if (a.mode == GridMode::kLinear) {
    taps.count = 2;
    taps.weight[0] = 1 - t, taps.weight[1] = t;
    taps.slope[0] = -1, taps.slope[1] = 1;
  } else {
    taps.count = 4;
    taps.weight[0] = far_weight(t + 1), taps.weight[1] = near_weight(t);
    taps.weight[2] = near_weight(1 - t), taps.weight[3] = far_weight(2 - t);
    taps.slope[0] = far_slope(t + 1), taps.slope[1] = near_slope(t);
    taps.slope[2] = -near_slope(1 - t), taps.slope[3] = -far_slope(2 - t);
    --first;
  }
  for (int i = 0; i < taps.count; ++i) {
    int64_t at = first + i;
    if (at < 0 || at >= dim) {
      double ignored = 1;
      if (a.padding == GridPadding::kReflection) at = static_cast<int64_t>(reflect(static_cast<double>(at), low, high, &ignored));
      at = a.padding == GridPadding::kZeros ? -1 : at < 0 ? 0 : at >= dim ? dim - 1 : at;
    }
    taps.index[i] = at;
    taps.slope[i] *= slope;
  }
  return taps;
}

__device__ double grid_place(const GridArgs& a, int64_t number, int64_t dim) {
  switch (a.grid_dtype) {
    case 11: return place_of(at<const double>(a.grid)[number], dim, a.align_corners != 0);
    case 10: return place_of(widen(at<const F16>(a.grid)[number]), dim, a.align_corners != 0);
    case 16: return place_of(widen(at<const BF16>(a.grid)[number]), dim, a.align_corners != 0);
    default: return place_of(at<const float>(a.grid)[number], dim, a.align_corners != 0);
  }
}

// Calls f(offset in the picture, weight, derivatives by the grid's coordinates) for the elements
// that contribute to point `at`. The grid stores the coordinate of the last dim first. The dims are
// right-aligned, and those in front have one element.
template <class F>
__device__ void for_taps(const GridArgs& a, int64_t at, F f) {
  AxisTaps axes[3];
  for (int d = 0; d < 3; ++d) {
    if (d < 3 - a.rank) {
      axes[d] = {1, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}};
    } else {
      axes[d] = axis_taps(a, grid_place(a, at * a.rank + (2 - d), a.dims[d]), a.dims[d]);
    }
  }
  for (int i = 0; i < axes[0].count; ++i) {
    for (int j = 0; j < axes[1].count; ++j) {
      for (int k = 0; k < axes[2].count; ++k) {
        if (axes[0].index[i] < 0 || axes[1].index[j] < 0 || axes[2].index[k] < 0) continue;
        const double wi = axes[0].weight[i], wj = axes[1].weight[j], wk = axes[2].weight[k];
        const double slopes[3] = {wi * wj * axes[2].slope[k], wi * axes[1].slope[j] * wk, axes[0].slope[i] * wj * wk};
        f((axes[0].index[i] * a.dims[1] + axes[1].index[j]) * a.dims[2] + axes[2].index[k], wi * wj * wk, slopes);
      }
    }
  }
}

// Converts a sum to T as the library does. Integers are truncated towards zero and clamped to the
// range; NaN gives 0.
template <class T>
struct Sampled {
  __device__ static T of(double v) {
    if constexpr (IsFloat<Wide<T>>::value) {
      return narrow<T>(static_cast<Wide<T>>(v));
    } else {
      constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(0);
      constexpr int kBits = 8 * static_cast<int>(sizeof(T)) - (kSigned ? 1 : 0);
      const double end = ldexp(1.0, kBits);
      const uint64_t most = ~static_cast<uint64_t>(0) >> (64 - kBits);
      if (v != v) return 0;
      if (v >= end) return static_cast<T>(most);
      if (v <= (kSigned ? -end : 0.0)) return kSigned ? static_cast<T>(most + 1) : static_cast<T>(0);
      return kSigned ? static_cast<T>(static_cast<int64_t>(v)) : static_cast<T>(static_cast<uint64_t>(v));
    }
  }
};

// One thread for each point. Blocks: x over points, y over pieces of the channels.
template <class T>
__device__ void sample(const GridArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.batch * a.points; i += thread_count()) {
    const Divided of = divide(i, a.points);
    for (int64_t c = blockIdx.y; c < a.channels; c += gridDim.y) {
      const int64_t image = of.quotient * a.channels + c;
      double sum = 0;
      T found{};
      for_taps(a, i, [&](int64_t offset, double weight, const double*) {
        found = x[image * a.picture + offset];
        sum += weight * static_cast<double>(widen(found));
      });
      y[image * a.points + of.rest] = a.mode == GridMode::kNearest ? found : Sampled<T>::of(sum);
    }
  }
}

// x and grad: as in the forward pass. One thread for each point.
template <class T>
__device__ void grid_gradient(const GridArgs& a) {
  const T *x = at<const T>(a.x), *grad = at<const T>(a.grad);
  T* dgrid = at<T>(a.dgrid);
  for (int64_t i = thread_number(); i < a.batch * a.points; i += thread_count()) {
    const Divided of = divide(i, a.points);
    double sum[3] = {0, 0, 0};
    for (int64_t c = 0; c < a.channels; ++c) {
      const int64_t image = of.quotient * a.channels + c;
      const double own = static_cast<double>(widen(grad[image * a.points + of.rest]));
      for_taps(a, i, [&](int64_t offset, double, const double* slopes) {
        const double value = own * static_cast<double>(widen(x[image * a.picture + offset]));
        for (int d = 0; d < 3; ++d) sum[d] += value * slopes[d];
      });
    }
    for (int d = 0; d < a.rank; ++d) dgrid[i * a.rank + d] = narrow<T>(static_cast<Wide<T>>(sum[d]));
  }
}

constexpr int kStage = 32, kMostTaps = 64;  // points whose taps are held in shared memory at once

// One block for each picture. A thread owns the elements whose offset modulo the block size is its
// number. Sums are accumulated in dx, or in `sums` for narrow types.
template <class T>
__device__ void picture_gradient(const GridArgs& a) {
  using W = Wide<T>;
  __shared__ int64_t offsets[kStage * kMostTaps];
  __shared__ double weights[kStage * kMostTaps];
  __shared__ int counts[kStage];
  for (int64_t image = blockIdx.x; image < a.batch * a.channels; image += gridDim.x) {
    W* sums = at<W>(a.sums) + image * a.picture;
    const T* grad = at<const T>(a.grad) + image * a.points;
    const int64_t first = image / a.channels * a.points;
    for (int64_t e = threadIdx.x; e < a.picture; e += blockDim.x) sums[e] = 0;
    for (int64_t begin = 0; begin < a.points; begin += kStage) {
      __syncthreads();  // Other threads may still read the previous points.
      if (threadIdx.x < kStage && begin + threadIdx.x < a.points) {
        int count = 0;
        for_taps(a, first + begin + threadIdx.x, [&](int64_t offset, double weight, const double*) {
          offsets[threadIdx.x * kMostTaps + count] = offset;
          weights[threadIdx.x * kMostTaps + count++] = weight;
        });
        counts[threadIdx.x] = count;
      }
      __syncthreads();
      for (int p = 0; p < kStage && begin + p < a.points; ++p) {
        const double own = static_cast<double>(widen(grad[begin + p]));
        for (int k = 0; k < counts[p]; ++k) {
          const int64_t offset = offsets[p * kMostTaps + k];
          if (offset % blockDim.x == threadIdx.x) sums[offset] += static_cast<W>(own * weights[p * kMostTaps + k]);
        }
      }
    }
    if constexpr (sizeof(T) != sizeof(W)) {
      T* dx = at<T>(a.dx) + image * a.picture;
      for (int64_t e = threadIdx.x; e < a.picture; e += blockDim.x) dx[e] = narrow<T>(sums[e]);
    }
  }
}

}  // namespace

#define PERCALE_GRID(name, T)                                                              \
  PERCALE_KERNEL(percale_grid_sample_##name, GridArgs, 256) { sample<T>(a); }              \
  PERCALE_KERNEL(percale_grid_gradient_##name, GridArgs, 256) { grid_gradient<T>(a); }     \
  PERCALE_KERNEL(percale_picture_gradient_##name, GridArgs, 256) { picture_gradient<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_GRID)
#define PERCALE_GRID_INTEGER(name, T) \
  PERCALE_KERNEL(percale_grid_sample_##name, GridArgs, 256) { sample<T>(a); }
PERCALE_SIGNED_TYPES(PERCALE_GRID_INTEGER)
PERCALE_UNSIGNED_TYPES(PERCALE_GRID_INTEGER)

}  // namespace percale::cuda
