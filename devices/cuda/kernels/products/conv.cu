// Convolutions and their gradients as matrix products. One operand is gathered while it is read, so
// nothing is unfolded in memory. Each group is a product of `rows` x `columns` results, each a sum
// over `depth`. Sums run in the order of the depth, on tensor cores by steps of 16.
#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/kernels/common/tensor.cuh"
#include "devices/cuda/kernels/common/window.cuh"

namespace percale::cuda {
namespace {

__device__ int64_t index_in(const int64_t (&dims)[3], const int64_t (&p)[3]) {
  return (p[0] * dims[1] + p[1]) * dims[2] + p[2];
}

// Returns the offset of an element in images with `size` pixels and `channels` channels.
__device__ int64_t place_of(const ConvArgs& a, int64_t n, int64_t channels, int64_t channel, int64_t size,
                            int64_t place) {
  return a.channels_last ? (n * size + place) * channels + channel : (n * channels + channel) * size + place;
}
// Returns the offset of a weight: for an output channel (counted over all groups), an input channel
// of its group, and a tap.
__device__ int64_t weight_of(const ConvArgs& a, int64_t out, int64_t in, int64_t tap) {
  const int64_t taps = size_of(a.window.kernel);
  return a.channels_last ? (out * taps + tap) * a.in_channels + in : (out * a.in_channels + in) * taps + tap;
}

// Returns the element of X that output point `o` reads at tap `k` (channel and tap), or 0 in the
// padding.
template <class T>
__device__ T x_at(const ConvArgs& a, int64_t group, const Point& k, const Point& o) {
  const WindowArgs& w = a.window;
  int64_t i[3];
  for (int d = 0; d < 3; ++d) {
    i[d] = o.p[d] * w.stride[d] + k.p[d] * w.dilation[d] - w.pad[d];
    if (i[d] < 0 || i[d] >= w.in[d]) return T{};
  }
  const int64_t channels = a.groups * a.in_channels, channel = group * a.in_channels + k.outer;
  return at<const T>(a.x)[place_of(a, o.outer, channels, channel, size_of(w.in), index_in(w.in, i))];
}
// Returns the element of dY whose window reads input point `i` at tap `k`, or 0 if there is none.
template <class T>
__device__ T dy_at(const ConvArgs& a, int64_t group, const Point& k, const Point& i) {
  const WindowArgs& w = a.window;
  int64_t o[3];
  for (int d = 0; d < 3; ++d) {
    const int64_t start = i.p[d] + w.pad[d] - k.p[d] * w.dilation[d];
    if (start < 0) return T{};
    o[d] = quotient(start, w.stride[d]);
    if (o[d] >= w.out[d] || o[d] * w.stride[d] != start) return T{};
  }
  const int64_t channels = a.groups * a.out_channels, channel = group * a.out_channels + k.outer;
  return at<const T>(a.y)[place_of(a, i.outer, channels, channel, size_of(w.out), index_in(w.out, o))];
}

// The three products. right(depth, column) is gathered. Depths and columns are points.

// Rows: channels of the result. Columns: its points. Depth: channels of the other images with their
// taps. The result is Y or the gradient of X; the latter is also the result of ConvTranspose.
template <class Type, bool kForward>
struct Images {
  using T = Type;
  static constexpr bool kDepthInside = false;  // Neighbouring columns are neighbours in memory.
  __device__ static auto dims(const ConvArgs& a) -> const int64_t (&)[3] {
    return kForward ? a.window.out : a.window.in;
  }
  __device__ static int64_t rows(const ConvArgs& a) { return kForward ? a.out_channels : a.in_channels; }
  __device__ static int64_t columns(const ConvArgs& a) { return a.batch * size_of(dims(a)); }
  __device__ static int64_t depth(const ConvArgs& a) {
    return (kForward ? a.in_channels : a.out_channels) * size_of(a.window.kernel);
  }
  __device__ static Point column_point(const ConvArgs& a, int64_t c) { return point_in(dims(a), c); }
  __device__ static Point depth_point(const ConvArgs& a, int64_t d) { return point_in(a.window.kernel, d); }
  __device__ static T left(const ConvArgs& a, int64_t group, int64_t row, int64_t d) {
    const int64_t taps = size_of(a.window.kernel), channel = quotient(d, taps), tap = d - channel * taps;
    const int64_t out = group * a.out_channels + (kForward ? row : channel), in = kForward ? channel : row;
    return at<const T>(a.w)[weight_of(a, out, in, tap)];
  }
  __device__ static T right(const ConvArgs& a, int64_t group, const Point& d, const Point& c) {
    if constexpr (kForward) {
      return x_at<T>(a, group, d, c);
    } else {
      return dy_at<T>(a, group, d, c);
    }
  }
  __device__ static void store(const ConvArgs& a, int64_t, int64_t group, int64_t row, int64_t column, Wide<T> sum) {
    const int64_t size = size_of(dims(a)), n = quotient(column, size), channel = group * rows(a) + row;
    if (a.bias.address != 0) sum += widen(at<const T>(a.bias)[channel]);
    at<T>(a.result)[place_of(a, n, a.groups * rows(a), channel, size, column - n * size)] = narrow<T>(sum);
  }
};
template <class T>
using Forward = Images<T, true>;
template <class T>
using GradInput = Images<T, false>;

// Rows: output channels. Columns: input channels with their taps. Depth: output points, cut into
// pieces.
template <class Type>
struct GradWeight {
  using T = Type;
  static constexpr bool kDepthInside = true;
  __device__ static int64_t rows(const ConvArgs& a) { return a.out_channels; }
  __device__ static int64_t columns(const ConvArgs& a) { return a.in_channels * size_of(a.window.kernel); }
  __device__ static int64_t depth(const ConvArgs& a) { return a.batch * size_of(a.window.out); }
  __device__ static Point column_point(const ConvArgs& a, int64_t c) { return point_in(a.window.kernel, c); }
  __device__ static Point depth_point(const ConvArgs& a, int64_t d) { return point_in(a.window.out, d); }
  __device__ static T left(const ConvArgs& a, int64_t group, int64_t row, int64_t d) {
    const int64_t size = size_of(a.window.out), n = quotient(d, size);
    const int64_t channels = a.groups * a.out_channels, channel = group * a.out_channels + row;
    return at<const T>(a.y)[place_of(a, n, channels, channel, size, d - n * size)];
  }
  __device__ static T right(const ConvArgs& a, int64_t group, const Point& d, const Point& c) {
    return x_at<T>(a, group, c, d);
  }
  __device__ static void store(const ConvArgs& a, int64_t piece, int64_t group, int64_t row, int64_t column,
                               Wide<T> sum) {
    const int64_t taps = size_of(a.window.kernel), in = quotient(column, taps);
    const int64_t i = weight_of(a, group * rows(a) + row, in, column - in * taps);
    if (a.pieces == 1) {
      at<T>(a.result)[i] = narrow<T>(sum);
    } else {
      at<Wide<T>>(a.partial)[piece * a.groups * rows(a) * columns(a) + i] = sum;
    }
  }
};

// A block of kSide x kSide threads computes kTile x kTile results, kStep of the depth at a time. It
// holds a part of each matrix in shared memory. A part has kTile lines, which are rows of the left
// matrix or columns of the right one, with kStep elements each.
constexpr int kTile = 64, kStep = 16, kSide = 16, kEach = kTile / kSide;

// The sums of a tile, of which each thread has 4 x 4. Thread t has rows t / 16 + 16 i and columns
// t % 16 + 16 j.
template <class T>
class ThreadSums {
 public:
  struct Part {
    __device__ void set(int line, int k, T value) { items[k][line] = widen(value); }
    Wide<T> items[kStep][kTile + 1];
  };

