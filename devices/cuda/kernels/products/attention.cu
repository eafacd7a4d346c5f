// Attention and its gradients. softmax(scale Q K^T + mask) V is computed in one pass over the keys:
// the maximum and the sum of a row are updated with each tile of keys, and the previous sums are
// scaled down (Milakov and Gimelshein 2018). A block processes 32 queries of a head, and 32 keys at
// a time. f16 and bf16 have their kernels for this in attention_tensor.cu.
#include "devices/cuda/kernels/products/attention.cuh"

namespace percale::cuda {
namespace {

constexpr int kRows = kAttentionRows, kKeys = kAttentionRows;  // that a block holds at once
constexpr int kParts = 8;                         // threads that share a query
constexpr int kOutputs = kMostHeadSize / kParts;  // most elements of a thread in an output row

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

template <class W>
__device__ W dot(const W* x, const W* y, int size) {
  W sum = 0;
  for (int d = 0; d < size; ++d) sum = fma(x[d], y[d], sum);
  return sum;
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

}  // namespace

#define PERCALE_SINGLE_THREADS(name, T)                                                                 \
  PERCALE_KERNEL(percale_attention_##name, AttentionArgs, 256) { attend<T>(a); }                        \
  PERCALE_KERNEL(percale_attention_grad_q_##name, AttentionGradArgs, 256) { attend_back<T, false>(a); } \
  PERCALE_KERNEL(percale_attention_grad_kv_##name, AttentionGradArgs, 256) { attend_back<T, true>(a); }
PERCALE_SINGLE_THREADS(f32, float)
PERCALE_SINGLE_THREADS(f64, double)
#define PERCALE_ALL_TYPES(name, T)                                         \
  PERCALE_KERNEL(percale_rotary_##name, RotaryArgs, 256) { rotate<T>(a); } \
  PERCALE_KERNEL(percale_attention_delta_##name, AttentionGradArgs, 256) { sum_rows<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_ALL_TYPES)
PERCALE_KERNEL(percale_attention_end_f16, AttentionEndArgs, 256) { end_rows<F16>(a); }
PERCALE_KERNEL(percale_attention_end_bf16, AttentionEndArgs, 256) { end_rows<BF16>(a); }

}  // namespace percale::cuda
