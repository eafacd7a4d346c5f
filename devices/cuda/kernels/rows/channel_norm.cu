// Normalisation of channels (batch) and its gradients. The order of every sum depends on sizes
// only.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/row_args.h"

namespace percale::cuda {
namespace {

// Returns the offset of element `j` of a channel, counted over the batch.
__device__ int64_t place_of(const ChannelNormArgs& a, int64_t channel, int64_t j) {
  const int64_t n = quotient(j, a.image);
  return (n * a.channels + channel) * a.image + (j - n * a.image);
}

// Returns the gradient that passes back through a Relu: 0 where the result of the Relu is 0.
template <class T>
__device__ Wide<T> through_relu(T gradient, T result) {
  return widen(result) <= 0 ? static_cast<Wide<T>>(0) : widen(gradient);
}

__device__ ChannelPiece* pieces_of(const ChannelNormArgs& a, int64_t channel) {
  return at<ChannelPiece>(a.partial) + channel * a.pieces;
}

// Computes a piece of a channel. One block handles each piece (blocks: x over channels, y over
// pieces). The sums of the gradient use the mean of the piece, so that x is read from memory once:
// the second loop finds it in the cache.
template <class T>
__device__ void channel_pieces(const ChannelNormArgs& a) {
  using W = Wide<T>;
  __shared__ W lanes[32];
  const T *x = at<const T>(a.x), *dy = at<const T>(a.dy), *result = at<const T>(a.relu_result);
  const Range range = piece_of(a.batch * a.image, a.pieces, blockIdx.y);
  for (int64_t c = blockIdx.x; c < a.channels; c += gridDim.x) {
    W total = 0;
    for (int64_t j = range.begin + threadIdx.x; j < range.end; j += blockDim.x) total += widen(x[place_of(a, c, j)]);
    const W mean = join_row(total, lanes, JoinSum()) / static_cast<W>(range.end - range.begin);
    W squares = 0, sum = 0, weighted = 0;
    for (int64_t j = range.begin + threadIdx.x; j < range.end; j += blockDim.x) {
      const int64_t i = place_of(a, c, j);
      const W distance = widen(x[i]) - mean;
      squares += distance * distance;
      if (dy == nullptr) continue;
      const W d = result != nullptr ? through_relu(dy[i], result[i]) : widen(dy[i]);
      sum += d;
      weighted += d * distance;
    }
    squares = join_row(squares, lanes, JoinSum());
    if (dy != nullptr) {
      sum = join_row(sum, lanes, JoinSum());
      weighted = join_row(weighted, lanes, JoinSum());
    }
    if (threadIdx.x != 0) continue;
    pieces_of(a, c)[blockIdx.y] = {static_cast<double>(mean), static_cast<double>(squares), static_cast<double>(sum),
                                   static_cast<double>(weighted)};
  }
}

// The same with channels last. A thread handles kEach neighbouring channels of every blockDim.y-th
// row of a piece (blocks: x over channels, y over pieces).

// Adds the values of the threads of a column in order. `room` has kEach elements for each thread.
// Every thread gets the sums of its column.
template <class W, int kEach>
__device__ void join_columns(W (&values)[kEach], W* room) {
  const unsigned own = threadIdx.y * blockDim.x + threadIdx.x;
  __syncthreads();  // Other threads may still read the previous values.
  for (int k = 0; k < kEach; ++k) room[own * kEach + k] = values[k];
  __syncthreads();
  for (int k = 0; k < kEach; ++k) {
    W sum = room[threadIdx.x * kEach + k];
    for (unsigned y = 1; y < blockDim.y; ++y) sum += room[(y * blockDim.x + threadIdx.x) * kEach + k];
    values[k] = sum;
  }
}

template <class T, int kEach>
__device__ void channel_pieces_last(const ChannelNormArgs& a, Wide<T>* room) {
  using W = Wide<T>;
  const auto *x = at<const Pack<T, kEach>>(a.x), *dy = at<const Pack<T, kEach>>(a.dy);
  const auto* result = at<const Pack<T, kEach>>(a.relu_result);
  const int64_t groups = a.channels / kEach;
  const Range range = piece_of(a.batch * a.image, a.pieces, blockIdx.y);
  const W count = static_cast<W>(range.end - range.begin);
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x; first < groups;
       first += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    const int64_t group = first + threadIdx.x, end = group < groups ? range.end : range.begin;
    W mean[kEach] = {}, squares[kEach] = {}, sum[kEach] = {}, weighted[kEach] = {};
    for (int64_t r = range.begin + threadIdx.y; r < end; r += blockDim.y) {
      const Pack<T, kEach> pack = x[r * groups + group];
      for (int k = 0; k < kEach; ++k) mean[k] += widen(pack.items[k]);
    }
    join_columns(mean, room);
    for (int k = 0; k < kEach; ++k) mean[k] /= count;
    for (int64_t r = range.begin + threadIdx.y; r < end; r += blockDim.y) {
      const int64_t i = r * groups + group;
      const Pack<T, kEach> own = x[i], grad = dy != nullptr ? dy[i] : own, then = result != nullptr ? result[i] : own;
      for (int k = 0; k < kEach; ++k) {
        const W distance = widen(own.items[k]) - mean[k];
        squares[k] += distance * distance;
        if (dy == nullptr) continue;
        const W d = result != nullptr ? through_relu(grad.items[k], then.items[k]) : widen(grad.items[k]);
        sum[k] += d;
        weighted[k] += d * distance;
      }
    }
    join_columns(squares, room);
    if (dy != nullptr) {
      join_columns(sum, room);
      join_columns(weighted, room);
    }
    if (threadIdx.y != 0 || group >= groups) continue;
    for (int k = 0; k < kEach; ++k) {
      pieces_of(a, group * kEach + k)[blockIdx.y] = {static_cast<double>(mean[k]), static_cast<double>(squares[k]),
                                                     static_cast<double>(sum[k]), static_cast<double>(weighted[k])};
    }
  }
}

// Forward: (x - t0) t1 + t2, then the epilogue, with each step rounded like a separate node.
// Gradient: (dy - t3 - (x - t0) t2) t1. `second` is dy or the residual, `third` the result of Relu.
// They may have any value if the operand is absent.
template <class T>
__device__ T apply_to(const ChannelNormArgs& a, const Pack<Wide<T>, 4>& t, T x, T second, T third) {
  using W = Wide<T>;
  const W shifted = widen(x) - t.items[0];
  if (a.dy.address != 0) {
    const W dy = a.relu_result.address != 0 ? through_relu(second, third) : widen(second);
    return narrow<T>((dy - t.items[3] - shifted * t.items[2]) * t.items[1]);
  }
  T y = narrow<T>(shifted * t.items[1] + t.items[2]);
  if (a.residual.address != 0) y = narrow<T>(widen(y) + widen(second));
  return a.relu && widen(y) < 0 ? narrow<T>(static_cast<W>(0)) : y;
}

template <class T, int kEach>
__device__ void channel_apply(const ChannelNormArgs& a) {
  const int64_t image = a.image / kEach, count = a.batch * a.channels * image;
  const auto* x = at<const Pack<T, kEach>>(a.x);
  const auto* second = at<const Pack<T, kEach>>(a.dy.address != 0 ? a.dy : a.residual);
  const auto* third = at<const Pack<T, kEach>>(a.relu_result);
  auto* y = at<Pack<T, kEach>>(a.y);
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const int64_t plane = quotient(i, image), c = plane - quotient(plane, a.channels) * a.channels;
    const Pack<Wide<T>, 4> t = at<const Pack<Wide<T>, 4>>(a.table)[c];
    Pack<T, kEach> pack = x[i];
    const Pack<T, kEach> beside = second != nullptr ? second[i] : pack, then = third != nullptr ? third[i] : pack;
    for (int k = 0; k < kEach; ++k) pack.items[k] = apply_to(a, t, pack.items[k], beside.items[k], then.items[k]);
    y[i] = pack;
  }
}