  __device__ void add(const Part& left, const Part& right) {
    for (int k = 0; k < kStep; ++k) {
      Wide<T> mine[kEach];
      for (int i = 0; i < kEach; ++i) mine[i] = left.items[k][row(i)];
      for (int j = 0; j < kEach; ++j) {
        const Wide<T> other = right.items[k][column(j)];
        for (int i = 0; i < kEach; ++i) sums_[i][j] = fma(mine[i], other, sums_[i][j]);
      }
    }
  }
  // Calls f(row, column, sum) for each sum of this thread.
  template <class F>
  __device__ void for_each(F&& f) const {
    for (int i = 0; i < kEach; ++i) {
      for (int j = 0; j < kEach; ++j) f(row(i), column(j), sums_[i][j]);
    }
  }

 private:
  __device__ static int row(int i) { return static_cast<int>(threadIdx.x) / kSide + kSide * i; }
  __device__ static int column(int j) { return static_cast<int>(threadIdx.x) % kSide + kSide * j; }

  Wide<T> sums_[kEach][kEach] = {};
};

// The sums of a tile on tensor cores. Each of eight warps has 16 rows and 32 columns; tensor.cuh
// says which of these sums a lane has.
template <class T>
class TensorSums {
 public:
  struct Part {
    // An odd number of words, so that neighbouring lines begin in different banks.
    static constexpr int kPitch = kStep + 2;
    __device__ void set(int line, int k, T value) { items[line][k] = value; }
    alignas(4) T items[kTile][kPitch];
  };

