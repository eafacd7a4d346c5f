// Attention and its gradients in types of 16 bits, on tensor cores. The steps are those of
// attention.cu.
#include "devices/cuda/kernels/common/tensor.cuh"
#include "devices/cuda/kernels/products/attention.cuh"

namespace percale::cuda {
namespace {

// A block of four warps processes 64 rows, and 32 rows of the other side at a time. A lane holds
// the scores of two rows, in the places of the sums of a product (common/tensor.cuh). Rounded to 16
// bits they are the left matrix of the next product.
constexpr int kGroups = kMostHeadSize / kWarpColumns;  // groups of columns of an output row
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
using Scores = float[kTensorOthers / kWarpColumns][4];
template <class T>
__device__ void multiply_rows(Scores& scores, const T* own, const T* other, int pitch, int size) {
  PERCALE_UNROLL
  for (auto& group : scores) {
    PERCALE_UNROLL
    for (float& score : group) score = 0;
  }
  for (int d = 0; d < padded(size); d += 16) {
    const LeftPart left = load_left(own + d, pitch);
    PERCALE_UNROLL
    for (int j = 0; j < kTensorOthers / kWarpColumns; ++j) {
      multiply_add<T>(scores[j], left, load_right(other + kWarpColumns * j * pitch + d, pitch));
    }
  }
}

// Adds the product of weights, which take the places of scores, and the turned rows to `out`.
template <class T>
__device__ void add_rows(float (&out)[kGroups][4], const Scores& weights, const T* turned, int size) {
  PERCALE_UNROLL
  for (int k = 0; k < kTensorOthers / 16; ++k) {
    const auto &near = weights[2 * k], &far = weights[2 * k + 1];
    const auto pair = [](float first, float second) { return word_of(narrow<T>(first), narrow<T>(second)); };
    const LeftPart left{{pair(near[0], near[1]), pair(near[2], near[3]), pair(far[0], far[1]), pair(far[2], far[3])}};
    PERCALE_UNROLL
    for (int n = 0; n < kGroups; ++n) {
      if (kWarpColumns * n >= size) continue;
      multiply_add<T>(out[n], left, load_right(turned + kWarpColumns * n * kOthersPitch + 16 * k, kOthersPitch));
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
  __device__ int64_t row() const { return first + own_warp() * kWarpRows + row_of_sum(0); }
  // The first element of group j of this lane.
  __device__ static int column(int j) { return kWarpColumns * j + column_of_sum(0); }
  int64_t line, first, b, head;
};

template <class T>
__device__ void attend_tensor(const AttentionArgs& a) {
  PERCALE_DYNAMIC_SHARED(T, shared);
  const int pitch = padded(a.size) + kTensorGap;
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
      multiply_rows(scores, q + own_warp() * kWarpRows * pitch, k, pitch, a.size);
      PERCALE_UNROLL
      for (int h = 0; h < 2; ++h) {
        const int64_t query = at_tile.row() + 8 * h;
        float high = -INFINITY, added = 0;
        PERCALE_UNROLL
        for (int j = 0; j < kTensorOthers / kWarpColumns; ++j) {
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
      add_rows(out, scores, v, a.value_size);
    }
    PERCALE_UNROLL
    for (int h = 0; h < 2; ++h) {
      const int64_t query = at_tile.row() + 8 * h;
      if (query >= a.queries) continue;
      if (a.statistics.address != 0 && own_lane() % 4 == 0) {
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

// The gradients, as attend_back() of attention.cu computes them.
template <class T, bool kOfKeys>
__device__ void attend_back_tensor(const AttentionGradArgs& g) {
  const AttentionArgs& a = g.of;
  PERCALE_DYNAMIC_SHARED(T, shared);
  const int pitch = padded(a.size) + kTensorGap, value_pitch = padded(a.value_size) + kTensorGap;
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
      multiply_rows(weights, own + own_warp() * kWarpRows * pitch, other, pitch, a.size);
      multiply_rows(slopes, own_second + own_warp() * kWarpRows * value_pitch, other_second, value_pitch, a.value_size);
      PERCALE_UNROLL
      for (int j = 0; j < kTensorOthers / kWarpColumns; ++j) {
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
      add_rows(out, slopes, turned, a.size);
      if constexpr (kOfKeys) add_rows(out_second, weights, turned_second, a.value_size);
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

}  // namespace

#define PERCALE_ATTENTION(name, T)                                                                 \
  PERCALE_KERNEL(percale_attention_##name, AttentionArgs, kTensorThreads) { attend_tensor<T>(a); } \
  PERCALE_KERNEL(percale_attention_grad_q_##name, AttentionGradArgs, kTensorThreads) {             \
    attend_back_tensor<T, false>(a);                                                               \
  }                                                                                                \
  PERCALE_KERNEL(percale_attention_grad_kv_##name, AttentionGradArgs, kTensorThreads) {            \
    attend_back_tensor<T, true>(a);                                                                \
  }
PERCALE_ATTENTION(f16, F16)
PERCALE_ATTENTION(bf16, BF16)

}  // namespace percale::cuda