// Uses the same threads as the sums with channels last. Each thread holds the coefficients of its
// channels in registers.
template <class T, int kEach>
__device__ void channel_apply_last(const ChannelNormArgs& a) {
  const int64_t groups = a.channels / kEach;
  const auto* x = at<const Pack<T, kEach>>(a.x);
  const auto* second = at<const Pack<T, kEach>>(a.dy.address != 0 ? a.dy : a.residual);
  const auto* third = at<const Pack<T, kEach>>(a.relu_result);
  auto* y = at<Pack<T, kEach>>(a.y);
  const Range range = piece_of(a.batch * a.image, a.pieces, blockIdx.y);
  for (int64_t group = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; group < groups;
       group += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    Pack<Wide<T>, 4> t[kEach];
    for (int k = 0; k < kEach; ++k) t[k] = at<const Pack<Wide<T>, 4>>(a.table)[group * kEach + k];
    for (int64_t r = range.begin + threadIdx.y; r < range.end; r += blockDim.y) {
      const int64_t i = r * groups + group;
      Pack<T, kEach> pack = x[i];
      const Pack<T, kEach> beside = second != nullptr ? second[i] : pack, then = third != nullptr ? third[i] : pack;
      for (int k = 0; k < kEach; ++k) pack.items[k] = apply_to(a, t[k], pack.items[k], beside.items[k], then.items[k]);
      y[i] = pack;
    }
  }
}

struct Moments {
  double mean, variance;
};
// Combines the moments of the pieces into those of the channel (Chan, Golub and LeVeque 1979).
__device__ Moments join_moments(const ChannelNormArgs& a, int64_t channel) {
  const ChannelPiece* pieces = pieces_of(a, channel);
  double mean = pieces[0].mean, squares = pieces[0].squares;
  for (int64_t p = 1; p < a.pieces; ++p) {
    const Range range = piece_of(a.batch * a.image, a.pieces, p);
    const double before = static_cast<double>(range.begin), count = static_cast<double>(range.end - range.begin);
    const double distance = pieces[p].mean - mean, both = before + count;
    mean += distance * (count / both);
    squares += pieces[p].squares + distance * distance * (before * count / both);
  }
  return {mean, squares / static_cast<double>(a.batch * a.image)};
}

