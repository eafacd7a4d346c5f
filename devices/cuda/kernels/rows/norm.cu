// Normalisation of rows (layer, root mean square) and its gradients. A warp or a block processes
// each row. All threads of a block continue as long as one has a row, because they share barriers.
// The order of every sum depends on sizes only.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/row_args.h"

namespace percale::cuda {
namespace {

// Returns the sum of f(element) over a row, in every thread of the row. `works` is true if there is
// a row.
template <int kEach, class T, class F>
__device__ Wide<T> sum_row(const T* x, int64_t size, bool works, Wide<T>* lanes, F f) {
  Wide<T> sum = 0;
  if (works) {
    const auto* packs = reinterpret_cast<const Pack<T, kEach>*>(x);
    for (int64_t i = threadIdx.x; i < size / kEach; i += blockDim.x) {
      const Pack<T, kEach> pack = packs[i];
      for (int k = 0; k < kEach; ++k) sum += f(widen(pack.items[k]));
    }
  }
  return join_row(sum, lanes, JoinSum());
}

template <class W>
struct Statistics {
  W mean, inverse;  // inverse: 1 / sqrt(variance + epsilon)
};
template <int kEach, class T>
__device__ Statistics<Wide<T>> statistics_of(const T* x, int64_t size, double epsilon, bool works, Wide<T>* lanes) {
  using W = Wide<T>;
  const W count = static_cast<W>(size);
  const W mean = sum_row<kEach>(x, size, works, lanes, [](W v) { return v; }) / count;
  const W squares = sum_row<kEach>(x, size, works, lanes, [=](W v) { return (v - mean) * (v - mean); });
  return {mean, static_cast<W>(1) / sqrt(squares / count + static_cast<W>(epsilon))};
}

// To: the type of the result.
template <class T, class To, int kEach>
__device__ void row_norm(const RowNormArgs& a, Wide<T>* lanes) {
  using W = Wide<T>;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t begin = static_cast<int64_t>(blockIdx.x) * blockDim.y; begin < a.rows; begin += step) {
    const int64_t row = begin + threadIdx.y;
    const bool works = row < a.rows;
    const T* x = at<const T>(a.x) + (works ? row * a.size : 0);
    W mean = 0, inverse = 0, root = 1;
    if (a.root) {
      const W squares = sum_row<kEach>(x, a.size, works, lanes, [](W v) { return v * v; });
      root = sqrt(squares / static_cast<W>(a.size) + static_cast<W>(a.epsilon));
    } else {
      const Statistics<W> s = statistics_of<kEach>(x, a.size, a.epsilon, works, lanes);
      mean = s.mean;
      inverse = s.inverse;
    }
    if (!works) continue;
    const auto* from = reinterpret_cast<const Pack<T, kEach>*>(x);
    const auto* scale = at<const Pack<T, kEach>>(a.scale);
    auto* to = reinterpret_cast<Pack<To, kEach>*>(at<To>(a.y) + row * a.size);
    for (int64_t i = threadIdx.x; i < a.size / kEach; i += blockDim.x) {
      const Pack<T, kEach> pack = from[i], factor = scale[i];
      Pack<To, kEach> out;
      Pack<T, kEach> more{};
      if (a.bias.address != 0) more = at<const Pack<T, kEach>>(a.bias)[i];
      for (int k = 0; k < kEach; ++k) {
        const W v = widen(pack.items[k]), g = widen(factor.items[k]);
        if (a.root) {  // Rounded before scaling, as ONNX says.
          out.items[k] = narrow<To>(widen(narrow<T>(v / root)) * g);
        } else {
          const W h = (v - mean) * inverse * g;
          out.items[k] = narrow<To>(a.bias.address != 0 ? h + widen(more.items[k]) : h);
        }
      }
      to[i] = out;
    }
    if (threadIdx.x != 0) continue;
    if (a.mean.address != 0) at<W>(a.mean)[row] = mean;
    if (a.inverse.address != 0) at<W>(a.inverse)[row] = inverse;
  }
}

// With g = dY scale and h = (x - mean) r, the gradient is dX = r (g - mean(g) - h mean(g h)). From:
// the type of dY.
template <class T, class From, int kEach>
__device__ void row_norm_grad(const RowNormGradArgs& a, Wide<T>* lanes) {
  using W = Wide<T>;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t begin = static_cast<int64_t>(blockIdx.x) * blockDim.y; begin < a.rows; begin += step) {
    const int64_t row = begin + threadIdx.y;
    const bool works = row < a.rows;
    const int64_t start = works ? row * a.size : 0;
    const T* x = at<const T>(a.x) + start;
    const Statistics<W> s = statistics_of<kEach>(x, a.size, a.epsilon, works, lanes);
    const auto* from = reinterpret_cast<const Pack<T, kEach>*>(x);
    const auto* dy = reinterpret_cast<const Pack<From, kEach>*>(at<const From>(a.dy) + start);
    const auto* scale = at<const Pack<T, kEach>>(a.scale);
    W sum = 0, weighted = 0;
    if (works) {
      for (int64_t i = threadIdx.x; i < a.size / kEach; i += blockDim.x) {
        const Pack<T, kEach> v = from[i], factor = scale[i];
        const Pack<From, kEach> d = dy[i];
        for (int k = 0; k < kEach; ++k) {
          const W g = widen(d.items[k]) * widen(factor.items[k]);
          sum += g;
          weighted += g * (widen(v.items[k]) - s.mean) * s.inverse;
        }
      }
    }
    const W count = static_cast<W>(a.size);
    const W mean_g = join_row(sum, lanes, JoinSum()) / count;
    const W mean_gh = join_row(weighted, lanes, JoinSum()) / count;
    if (!works) continue;
    auto* to = reinterpret_cast<Pack<T, kEach>*>(at<T>(a.dx) + start);
    for (int64_t i = threadIdx.x; i < a.size / kEach; i += blockDim.x) {
      const Pack<T, kEach> v = from[i], factor = scale[i];
        const Pack<From, kEach> d = dy[i];
      Pack<T, kEach> out;
      for (int k = 0; k < kEach; ++k) {
        const W g = widen(d.items[k]) * widen(factor.items[k]);
        const W h = (widen(v.items[k]) - s.mean) * s.inverse;
        out.items[k] = narrow<T>(s.inverse * (g - mean_g - h * mean_gh));
      }
      to[i] = out;
    }
    if (threadIdx.x != 0) continue;
    at<W>(a.statistics)[2 * row] = s.mean;
    at<W>(a.statistics)[2 * row + 1] = s.inverse;
  }
}

