// Attention and its gradients. softmax(scale Q K^T + mask) V is computed in one pass over the keys:
// the maximum and the sum of a row are updated with each tile of keys, and the previous sums are
// scaled down (Milakov and Gimelshein 2018). In f32 and f64 a block processes 32 queries of a head,
// and 32 keys at a time.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/kernels/common/tensor.cuh"

namespace percale::cuda {
namespace {

constexpr int kRows = kAttentionRows, kKeys = kAttentionRows;  // that a block holds at once
constexpr int kParts = 8;              // threads that share a query
constexpr int kOutputs = kMostHeadSize / kParts;  // most elements of an output row for each thread

// Combines values over the threads that share a query. These are neighbouring lanes of a warp, and
// all lanes must call it.
template <class W, class Join>
__device__ W join_parts(W value, Join join) {
  for (int step = kParts / 2; step > 0; step /= 2) value = join(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}

// Loads rows [begin, begin + 32) of `size` elements. Rows after the last one become zero.
template <class T>
__device__ void load_rows(Wide<T>* to, int pitch, const T* from, int64_t begin, int64_t count, int64_t step, int size) {
  for (int i = static_cast<int>(threadIdx.x); i < kRows * size; i += static_cast<int>(blockDim.x)) {
    const int row = i / size, d = i - row * size;
    to[row * pitch + d] = begin + row < count ? widen(from[(begin + row) * step + d]) : static_cast<Wide<T>>(0);
  }
}

template <class T>
__device__ void end_rows(const AttentionEndArgs& a) {
  for (int64_t i = thread_number(); i < a.batch * a.heads * a.queries; i += thread_count()) {
    if (at<const float>(a.statistics)[i] > -INFINITY) continue;
    const int64_t line = i / a.queries, b = line / a.heads;
    T* y = at<T>(a.y) + b * a.y_steps[0] + (line - b * a.heads) * a.y_steps[1] + (i - line * a.queries) * a.y_steps[2];
    const Wide<T> value = a.nan_is_zero ? static_cast<Wide<T>>(0) : static_cast<Wide<T>>(NAN);
    for (int d = 0; d < a.value_size; ++d) y[d] = narrow<T>(value);
  }
}

// Rounds to the precision of T.
template <class T>
__device__ Wide<T> rounded(Wide<T> x) {
  return widen(narrow<T>(x));
}

template <class W>
__device__ W dot(const W* x, const W* y, int size) {
  W sum = 0;
  for (int d = 0; d < size; ++d) sum = fma(x[d], y[d], sum);
  return sum;
}

// Returns the score for the product of a query and a key. It is rounded where the op's body rounds,
// which has the scale in T, too; otherwise large scores would differ by more than the weights
// tolerate.
template <class T>
__device__ Wide<T> score_of(const AttentionArgs& a, Wide<T> product, int64_t b, int64_t head, int64_t query,
                            int64_t key) {
  using W = Wide<T>;
  const W score = rounded<T>(rounded<T>(product) * rounded<T>(static_cast<W>(a.scale)));
  if (a.mask.address == 0) return score;
  const int64_t i = b * a.mask_steps[0] + head * a.mask_steps[1] + query * a.mask_steps[2] + key * a.mask_steps[3];
  return a.wide_mask ? score + static_cast<W>(at<const float>(a.mask)[i])
                     : rounded<T>(score + widen(at<const T>(a.mask)[i]));
}

// Adds the weighted values of kKeys keys to `out`. Element j of `out` stands for element kParts * j
// of the values; there are `size`. Loops over `out` have constant bounds, so that it stays in
// registers.
template <class W>
__device__ void add_values(W (&out)[kOutputs], const W* weights, const W* values, int pitch, int size) {
  for (int key = 0; key < kKeys; ++key) {
    const W weight = weights[key];
    for (int j = 0; j < kOutputs; ++j) {
      if (kParts * j < size) out[j] = fma(weight, values[key * pitch + kParts * j], out[j]);
    }
  }
}

// Stores `out` divided by the sum of the weights. The sum is NaN if a weight is NaN, and 0 if no
// key counts.
template <class T, class W>
__device__ void store_values(T* y, const W (&out)[kOutputs], W sum, int size, bool nan_is_zero) {
  const bool zero = nan_is_zero && !(sum > 0);
  for (int j = 0; j < kOutputs; ++j) {
    if (kParts * j < size) y[kParts * j] = narrow<T>(zero ? static_cast<W>(0) : out[j] / sum);
  }
}

template <class T>
__device__ void attend(const AttentionArgs& a) {
  using W = Wide<T>;
  PERCALE_DYNAMIC_SHARED(W, shared);
  // The pitch is one more than the row length, so that the threads of a warp use different banks.
  const int q_pitch = a.size + 1, pitch = (a.size > a.value_size ? a.size : a.value_size) + 1, p_pitch = kKeys + 1;
  W* q = shared;
  W* kv = q + kRows * q_pitch;  // keys, then their values
  W* p = kv + kKeys * pitch;
  const int row = static_cast<int>(threadIdx.x) / kParts, part = static_cast<int>(threadIdx.x) % kParts;
  const W nothing = static_cast<W>(-INFINITY);
  const int64_t tiles = (a.queries + kRows - 1) / kRows, sharing = a.heads / a.kv_heads;
  for (int64_t tile = blockIdx.x; tile < a.batch * a.heads * tiles; tile += gridDim.x) {
    const int64_t line = tile / tiles, first = (tile - line * tiles) * kRows;
    const int64_t b = line / a.heads, head = line - b * a.heads, kv_head = head / sharing;
    const int64_t query = first + row;
    const bool works = query < a.queries;
    __syncthreads();  // Other threads may still read the previous tile.
    load_rows(q, q_pitch, at<const T>(a.q) + b * a.q_steps[0] + head * a.q_steps[1], first, a.queries, a.q_steps[2],
              a.size);
    W most = nothing, sum = 0, out[kOutputs];
    for (int j = 0; j < kOutputs; ++j) out[j] = 0;
    for (int64_t begin = 0; begin < a.keys; begin += kKeys) {
      __syncthreads();  // Other threads may still read the previous values.
      load_rows(kv, pitch, at<const T>(a.k) + b * a.k_steps[0] + kv_head * a.k_steps[1], begin, a.keys, a.k_steps[2],
                a.size);
      __syncthreads();
      W scores[kKeys / kParts], high = nothing;
      for (int j = 0; j < kKeys / kParts; ++j) {
        const int key = part + kParts * j;
        const bool counts = works && begin + key < a.keys;
        const W product = dot(q + row * q_pitch, kv + key * pitch, a.size);
        scores[j] = counts ? score_of<T>(a, product, b, head, query, begin + key) : nothing;
        high = JoinMax()(high, scores[j]);
      }
      high = JoinMax()(most, join_parts(high, JoinMax()));
      // If no key has counted so far, every weight is 0, not exp(-inf + inf).
      const W shift = high == nothing ? static_cast<W>(0) : high, shrink = exp(most - shift);
      W added = 0;
      for (int j = 0; j < kKeys / kParts; ++j) {
        const W weight = exp(scores[j] - shift);
        p[row * p_pitch + part + kParts * j] = weight;
        added += weight;
      }
      sum = sum * shrink + join_parts(added, JoinSum());
      most = high;
      __syncthreads();  // All keys have been read and all weights are stored.
      load_rows(kv, pitch, at<const T>(a.v) + b * a.v_steps[0] + kv_head * a.v_steps[1], begin, a.keys, a.v_steps[2],
                a.value_size);
      __syncthreads();
      for (int j = 0; j < kOutputs; ++j) out[j] *= shrink;
      add_values(out, p + row * p_pitch, kv + part, pitch, a.value_size - part);
    }
    if (!works) continue;
    if (a.statistics.address != 0 && part == 0) at<W>(a.statistics)[line * a.queries + query] = most + log(sum);
    T* y = at<T>(a.y) + b * a.y_steps[0] + head * a.y_steps[1] + query * a.y_steps[2];
    store_values(y + part, out, sum, a.value_size - part, a.nan_is_zero != 0);
  }
}

template <class T>
__device__ void sum_rows(const AttentionGradArgs& g) {
  using W = Wide<T>;
  const AttentionArgs& a = g.of;
  for (int64_t i = thread_number(); i < a.batch * a.heads * a.queries; i += thread_count()) {
    const int64_t line = i / a.queries, b = line / a.heads, head = line - b * a.heads, query = i - line * a.queries;
    const T* y = at<const T>(a.y) + b * a.y_steps[0] + head * a.y_steps[1] + query * a.y_steps[2];
    const T* dy = at<const T>(g.dy) + b * g.dy_steps[0] + head * g.dy_steps[1] + query * g.dy_steps[2];
    W sum = 0;
    for (int d = 0; d < a.value_size; ++d) sum = fma(widen(dy[d]), widen(y[d]), sum);
    at<W>(g.delta)[i] = sum;
  }
}

// One side of the scores: the rows whose gradients a block computes, or the rows of the other side.
// Each has two operands.
template <class T>
struct AttentionSide {
  const T *first, *second;  // q and dy, or k and v, of a head
  int64_t first_step, second_step, count;
};
template <class T>
__device__ AttentionSide<T> side_of(const AttentionGradArgs& g, bool keys, int64_t b, int64_t head) {
  const AttentionArgs& a = g.of;
  if (keys) {
    return {at<const T>(a.k) + b * a.k_steps[0] + head * a.k_steps[1],
            at<const T>(a.v) + b * a.v_steps[0] + head * a.v_steps[1], a.k_steps[2], a.v_steps[2], a.keys};
  }
  return {at<const T>(a.q) + b * a.q_steps[0] + head * a.q_steps[1],
          at<const T>(g.dy) + b * g.dy_steps[0] + head * g.dy_steps[1], a.q_steps[2], g.dy_steps[2], a.queries};
}

// Computes dQ, or dK and dV. A block processes 32 rows of its side and loops over 32 rows of the
// other side at a time. The weights are recomputed from the scores and the statistics. No block
// adds to the results of another one.
template <class T, bool kOfKeys>
__device__ void attend_back(const AttentionGradArgs& g) {
  using W = Wide<T>;
  const AttentionArgs& a = g.of;
  PERCALE_DYNAMIC_SHARED(W, shared);
  const int pitch = a.size + 1, value_pitch = a.value_size + 1, p_pitch = kRows + 1;
  W *own = shared, *own_second = own + kRows * pitch, *other = own_second + kRows * value_pitch;
  W *other_second = other + kRows * pitch, *ds = other_second + kRows * value_pitch, *p = ds + kRows * p_pitch;
  const int row = static_cast<int>(threadIdx.x) / kParts, part = static_cast<int>(threadIdx.x) % kParts;
  const int64_t count = kOfKeys ? a.keys : a.queries, tiles = (count + kRows - 1) / kRows;
  for (int64_t tile = blockIdx.x; tile < a.batch * a.heads * tiles; tile += gridDim.x) {
    const int64_t line = tile / tiles, first = (tile - line * tiles) * kRows;
    const int64_t b = line / a.heads, head = line - b * a.heads;
    const AttentionSide<T> mine = side_of<T>(g, kOfKeys, b, head), theirs = side_of<T>(g, !kOfKeys, b, head);
    const W *statistics = at<const W>(a.statistics) + line * a.queries,
            *delta = at<const W>(g.delta) + line * a.queries;
    __syncthreads();  // Other threads may still read the previous tile.
    load_rows(own, pitch, mine.first, first, count, mine.first_step, a.size);
    load_rows(own_second, value_pitch, mine.second, first, count, mine.second_step, a.value_size);
    W out[kOutputs], out_second[kOutputs];
    for (int j = 0; j < kOutputs; ++j) out[j] = out_second[j] = 0;
    for (int64_t begin = 0; begin < theirs.count; begin += kRows) {
      __syncthreads();  // Other threads may still read the previous rows.
      load_rows(other, pitch, theirs.first, begin, theirs.count, theirs.first_step, a.size);
      load_rows(other_second, value_pitch, theirs.second, begin, theirs.count, theirs.second_step, a.value_size);
      __syncthreads();
      for (int j = 0; j < kRows / kParts; ++j) {
        const int column = part + kParts * j;
        const int64_t query = kOfKeys ? begin + column : first + row, key = kOfKeys ? first + row : begin + column;
        const bool counts = query < a.queries && key < a.keys;
        const W product = dot(own + row * pitch, other + column * pitch, a.size);
        const W along = dot(own_second + row * value_pitch, other_second + column * value_pitch, a.value_size);
        const W weight =
            counts ? exp(score_of<T>(a, product, b, head, query, key) - statistics[query]) : static_cast<W>(0);
        p[row * p_pitch + column] = weight;
        ds[row * p_pitch + column] =
            counts ? weight * (along - delta[query]) * static_cast<W>(a.scale) : static_cast<W>(0);
      }
      __syncthreads();
      for (int column = 0; column < kRows; ++column) {
        const W slope = ds[row * p_pitch + column], weight = p[row * p_pitch + column];
        for (int j = 0; j < kOutputs; ++j) {
          const int d = part + kParts * j;
          if (d < a.size) out[j] = fma(slope, other[column * pitch + d], out[j]);
          if (kOfKeys && d < a.value_size)
            out_second[j] = fma(weight, other_second[column * value_pitch + d], out_second[j]);
        }
      }
    }
    if (first + row >= count) continue;
    const int64_t(&steps)[3] = kOfKeys ? a.k_steps : a.q_steps;
    T* to = at<T>(kOfKeys ? g.dk : g.dq) + b * steps[0] + head * steps[1] + (first + row) * steps[2];
    T* to_second = kOfKeys ? at<T>(g.dv) + b * a.v_steps[0] + head * a.v_steps[1] + (first + row) * a.v_steps[2] : to;
    for (int j = 0; j < kOutputs; ++j) {
      const int d = part + kParts * j;
      if (d < a.size) to[d] = narrow<T>(out[j]);
      if (kOfKeys && d < a.value_size) to_second[d] = narrow<T>(out_second[j]);
    }
  }
}

// ---- Types of 16 bits, on tensor cores

// A block of four warps processes 64 rows, and 32 rows of the other side at a time. A lane holds
// the scores of two rows, in the places of the sums of a product (common/tensor.cuh). Rounded to 16
// bits they are the left matrix of the next product.
constexpr int kColumns = 8;                        // of a right matrix
constexpr int kGroups = kMostHeadSize / kColumns;  // groups of columns of an output row
// The gap after a row lets the lanes of a warp use different banks.
constexpr int kOthersPitch = kTensorOthers + kTensorGap;

// The elements of a row that a product needs: the next multiple of 16.
__device__ inline int padded(int size) { return (size + 15) / 16 * 16; }

// Reads eight elements from d on, with zeros behind the last one.
template <class T>
__device__ Pack<T, 8> eight_at(const T* row, int d, int size, bool aligned) {
  Pack<T, 8> out;
  if (aligned && d < size) return *reinterpret_cast<const Pack<T, 8>*>(row + d);
  PERCALE_UNROLL
  for (int i = 0; i < 8; ++i) out.items[i] = d + i < size ? row[d + i] : T{0};
  return out;
}

// Loads rows [begin, begin + rows) of `size` elements, and zeros after the last row and element:
// element d of row r to[r * pitch + d], or turned[d * kOthersPitch + r]. Null: not wanted.
template <class T>
__device__ void load_tile(T* to, T* turned, int pitch, int rows, const T* from, int64_t begin, int64_t count,
                          int64_t step, int size) {
  const int packs = padded(size) / 8;
  const bool aligned = size % 8 == 0 && step % 8 == 0 && reinterpret_cast<size_t>(from) % sizeof(Pack<T, 8>) == 0;
  for (int i = static_cast<int>(threadIdx.x); i < rows * packs; i += static_cast<int>(blockDim.x)) {
    const int row = i / packs, d = (i - row * packs) * 8;
    const Pack<T, 8> pack = eight_at(from + (begin + row) * step, d, begin + row < count ? size : 0, aligned);
    if (to != nullptr) *reinterpret_cast<Pack<T, 8>*>(to + row * pitch + d) = pack;
    if (turned == nullptr) continue;
    PERCALE_UNROLL
    for (int e = 0; e < 8; ++e) turned[(d + e) * kOthersPitch + row] = pack.items[e];
  }
}

// The products of the 16 rows of a warp and the other rows: element 2 h + e of group j belongs to
// row g + 8 h and other row 8 j + 2 t + e.
using Scores = float[kTensorOthers / kColumns][4];
template <class T>
__device__ void multiply_rows(Scores& scores, const T* own, const T* other, int pitch, int size, int lane) {
  PERCALE_UNROLL
  for (auto& group : scores) {
    PERCALE_UNROLL
    for (float& score : group) score = 0;
  }
  for (int d = 0; d < padded(size); d += 16) {
    const LeftPart left = load_left(own + d, pitch, lane);
    PERCALE_UNROLL
    for (int j = 0; j < kTensorOthers / kColumns; ++j) {
      multiply_add<T>(scores[j], left, load_right(other + kColumns * j * pitch + d, pitch, lane));
    }
  }
}

// Adds the product of weights, which take the places of scores, and the turned rows to `out`.
template <class T>
__device__ void add_rows(float (&out)[kGroups][4], const Scores& weights, const T* turned, int size, int lane) {
  PERCALE_UNROLL
  for (int k = 0; k < kTensorOthers / 16; ++k) {
    const auto &near = weights[2 * k], &far = weights[2 * k + 1];
    const auto pair = [](float first, float second) { return word_of(narrow<T>(first), narrow<T>(second)); };
    const LeftPart left{{pair(near[0], near[1]), pair(near[2], near[3]), pair(far[0], far[1]), pair(far[2], far[3])}};
    PERCALE_UNROLL
    for (int n = 0; n < kGroups; ++n) {
      if (kColumns * n >= size) continue;
      multiply_add<T>(out[n], left, load_right(turned + kColumns * n * kOthersPitch + 16 * k, kOthersPitch, lane));
    }
  }
}

__device__ inline void clear(float (&out)[kGroups][4]) {
  PERCALE_UNROLL
  for (auto& group : out) {
    PERCALE_UNROLL
    for (float& value : group) value = 0;
  }
}

// Combines a value over the four lanes that share a row. All lanes of the warp must call it.
template <class Join>
__device__ float join_row_lanes(float value, Join join) {
  for (int step = 2; step > 0; step /= 2) value = join(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}

// The tile of a block, and the part of it that a lane holds.
struct TensorPlace {
  __device__ TensorPlace(int64_t tile, int64_t tiles, int64_t heads)
      : line(tile / tiles), first((tile - line * tiles) * kTensorRows), b(line / heads), head(line - b * heads) {}
  // The first of the rows of this lane. The other one is 8 rows later.
  __device__ int64_t row() const { return first + warp() * 16 + lane() / 4; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ static int warp() { return static_cast<int>(threadIdx.x) / 32; }
  // The first element of group j of this lane.
  __device__ static int column(int j) { return kColumns * j + 2 * (lane() % 4); }
  int64_t line, first, b, head;
};

template <class T>
__device__ void attend_tensor(const AttentionArgs& a) {
  PERCALE_DYNAMIC_SHARED(T, shared);
  const int pitch = padded(a.size) + kTensorGap, lane = TensorPlace::lane();
  T *const q = shared, *const k = q + kTensorRows * pitch, *const v = k + kTensorOthers * pitch;
  const int64_t tiles = (a.queries + kTensorRows - 1) / kTensorRows, sharing = a.heads / a.kv_heads;
  for (int64_t tile = blockIdx.x; tile < a.batch * a.heads * tiles; tile += gridDim.x) {
    const TensorPlace at_tile(tile, tiles, a.heads);
    const int64_t b = at_tile.b, head = at_tile.head, kv_head = head / sharing;
    __syncthreads();  // Other threads may still read the previous tile.
    load_tile<T>(q, nullptr, pitch, kTensorRows, at<const T>(a.q) + b * a.q_steps[0] + head * a.q_steps[1],
                 at_tile.first, a.queries, a.q_steps[2], a.size);
    float most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0}, out[kGroups][4];
    clear(out);
    for (int64_t begin = 0; begin < a.keys; begin += kTensorOthers) {
      __syncthreads();  // Other threads may still read the previous keys.
      load_tile<T>(k, nullptr, pitch, kTensorOthers, at<const T>(a.k) + b * a.k_steps[0] + kv_head * a.k_steps[1],
                   begin, a.keys, a.k_steps[2], a.size);
      load_tile<T>(nullptr, v, 0, kTensorOthers, at<const T>(a.v) + b * a.v_steps[0] + kv_head * a.v_steps[1], begin,
                   a.keys, a.v_steps[2], a.value_size);
      __syncthreads();
      Scores scores;
      multiply_rows(scores, q + at_tile.warp() * 16 * pitch, k, pitch, a.size, lane);
      PERCALE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const int64_t query = at_tile.row() + 8 * h;
        float high = -INFINITY, added = 0;
        PERCALE_UNROLL
        for (int j = 0; j < kTensorOthers / kColumns; ++j) {
          PERCALE_UNROLL
          for (int e = 0; e < 2; ++e) {
            const int64_t key = begin + at_tile.column(j) + e;
            float& score = scores[j][2 * h + e];
            const bool counts = query < a.queries && key < a.keys;
            score = counts ? score_of<T>(a, score, b, head, query, key) : -INFINITY;
            high = JoinMax()(high, score);
          }
        }
        high = JoinMax()(most[h], join_row_lanes(high, JoinMax()));
        // If no key has counted so far, every weight is 0, not exp(-inf + inf).
        const float shift = high == -INFINITY ? 0.0f : high, shrink = exp(most[h] - shift);
        PERCALE_UNROLL
        for (auto& group : scores) {
          PERCALE_UNROLL
          for (int e = 0; e < 2; ++e) added += group[2 * h + e] = exp(group[2 * h + e] - shift);
        }
        sum[h] = sum[h] * shrink + join_row_lanes(added, JoinSum());
        most[h] = high;
        PERCALE_UNROLL
        for (auto& group : out) {
          PERCALE_UNROLL
          for (int e = 0; e < 2; ++e) group[2 * h + e] *= shrink;
        }
      }
      add_rows(out, scores, v, a.value_size, lane);
    }
    PERCALE_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int64_t query = at_tile.row() + 8 * h;
      if (query >= a.queries) continue;
      if (a.statistics.address != 0 && lane % 4 == 0) {
        at<float>(a.statistics)[at_tile.line * a.queries + query] = most[h] + log(sum[h]);
      }
      T* y = at<T>(a.y) + b * a.y_steps[0] + head * a.y_steps[1] + query * a.y_steps[2];
      const bool zero = a.nan_is_zero != 0 && !(sum[h] > 0);
      PERCALE_UNROLL
      for (int n = 0; n < kGroups; ++n) {
        PERCALE_UNROLL
        for (int e = 0; e < 2; ++e) {
          const int d = at_tile.column(n) + e;
          if (d < a.value_size) y[d] = narrow<T>(zero ? 0.0f : out[n][2 * h + e] / sum[h]);
        }
      }
    }
  }
}

// The gradients, as attend_back() computes them.
template <class T, bool kOfKeys>
__device__ void attend_back_tensor(const AttentionGradArgs& g) {
  const AttentionArgs& a = g.of;
  PERCALE_DYNAMIC_SHARED(T, shared);
  const int pitch = padded(a.size) + kTensorGap, value_pitch = padded(a.value_size) + kTensorGap, lane = TensorPlace::lane();
  T *const own = shared, *const own_second = own + kTensorRows * pitch;
  T *const other = own_second + kTensorRows * value_pitch, *const other_second = other + kTensorOthers * pitch;
  T *const turned = other_second + kTensorOthers * value_pitch;
  T *const turned_second = kOfKeys ? turned + padded(a.size) * kOthersPitch : nullptr;
  const int64_t count = kOfKeys ? a.keys : a.queries, tiles = (count + kTensorRows - 1) / kTensorRows;
  for (int64_t tile = blockIdx.x; tile < a.batch * a.heads * tiles; tile += gridDim.x) {
    const TensorPlace at_tile(tile, tiles, a.heads);
    const int64_t b = at_tile.b, head = at_tile.head;
    const AttentionSide<T> mine = side_of<T>(g, kOfKeys, b, head), theirs = side_of<T>(g, !kOfKeys, b, head);
    const float *statistics = at<const float>(a.statistics) + at_tile.line * a.queries,
                *delta = at<const float>(g.delta) + at_tile.line * a.queries;
    __syncthreads();  // Other threads may still read the previous tile.
    load_tile<T>(own, nullptr, pitch, kTensorRows, mine.first, at_tile.first, count, mine.first_step, a.size);
    load_tile<T>(own_second, nullptr, value_pitch, kTensorRows, mine.second, at_tile.first, count, mine.second_step,
                 a.value_size);
    float out[kGroups][4], out_second[kGroups][4];
    clear(out);
    clear(out_second);
    for (int64_t begin = 0; begin < theirs.count; begin += kTensorOthers) {
      __syncthreads();  // Other threads may still read the previous rows.
      load_tile(other, turned, pitch, kTensorOthers, theirs.first, begin, theirs.count, theirs.first_step, a.size);
      load_tile(other_second, turned_second, value_pitch, kTensorOthers, theirs.second, begin, theirs.count,
                theirs.second_step, a.value_size);
      __syncthreads();
      Scores weights, slopes;
      multiply_rows(weights, own + at_tile.warp() * 16 * pitch, other, pitch, a.size, lane);
      multiply_rows(slopes, own_second + at_tile.warp() * 16 * value_pitch, other_second, value_pitch, a.value_size,
                    lane);
      PERCALE_UNROLL
      for (int j = 0; j < kTensorOthers / kColumns; ++j) {
        PERCALE_UNROLL
        for (int i = 0; i < 4; ++i) {
          const int64_t row = at_tile.row() + i / 2 * 8, column = begin + at_tile.column(j) + i % 2;
          const int64_t query = kOfKeys ? column : row, key = kOfKeys ? row : column;
          const bool counts = query < a.queries && key < a.keys;
          float &weight = weights[j][i], &slope = slopes[j][i];
          weight = counts ? exp(score_of<T>(a, weight, b, head, query, key) - statistics[query]) : 0.0f;
          slope = counts ? weight * (slope - delta[query]) * static_cast<float>(a.scale) : 0.0f;
        }
      }
      add_rows(out, slopes, turned, a.size, lane);
      if constexpr (kOfKeys) add_rows(out_second, weights, turned_second, a.value_size, lane);
    }
    PERCALE_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int64_t row = at_tile.row() + 8 * h;
      if (row >= count) continue;
      const int64_t(&steps)[3] = kOfKeys ? a.k_steps : a.q_steps;
      T* to = at<T>(kOfKeys ? g.dk : g.dq) + b * steps[0] + head * steps[1] + row * steps[2];
      T* to_second = kOfKeys ? at<T>(g.dv) + b * a.v_steps[0] + head * a.v_steps[1] + row * a.v_steps[2] : to;
      PERCALE_UNROLL
      for (int n = 0; n < kGroups; ++n) {
        PERCALE_UNROLL
        for (int e = 0; e < 2; ++e) {
          const int d = at_tile.column(n) + e;
          if (d < a.size) to[d] = narrow<T>(out[n][2 * h + e]);
          if (kOfKeys && d < a.value_size) to_second[d] = narrow<T>(out_second[n][2 * h + e]);
        }
      }
    }
  }
}

// Rounds after each product and after the sum, like the ops that it replaces.
template <class T>
__device__ void rotate(const RotaryArgs& a) {
  const T *x = at<const T>(a.x), *cosine = at<const T>(a.cosine), *sine = at<const T>(a.sine);
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    int64_t offsets[2];
    locate(a.walk, i, offsets);
    const bool first = divide(i, 2 * a.half).rest < a.half;
    const Wide<T> turned = first ? -widen(x[i + a.half]) : widen(x[i - a.half]);
    const T along = narrow<T>(widen(x[i]) * widen(cosine[offsets[0]])),
            across = narrow<T>(turned * widen(sine[offsets[1]]));
    y[i] = narrow<T>(widen(along) + widen(across));
  }
}

}  // namespace