  __device__ void add(const Part& left, const Part& right) {
    const LeftPart mine = load_left(left.items[row()], Part::kPitch);
    PERCALE_UNROLL
    for (int j = 0; j < kGroups; ++j) {
      multiply_add<T>(sums_[j], mine, load_right(right.items[column(j)], Part::kPitch));
    }
  }
  // Calls f(row, column, sum) for each sum of this thread.
  template <class F>
  __device__ void for_each(F&& f) const {
    PERCALE_UNROLL
    for (int j = 0; j < kGroups; ++j) {
      PERCALE_UNROLL
      for (int i = 0; i < 4; ++i) {
        f(row() + row_of_sum(i), column(j) + column_of_sum(i), sums_[j][i]);
      }
    }
  }

 private:
  static constexpr int kGroups = 4;
  // The first row of the warp, and the first column of its group j.
  __device__ static int row() { return own_warp() % (kTile / kWarpRows) * kWarpRows; }
  __device__ static int column(int j) { return (own_warp() / (kTile / kWarpRows) * kGroups + j) * kWarpColumns; }

  Sums sums_[kGroups] = {};
};

template <class T>
struct SumsOf {
  using Type = ThreadSums<T>;
};
template <>
struct SumsOf<F16> {
  using Type = TensorSums<F16>;
};
template <>
struct SumsOf<BF16> {
  using Type = TensorSums<BF16>;
};

// The tile of results that a block computes, and the end of the part of the depth that it adds up.
template <class Product>
struct ConvTile {
  using T = typename Product::T;
  using TileSums = typename SumsOf<T>::Type;
  using Part = typename TileSums::Part;

  const ConvArgs& a;
  int64_t rows, columns, group, row0, column0, end;
  int ty, tx;

  // The columns that this thread gathers: one, or four that are 16 apart.
  __device__ void find_points(Point (&points)[kEach]) const {
    for (int i = 0; i < kEach; ++i) {
      const int64_t column = column0 + (Product::kDepthInside ? ty + kSide * i : own_column());
      points[i] = Product::column_point(a, column < columns ? column : 0);
      if (!Product::kDepthInside) break;
    }
  }

  __device__ void gather_left(Part& left, int64_t begin) const {
    for (int i = 0; i < kEach; ++i) {
      const int line = ty + kSide * i;
      const int64_t row = row0 + line, d = begin + tx;
      left.set(line, tx, row < rows && d < end ? Product::left(a, group, row, d) : T{});
    }
  }

  __device__ void gather_right(Part& right, const Point (&points)[kEach], int64_t begin) const {
    if (Product::kDepthInside) {
      const int64_t d = begin + tx;
      const bool inside = d < end;
      const Point depth = Product::depth_point(a, inside ? d : 0);
      for (int i = 0; i < kEach; ++i) {
        const int column = ty + kSide * i;
        const bool works = inside && column0 + column < columns;
        right.set(column, tx, works ? Product::right(a, group, depth, points[i]) : T{});
      }
      return;
    }
    const int column = own_column();
    for (int i = 0; i < kEach; ++i) {
      const int k = (ty * kSide + tx) / kTile + kStep / kEach * i;
      const bool works = begin + k < end && column0 + column < columns;
      right.set(column, k,
                works ? Product::right(a, group, Product::depth_point(a, begin + k), points[0]) : T{});
    }
  }

  __device__ void store(const TileSums& sums) const {
    sums.for_each([this](int row, int column, Wide<T> sum) {
      if (row0 + row < rows && column0 + column < columns) {
        Product::store(a, blockIdx.y, group, row0 + row, column0 + column, sum);
      }
    });
  }