constexpr int kColumns = 32, kColumnRows = 8;  // threads of a block that sums columns

// Computes dscale = sum over rows of dY h, and dbias = sum over rows of dY. A block handles 32
// columns of a piece of the rows (blocks: x over columns, y over pieces).
template <class T, class From>
__device__ void row_norm_columns(const RowNormGradArgs& a) {
  using W = Wide<T>;
  __shared__ W sums[2][kColumnRows][kColumns];
  const Range rows = piece_of(a.rows, a.pieces, blockIdx.y);
  const int64_t step = static_cast<int64_t>(gridDim.x) * kColumns;
  for (int64_t begin = static_cast<int64_t>(blockIdx.x) * kColumns; begin < a.size; begin += step) {
    const int64_t column = begin + threadIdx.x;
    W dscale = 0, dbias = 0;
    if (column < a.size) {
      for (int64_t row = rows.begin + threadIdx.y; row < rows.end; row += kColumnRows) {
        const W d = widen(at<const From>(a.dy)[row * a.size + column]);
        const W mean = at<const W>(a.statistics)[2 * row], inverse = at<const W>(a.statistics)[2 * row + 1];
        dscale += d * ((widen(at<const T>(a.x)[row * a.size + column]) - mean) * inverse);
        dbias += d;
      }
    }
    __syncthreads();  // Other threads may still read the previous columns.
    sums[0][threadIdx.y][threadIdx.x] = dscale;
    sums[1][threadIdx.y][threadIdx.x] = dbias;
    __syncthreads();
    if (threadIdx.y > 1 || column >= a.size) continue;
    W sum = sums[threadIdx.y][0][threadIdx.x];
    for (int y = 1; y < kColumnRows; ++y) sum += sums[threadIdx.y][y][threadIdx.x];
    if (a.pieces == 1) {
      at<T>(threadIdx.y == 0 ? a.dscale : a.dbias)[column] = narrow<T>(sum);
    } else {
      at<W>(a.partial)[(threadIdx.y * a.pieces + blockIdx.y) * a.size + column] = sum;
    }
  }
}

template <class T>
__device__ void row_norm_join(const RowNormGradArgs& a) {
  using W = Wide<T>;
  for (int64_t i = thread_number(); i < 2 * a.size; i += thread_count()) {
    const int64_t which = i / a.size, column = i % a.size;
    W sum = 0;
    for (int64_t p = 0; p < a.pieces; ++p) sum += at<const W>(a.partial)[(which * a.pieces + p) * a.size + column];
    at<T>(which == 0 ? a.dscale : a.dbias)[column] = narrow<T>(sum);
  }
}

}  // namespace

// For rows of T. `Other` is the type of the result, or of the incoming gradient.
#define PERCALE_ROW_NORM(name, T, Other)                                                                   \
  PERCALE_KERNEL(percale_row_norm_##name, RowNormArgs, 256) {                                              \
    __shared__ Wide<T> lanes[32];                                                                          \
    if (a.packed) {                                                                                        \
      row_norm<T, Other, kPackOf<T>>(a, lanes);                                                                     \
    } else {                                                                                               \
      row_norm<T, Other, 1>(a, lanes);                                                                     \
    }                                                                                                      \
  }                                                                                                        \
  PERCALE_KERNEL(percale_row_norm_grad_##name, RowNormGradArgs, 256) {                                     \
    __shared__ Wide<T> lanes[32];                                                                          \
    if (a.packed) {                                                                                        \
      row_norm_grad<T, Other, kPackOf<T>>(a, lanes);                                                                \
    } else {                                                                                               \
      row_norm_grad<T, Other, 1>(a, lanes);                                                                \
    }                                                                                                      \
  }                                                                                                        \
  PERCALE_KERNEL(percale_row_norm_columns_##name, RowNormGradArgs, 256) { row_norm_columns<T, Other>(a); }
PERCALE_ROW_NORM(f32_f16, float, F16)
PERCALE_ROW_NORM(f32_bf16, float, BF16)

#define PERCALE_NORM(name, T)                                                                      \
  PERCALE_ROW_NORM(name, T, T)                                                                     \
  PERCALE_KERNEL(percale_row_norm_join_##name, RowNormGradArgs, 256) { row_norm_join<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_NORM)

}  // namespace percale::cuda