#define PERCALE_ROTARY(name, T) \
  PERCALE_KERNEL(percale_rotary_##name, RotaryArgs, 256) { rotate<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_ROTARY)
PERCALE_KERNEL(percale_attention_end_f16, AttentionEndArgs, 256) { end_rows<F16>(a); }
PERCALE_KERNEL(percale_attention_end_bf16, AttentionEndArgs, 256) { end_rows<BF16>(a); }
PERCALE_KERNEL(percale_attention_f32, AttentionArgs, 256) { attend<float>(a); }
PERCALE_KERNEL(percale_attention_f64, AttentionArgs, 256) { attend<double>(a); }
PERCALE_KERNEL(percale_attention_f16, AttentionArgs, kTensorThreads) { attend_tensor<F16>(a); }
PERCALE_KERNEL(percale_attention_bf16, AttentionArgs, kTensorThreads) { attend_tensor<BF16>(a); }
#define PERCALE_ATTENTION_GRAD(name, T, threads, back)                                \
  PERCALE_KERNEL(percale_attention_delta_##name, AttentionGradArgs, 256) {            \
    sum_rows<T>(a);                                                                   \
  }                                                                                   \
  PERCALE_KERNEL(percale_attention_grad_q_##name, AttentionGradArgs, threads) {       \
    back<T, false>(a);                                                                \
  }                                                                                   \
  PERCALE_KERNEL(percale_attention_grad_kv_##name, AttentionGradArgs, threads) {      \
    back<T, true>(a);                                                                 \
  }
PERCALE_ATTENTION_GRAD(f32, float, 256, attend_back)
PERCALE_ATTENTION_GRAD(f64, double, 256, attend_back)
PERCALE_ATTENTION_GRAD(f16, F16, kTensorThreads, attend_back_tensor)
PERCALE_ATTENTION_GRAD(bf16, BF16, kTensorThreads, attend_back_tensor)

}  // namespace percale::cuda