__device__ Moments given_moments(const ChannelNormArgs& a, int64_t channel) {
  if (a.mean.address == 0) return {0, 0};
  return {read_float(a.mean, a.statistics_dtype, channel), read_float(a.variance, a.statistics_dtype, channel)};
}

template <class W>
__device__ void write_table(const ChannelNormArgs& a, int64_t channel, double t0, double t1, double t2, double t3) {
  at<Pack<W, 4>>(a.table)[channel] = {static_cast<W>(t0), static_cast<W>(t1), static_cast<W>(t2), static_cast<W>(t3)};
}

// One thread for each channel computes the running statistics and the table.
template <class W>
__device__ void channel_statistics(const ChannelNormArgs& a) {
  for (int64_t c = thread_number(); c < a.channels; c += thread_count()) {
    const Moments given = given_moments(a, c), used = a.training ? join_moments(a, c) : given;
    if (a.running_mean.address != 0) {
      write_float(a.running_mean, a.statistics_dtype, c, given.mean * a.momentum + used.mean * (1 - a.momentum));
    }
    if (a.running_variance.address != 0) {
      write_float(a.running_variance, a.statistics_dtype, c,
                  given.variance * a.momentum + used.variance * (1 - a.momentum));
    }
    write_table<W>(a, c, used.mean, read_float(a.scale, a.scale_dtype, c) * (1 / sqrt(used.variance + a.epsilon)),
                   read_float(a.bias, a.scale_dtype, c), 0);
  }
}

// One thread for each channel computes the gradients of scale and bias, and the table. With
// r = 1 / deviation and h = (x - mean) r, dscale is the sum of dY h, and
// dX = scale r (dY - dB / n - h dscale / n); the last two terms exist only in training.
template <class W>
__device__ void channel_gradients(const ChannelNormArgs& a) {
  const int64_t count = a.batch * a.image;
  for (int64_t c = thread_number(); c < a.channels; c += thread_count()) {
    const Moments used = a.training ? join_moments(a, c) : given_moments(a, c);
    const double inverse = 1 / sqrt(used.variance + a.epsilon), each = 1 / static_cast<double>(count);
    double dbias = 0, weighted = 0;
    for (int64_t p = 0; p < a.pieces && count > 0; ++p) {
      const ChannelPiece piece = pieces_of(a, c)[p];
      dbias += piece.sum;
      weighted += piece.weighted + (piece.mean - used.mean) * piece.sum;
    }
    const double dscale = weighted * inverse;
    write_float(a.dscale, a.scale_dtype, c, dscale);
    write_float(a.dbias, a.scale_dtype, c, dbias);
    write_table<W>(a, c, used.mean, read_float(a.scale, a.scale_dtype, c) * inverse,
                   a.training ? dscale * each * inverse : 0, a.training ? dbias * each : 0);
  }
}

}  // namespace

#define PERCALE_CHANNEL_NORM(name, T)                                                           \
  PERCALE_KERNEL(percale_channel_pieces_##name, ChannelNormArgs, 256) { channel_pieces<T>(a); } \
  PERCALE_KERNEL(percale_channel_apply_##name, ChannelNormArgs, 256) {                          \
    if (a.packed) {                                                                             \
      channel_apply<T, kPackOf<T>>(a);                                                          \
    } else {                                                                                    \
      channel_apply<T, 1>(a);                                                                   \
    }                                                                                           \
  }                                                                                             \
  PERCALE_KERNEL(percale_channel_pieces_last_##name, ChannelNormArgs, 256) {                    \
    __shared__ Wide<T> room[256 * kPackOf<T>];                                                  \
    if (a.packed) {                                                                             \
      channel_pieces_last<T, kPackOf<T>>(a, room);                                              \
    } else {                                                                                    \
      channel_pieces_last<T, 1>(a, room);                                                       \
    }                                                                                           \
  }                                                                                             \
  PERCALE_KERNEL(percale_channel_apply_last_##name, ChannelNormArgs, 256) {                     \
    if (a.packed) {                                                                             \
      channel_apply_last<T, kPackOf<T>>(a);                                                     \
    } else {                                                                                    \
      channel_apply_last<T, 1>(a);                                                              \
    }                                                                                           \
  }
PERCALE_FLOAT_TYPES(PERCALE_CHANNEL_NORM)

PERCALE_KERNEL(percale_channel_statistics_f32, ChannelNormArgs, 256) { channel_statistics<float>(a); }
PERCALE_KERNEL(percale_channel_statistics_f64, ChannelNormArgs, 256) { channel_statistics<double>(a); }
PERCALE_KERNEL(percale_channel_gradients_f32, ChannelNormArgs, 256) { channel_gradients<float>(a); }
PERCALE_KERNEL(percale_channel_gradients_f64, ChannelNormArgs, 256) { channel_gradients<double>(a); }

}  // namespace percale::cuda