  __device__ int own_column() const { return (ty * kSide + tx) % kTile; }
};

// Multiplies with tiles in shared memory. Blocks: x over tiles, y over pieces of the depth. Loop
// bounds are the same for all threads of a block, because they share barriers.
template <class Product>
__device__ void multiply_tiles(const ConvArgs& a) {
  using Tile = ConvTile<Product>;
  __shared__ typename Tile::Part left;
  __shared__ typename Tile::Part right;
  const int64_t rows = Product::rows(a), columns = Product::columns(a);
  const int64_t row_tiles = (rows + kTile - 1) / kTile, column_tiles = (columns + kTile - 1) / kTile;
  const Range range = piece_of(Product::depth(a), a.pieces, blockIdx.y);
  const int t = static_cast<int>(threadIdx.x);
  for (int64_t number = blockIdx.x; number < a.groups * row_tiles * column_tiles; number += gridDim.x) {
    const int64_t rest = number / row_tiles, group = rest / column_tiles;
    const int64_t row0 = (number - rest * row_tiles) * kTile, column0 = (rest - group * column_tiles) * kTile;
    const Tile tile{a, rows, columns, group, row0, column0, range.end, t / kSide, t % kSide};
    typename Tile::TileSums sums;
    Point points[kEach];
    tile.find_points(points);
    for (int64_t begin = range.begin; begin < range.end; begin += kStep) {
      __syncthreads();  // Other threads may still read the previous step.
      tile.gather_left(left, begin);
      tile.gather_right(right, points, begin);
      __syncthreads();
      sums.add(left, right);
    }
    tile.store(sums);
  }
}

// One thread for each result, for groups with few channels, mainly depthwise convolutions.
// Neighbouring threads compute neighbouring columns.
template <class Product>
__device__ void multiply_plain(const ConvArgs& a) {
  using W = Wide<typename Product::T>;
  const int64_t rows = Product::rows(a), columns = Product::columns(a), taps = size_of(a.window.kernel);
  const int64_t channels = quotient(Product::depth(a), taps);
  for (int64_t i = thread_number(); i < a.groups * rows * columns; i += thread_count()) {
    const int64_t line = quotient(i, columns), column = i - line * columns;
    const int64_t group = quotient(line, rows), row = line - group * rows;
    const Point point = Product::column_point(a, column);
    W sum = 0;
    int64_t d = 0;
    Point tap;
    for (tap.outer = 0; tap.outer < channels; ++tap.outer) {
      for (tap.p[0] = 0; tap.p[0] < a.window.kernel[0]; ++tap.p[0]) {
        for (tap.p[1] = 0; tap.p[1] < a.window.kernel[1]; ++tap.p[1]) {
          for (tap.p[2] = 0; tap.p[2] < a.window.kernel[2]; ++tap.p[2], ++d) {
            sum = fma(widen(Product::left(a, group, row, d)), widen(Product::right(a, group, tap, point)), sum);
          }
        }
      }
    }
    Product::store(a, 0, group, row, column, sum);
  }
}

// One block for each result, for the gradient of the weights (blocks: x over results, y over pieces
// of the depth).
template <class Product>
__device__ void multiply_block(const ConvArgs& a) {
  using W = Wide<typename Product::T>;
  __shared__ W lanes[32];
  const int64_t rows = Product::rows(a), columns = Product::columns(a);
  const Range range = piece_of(Product::depth(a), a.pieces, blockIdx.y);
  for (int64_t i = blockIdx.x; i < a.groups * rows * columns; i += gridDim.x) {
    const int64_t line = i / columns, column = i - line * columns, group = line / rows, row = line - group * rows;
    const Point point = Product::column_point(a, column);
    W sum = 0;
    for (int64_t d = range.begin + threadIdx.x; d < range.end; d += blockDim.x) {
      const Point depth = Product::depth_point(a, d);
      sum = fma(widen(Product::left(a, group, row, d)), widen(Product::right(a, group, depth, point)), sum);
    }
    sum = join_row(sum, lanes, JoinSum());
    if (threadIdx.x == 0) Product::store(a, blockIdx.y, group, row, column, sum);
  }
}

// Adds the pieces of the weight gradient in order.
template <class T>
__device__ void join_pieces(const ConvArgs& a) {
  using Product = GradWeight<T>;
  const int64_t count = a.groups * Product::rows(a) * Product::columns(a);
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    Wide<T> sum = 0;
    for (int64_t p = 0; p < a.pieces; ++p) sum += at<const Wide<T>>(a.partial)[p * count + i];
    at<T>(a.result)[i] = narrow<T>(sum);
  }
}

template <class T>
__device__ void add_bias(const ConvBiasArgs& a) {
  const T* bias = at<const T>(a.bias);
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    const int64_t channel = divide(divide(i, a.size).quotient, a.channels).rest;
    y[i] = narrow<T>(widen(y[i]) + widen(bias[channel]));
  }
}

}  // namespace

#define PERCALE_CONV(name, T)                                                                                \
  PERCALE_KERNEL(percale_conv_tiles_##name, ConvArgs, 256) { multiply_tiles<Forward<T>>(a); }                \
  PERCALE_KERNEL(percale_conv_plain_##name, ConvArgs, 256) { multiply_plain<Forward<T>>(a); }                \
  PERCALE_KERNEL(percale_conv_grad_input_tiles_##name, ConvArgs, 256) { multiply_tiles<GradInput<T>>(a); }   \
  PERCALE_KERNEL(percale_conv_grad_input_plain_##name, ConvArgs, 256) { multiply_plain<GradInput<T>>(a); }   \
  PERCALE_KERNEL(percale_conv_grad_weight_tiles_##name, ConvArgs, 256) { multiply_tiles<GradWeight<T>>(a); } \
  PERCALE_KERNEL(percale_conv_grad_weight_block_##name, ConvArgs, 256) { multiply_block<GradWeight<T>>(a); } \
  PERCALE_KERNEL(percale_conv_bias_##name, ConvBiasArgs, 256) { add_bias<T>(a); }                            \
  PERCALE_KERNEL(percale_conv_join_##name, ConvArgs, 256) { join_pieces<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_CONV)

}  // namespace percale::cuda
