// softmax(scale Q K^T + mask) V in one pass over the keys: the maximum and the sum of a row are kept up as keys come (Milakov and Gimelshein
// 2018), and what was added before is scaled down. A block takes 32 queries of a head, and the keys 32 at a time.
#include "devices/cuda/kernels/device.cuh"

namespace percale::cuda {
namespace {

constexpr int kRows = 32, kKeys = 32;  // queries and keys that a block has at once
constexpr int kParts = 8;              // threads that share a query
constexpr int kOutputs = 16;           // elements of an output row that a thread makes at most: value_size <= 128

// Over the threads that share a query: neighbouring lanes of a warp, all of which come here.
template <class W, class Join>
__device__ W join_parts(W value, Join join) {
  for (int step = kParts / 2; step > 0; step /= 2) value = join(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}

// Rows [begin, begin + 32) of `size` elements, zeros behind the last one.
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

// To the precision of T and back.
template <class T>
__device__ Wide<T> rounded(Wide<T> x) {
  return widen(narrow<T>(x));
}

template <class T>
__device__ void attend(const AttentionArgs& a) {
  using W = Wide<T>;
  PERCALE_DYNAMIC_SHARED(W, shared);
  // A pitch that is one more than the rows are long keeps the threads of a warp on different banks.
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
    __syncthreads();  // whoever still reads the tile before
    load_rows(q, q_pitch, at<const T>(a.q) + b * a.q_steps[0] + head * a.q_steps[1], first, a.queries, a.q_steps[2],
              a.size);
    W most = nothing, sum = 0, out[kOutputs];
    for (int j = 0; j < kOutputs; ++j) out[j] = 0;
    for (int64_t begin = 0; begin < a.keys; begin += kKeys) {
      __syncthreads();  // whoever still reads the values before
      load_rows(kv, pitch, at<const T>(a.k) + b * a.k_steps[0] + kv_head * a.k_steps[1], begin, a.keys, a.k_steps[2],
                a.size);
      __syncthreads();
      W scores[kKeys / kParts], high = nothing;
      for (int j = 0; j < kKeys / kParts; ++j) {
        const int key = part + kParts * j;
        W score = 0;
        for (int d = 0; d < a.size; ++d) score = fma(q[row * q_pitch + d], kv[key * pitch + d], score);
        // Rounded where the op's body rounds: large scores would else differ by more than their weights may.
        score = rounded<T>(rounded<T>(score) * static_cast<W>(a.scale));
        const bool counts = works && begin + key < a.keys;
        if (counts && a.mask.address != 0) {
          const int64_t i = b * a.mask_steps[0] + head * a.mask_steps[1] + query * a.mask_steps[2] +
                            (begin + key) * a.mask_steps[3];
          score = a.wide_mask ? score + static_cast<W>(at<const float>(a.mask)[i])
                              : rounded<T>(score + widen(at<const T>(a.mask)[i]));
        }
        scores[j] = counts ? score : nothing;
        high = JoinMax()(high, scores[j]);
      }
      high = JoinMax()(most, join_parts(high, JoinMax()));
      // Without a key so far every weight is 0, not exp(-inf + inf).
      const W shift = high == nothing ? static_cast<W>(0) : high, shrink = exp(most - shift);
      W added = 0;
      for (int j = 0; j < kKeys / kParts; ++j) {
        const W weight = exp(scores[j] - shift);
        p[row * p_pitch + part + kParts * j] = weight;
        added += weight;
      }
      sum = sum * shrink + join_parts(added, JoinSum());
      most = high;
      __syncthreads();  // the keys have been read, the weights are there
      load_rows(kv, pitch, at<const T>(a.v) + b * a.v_steps[0] + kv_head * a.v_steps[1], begin, a.keys, a.v_steps[2],
                a.value_size);
      __syncthreads();
      // Loops over `out` have fixed bounds, so that it stays in registers.
      for (int j = 0; j < kOutputs; ++j) out[j] *= shrink;
      for (int key = 0; key < kKeys; ++key) {
        const W weight = p[row * p_pitch + key];
        for (int j = 0; j < kOutputs; ++j) {
          const int d = part + kParts * j;
          if (d < a.value_size) out[j] = fma(weight, kv[key * pitch + d], out[j]);
        }
      }
    }
    if (!works) continue;
    T* y = at<T>(a.y) + b * a.y_steps[0] + head * a.y_steps[1] + query * a.y_steps[2];
    // A row whose weights are no numbers has the sum NaN, one without a key that counts the sum 0.
    const bool zero = a.nan_is_zero && !(sum > 0);
    for (int j = 0; j < kOutputs; ++j) {
      const int d = part + kParts * j;
      if (d < a.value_size) y[d] = narrow<T>(zero ? static_cast<W>(0) : out[j] / sum);
    }
  }
}

// Rounds after each product and the sum, as the ops that it stands for.
template <class T>
__device__ void rotate(const RotaryArgs& a) {
  const T *x = at<const T>(a.x), *cosine = at<const T>(a.cosine), *sine = at<const T>(a.sine);
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    int64_t offsets[2];
    locate(a.walk, i, offsets);
    const bool first = divide(i, 2 * a.half).rest < a.half;
    const Wide<T> turned = first ? -widen(x[i + a.half]) : widen(x[i - a.half]);
    const T along = narrow<T>(widen(x[i]) * widen(cosine[offsets[0]])), across = narrow<T>(turned * widen(sine[offsets[1]]));
    y[i] = narrow<T>(widen(along) + widen(across));
  }
}

}  // namespace

#define PERCALE_ROTARY(name, T) \
  PERCALE_KERNEL(percale_rotary_##name, RotaryArgs, 256) { rotate<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_ROTARY)
PERCALE_KERNEL(percale_attention_end_f16, AttentionEndArgs, 256) { end_rows<F16>(a); }
PERCALE_KERNEL(percale_attention_end_bf16, AttentionEndArgs, 256) { end_rows<BF16>(a); }
#define PERCALE_ATTENTION(name, T) \
  PERCALE_KERNEL(percale_attention_##name, AttentionArgs, 256) { attend<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_ATTENTION)

}  // namespace percale::cuda
