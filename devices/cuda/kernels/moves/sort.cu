// A stable radix sort of keys with their places, the top elements of lines, the indices of
// extremes, and running sums and products.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

constexpr int kDigits = 256, kWarps = 8, kRounds = static_cast<int>(kSortTile) / (kWarps * 32);

__device__ unsigned digit_of(const RadixArgs& a, int64_t i) {
  const uint64_t key = a.line > 0 ? static_cast<uint64_t>(divide(at<const int64_t>(a.places)[i], a.line).quotient)
                                  : at<const uint64_t>(a.keys)[i];
  return static_cast<unsigned>(key >> a.shift) & (kDigits - 1);
}

// ---- Keys that sort like the elements: NaN is above everything and equal to itself, -0 equals 0.

__device__ uint64_t key_of(float x) {
  if (x != x) return 0xFFFFFFFFu;
  const uint32_t bits = float_to_bits(x + 0.0f);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}
__device__ uint64_t key_of(double x) {
  if (x != x) return ~static_cast<uint64_t>(0);
  const double positive_zero = x + 0.0;
  uint64_t bits;
  memcpy(&bits, &positive_zero, sizeof bits);
  return bits >> 63 != 0 ? ~bits : bits | static_cast<uint64_t>(1) << 63;
}
template <class T>
__device__ uint64_t key_of(T x) {  // an unsigned number of the same size, with the sign bit flipped
  constexpr int kBits = 8 * sizeof(T);
  const uint64_t bits = static_cast<uint64_t>(x) & (~static_cast<uint64_t>(0) >> (64 - kBits));
  return static_cast<T>(-1) < static_cast<T>(0) ? bits ^ static_cast<uint64_t>(1) << (kBits - 1) : bits;
}

template <class T>
__device__ void line_keys(const LineKeysArgs& a) {
  const T* x = at<const T>(a.x);
  uint64_t* keys = at<uint64_t>(a.keys);
  int64_t* places = at<int64_t>(a.places);
  for (int64_t n = thread_number(); n < a.lines * a.size; n += thread_count()) {
    const Divided of = divide(n, a.size), line = divide(of.quotient, a.inner);
    const uint64_t key = key_of(widen(x[(line.quotient * a.size + of.rest) * a.inner + line.rest]));
    keys[n] = a.largest ? ~key & (~static_cast<uint64_t>(0) >> (64 - 8 * sizeof(Wide<T>))) : key;
    places[n] = n;
  }
}

// Returns the key of an element of a slice.
template <class T>
__device__ uint64_t slice_key(const SlicesArgs& a, int64_t slice, int64_t element) {
  const Divided of = divide(element, a.inner);
  return key_of(widen(at<const T>(a.x)[(of.quotient * a.count + slice) * a.inner + of.rest]));
}
// The last element is the first one to be sorted by; the slices still lie in the order of x.
template <class T>
__device__ void slice_keys(const SlicesArgs& a) {
  int64_t* places = at<int64_t>(a.places);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    if (a.element == a.length - 1) places[i] = i;
    at<uint64_t>(a.keys)[i] = slice_key<T>(a, places[i], a.element);
  }
}
template <class T>
__device__ void mark_slices(const SlicesArgs& a) {
  const int64_t* places = at<const int64_t>(a.places);
  for (int64_t i = thread_number(); i < a.count; i += thread_count()) {
    bool differs = i == 0;
    for (int64_t e = 0; e < a.length && !differs; ++e) {
      differs = slice_key<T>(a, places[i], e) != slice_key<T>(a, places[i - 1], e);
    }
    at<int64_t>(a.marks)[i] = differs ? 1 : 0;
  }
}

template <class T>
__device__ void take_top(const TopArgs& a) {
  const T* x = at<const T>(a.x);
  T* values = at<T>(a.values);
  int64_t* indices = at<int64_t>(a.indices);
  const int64_t* places = at<const int64_t>(a.places);
  for (int64_t n = thread_number(); n < a.lines * a.top; n += thread_count()) {
    const Divided of = divide(n, a.top), line = divide(of.quotient, a.inner);
    const int64_t index = places[of.quotient * a.size + of.rest] - of.quotient * a.size;
    const int64_t to = (line.quotient * a.top + of.rest) * a.inner + line.rest;
    indices[to] = index;
    values[to] = x[(line.quotient * a.size + index) * a.inner + line.rest];
  }
}

// ---- Indices of extremes

template <class W>
struct Best {
  W value;
  int64_t place;  // -1: none yet
};
// True if `a` comes before `b`. NaN comes before all numbers; among equal elements the first or the
// last one wins.
template <class W>
__device__ bool comes_before(const ArgExtremeArgs& args, const Best<W>& a, const Best<W>& b) {
  if (a.place < 0 || b.place < 0) return b.place < 0;
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.value != b.value) return args.greatest ? a.value > b.value : a.value < b.value;
  return args.last ? a.place > b.place : a.place < b.place;
}

// Blocks of width x height threads. Each row of threads processes a line.
template <class T>
__device__ void arg_extreme(const ArgExtremeArgs& a) {
  using W = Wide<T>;
  __shared__ W values[256];
  __shared__ int64_t places[256];
  const int me = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t begin = static_cast<int64_t>(blockIdx.x) * blockDim.y; begin < a.lines; begin += step) {
    const int64_t line = begin + threadIdx.y;
    Best<W> best{static_cast<W>(0), -1};
    if (line < a.lines) {
      const Divided of = divide(line, a.inner);
      const T* x = at<const T>(a.x) + of.quotient * a.size * a.inner + of.rest;
      for (int64_t i = threadIdx.x; i < a.size; i += blockDim.x) {
        const Best<W> now{widen(x[i * a.inner]), i};
        if (comes_before(a, now, best)) best = now;
      }
    }
    values[me] = best.value;
    places[me] = best.place;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x >= half) continue;
      const Best<W> other{values[me + half], places[me + half]};
      if (comes_before(a, other, best)) best = other;
      values[me] = best.value;
      places[me] = best.place;
    }
    if (line < a.lines && threadIdx.x == 0) at<int64_t>(a.y)[line] = best.place;
    __syncthreads();  // before the next lines
  }
}

// ---- Running sums and products

template <class W>
__device__ W joined(bool product, W a, W b) {
  if constexpr (IsFloat<W>::value) {
    return product ? a * b : a + b;
  } else {
    const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<W>(product ? x * y : x + y);
  }
}

// Returns the offset of a line's first element.
__device__ int64_t start_of(const CumulateArgs& a, int64_t line) {
  const Divided of = divide(line, a.inner);
  return of.quotient * a.size * a.inner + of.rest;
}
// Returns the offset of element i of a line, counted in the order of accumulation.
__device__ int64_t place_of(const CumulateArgs& a, int64_t i) { return (a.reverse ? a.size - 1 - i : i) * a.inner; }

// One thread accumulates each line, in the order of the library's own kernel.
template <class T>
__device__ void cumulate(const CumulateArgs& a) {
  using W = Wide<T>;
  for (int64_t line = thread_number(); line < a.lines; line += thread_count()) {
    const T* x = at<const T>(a.x) + start_of(a, line);
    T* y = at<T>(a.y) + start_of(a, line);
    W so_far = a.product ? static_cast<W>(1) : static_cast<W>(0);
    for (int64_t i = 0; i < a.size; ++i) {
      // read before y is written, which may be the same memory
      const W value = widen(x[place_of(a, i)]);
      const W next = joined(a.product != 0, so_far, value);
      y[place_of(a, i)] = narrow<T>(a.exclusive ? so_far : next);
      so_far = next;
    }
  }
}

// A block of 256 threads accumulates a piece of a line, 256 elements at a time. The other pieces of
// the line have blocks of their own, which start with what comes before them.
template <class T>
__device__ void cumulate_long(const CumulateArgs& a) {
  using W = Wide<T>;
  __shared__ W joins[256];
  const unsigned me = threadIdx.x;
  const bool product = a.product != 0;
  const W none = product ? static_cast<W>(1) : static_cast<W>(0);
  for (int64_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const T* x = at<const T>(a.x) + start_of(a, line);
    T* y = at<T>(a.y) + start_of(a, line);
    const Range piece = piece_of(a.size, a.pieces, blockIdx.y);
    W carry = a.pieces > 1 ? at<const W>(a.partial)[line * a.pieces + blockIdx.y] : none;
    for (int64_t base = piece.begin; base < piece.end; base += 256) {
      const int64_t i = base + me;
      joins[me] = i < piece.end ? widen(x[place_of(a, i)]) : none;
      __syncthreads();
      for (unsigned step = 1; step < 256; step *= 2) {
        const W before = me >= step ? joins[me - step] : none;
        __syncthreads();
        if (me >= step) joins[me] = joined(product, before, joins[me]);
        __syncthreads();
      }
      const W before = me > 0 ? joins[me - 1] : none;
      if (i < piece.end) y[place_of(a, i)] = narrow<T>(joined(product, carry, a.exclusive ? before : joins[me]));
      carry = joined(product, carry, joins[255]);
      __syncthreads();  // before the next elements are stored
    }
  }
}

// A block joins the elements of a piece of a line.
template <class T>
__device__ void cumulate_totals(const CumulateArgs& a) {
  using W = Wide<T>;
  __shared__ W lanes[32];
  const bool product = a.product != 0;
  for (int64_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    const T* x = at<const T>(a.x) + start_of(a, line);
    const Range piece = piece_of(a.size, a.pieces, blockIdx.y);
    W total = product ? static_cast<W>(1) : static_cast<W>(0);
    for (int64_t i = piece.begin + threadIdx.x; i < piece.end; i += blockDim.x) {
      total = joined(product, total, widen(x[place_of(a, i)]));
    }
    total = join_row(total, lanes, [&](W before, W next) { return joined(product, before, next); });
    if (threadIdx.x == 0) at<W>(a.partial)[line * a.pieces + blockIdx.y] = total;
  }
}

// The gradient of element i is the product of the elements before it, times a sum over all results
// that contain element i. Each term is the gradient of that result times the elements between i and
// it. The sum is built from the back, without division.
template <class T>
__device__ void product_grad(const CumulateArgs& a) {
  for (int64_t line = thread_number(); line < a.lines; line += thread_count()) {
    const int64_t start = start_of(a, line);
    const T *grad = at<const T>(a.grad) + start, *x = at<const T>(a.x) + start;
    T* y = at<T>(a.y) + start;
    double before = 1;
    for (int64_t i = 0; i < a.size; ++i) {
      y[place_of(a, i)] = narrow<T>(static_cast<Wide<T>>(before));
      before *= static_cast<double>(widen(x[place_of(a, i)]));
    }
    double sum = 0;
    for (int64_t i = a.size - 1; i >= 0; --i) {
      const int64_t place = place_of(a, i);
      const double slope = static_cast<double>(widen(grad[place]));
      if (!a.exclusive) sum += slope;
      y[place] = narrow<T>(static_cast<Wide<T>>(static_cast<double>(widen(y[place])) * sum));
      sum = sum * static_cast<double>(widen(x[place])) + (a.exclusive ? slope : 0);
    }
  }
}

}  // namespace

// Counts each digit in each tile.
PERCALE_KERNEL(percale_radix_count, RadixArgs, 256) {
  __shared__ unsigned counts[kDigits];
  for (int64_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    counts[threadIdx.x] = 0;
    __syncthreads();
    const int64_t end = (tile + 1) * kSortTile < a.count ? (tile + 1) * kSortTile : a.count;
    for (int64_t i = tile * kSortTile + threadIdx.x; i < end; i += blockDim.x) atomicAdd(&counts[digit_of(a, i)], 1u);
    __syncthreads();
    at<int64_t>(a.counts)[threadIdx.x * a.tiles + tile] = counts[threadIdx.x];
  }
}

// Moves each element to its destination, given the scanned counts. Elements with one digit keep
// their order. A warp handles a part of the tile.
PERCALE_KERNEL(percale_radix_move, RadixArgs, 256) {
  __shared__ unsigned counts[kWarps][kDigits];
  __shared__ int64_t first[kDigits];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const uint64_t* keys = at<const uint64_t>(a.keys);
  const int64_t* places = at<const int64_t>(a.places);
  for (int64_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
    for (int w = 0; w < kWarps; ++w) counts[w][threadIdx.x] = 0;
    __syncthreads();
    const int64_t begin = tile * kSortTile + warp * (kRounds * 32);
    const int64_t end = begin + kRounds * 32 < a.count ? begin + kRounds * 32 : a.count;
    for (int64_t i = begin + lane; i < end; i += 32) atomicAdd(&counts[warp][digit_of(a, i)], 1u);
    __syncthreads();
    first[threadIdx.x] = at<const int64_t>(a.counts)[threadIdx.x * a.tiles + tile];
    unsigned before = 0;
    for (int w = 0; w < kWarps; ++w) {
      const unsigned own = counts[w][threadIdx.x];
      counts[w][threadIdx.x] = before;
      before += own;
    }
    __syncthreads();
    for (int round = 0; round < kRounds; ++round) {
      const int64_t i = begin + round * 32 + lane;
      const bool works = i < end;
      const unsigned digit = works ? digit_of(a, i) : 0;
      unsigned peers = __ballot_sync(0xFFFFFFFFu, works);  // lanes with the same digit
      for (int bit = 0; bit < 8; ++bit) {
        const unsigned set = __ballot_sync(0xFFFFFFFFu, static_cast<int>(digit >> bit & 1));
        peers &= (digit >> bit & 1) != 0 ? set : ~set;
      }
      const int rank = __popc(peers & ((1u << lane) - 1));
      const int64_t to = first[digit] + counts[warp][digit] + rank;
      __syncwarp();
      if (works && rank == 0) counts[warp][digit] += static_cast<unsigned>(__popc(peers));
      __syncwarp();
      if (!works) continue;
      at<uint64_t>(a.new_keys)[to] = keys[i];
      at<int64_t>(a.new_places)[to] = places[i];
    }
    __syncthreads();  // before the next tile
  }
}

#define PERCALE_SORT(name, T)                                                        \
  PERCALE_KERNEL(percale_line_keys_##name, LineKeysArgs, 256) { line_keys<T>(a); }   \
  PERCALE_KERNEL(percale_slice_keys_##name, SlicesArgs, 256) { slice_keys<T>(a); }   \
  PERCALE_KERNEL(percale_mark_slices_##name, SlicesArgs, 256) { mark_slices<T>(a); } \
  PERCALE_KERNEL(percale_arg_extreme_##name, ArgExtremeArgs, 256) { arg_extreme<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_SORT)

PERCALE_KERNEL(percale_take_top_1, TopArgs, 256) { take_top<uint8_t>(a); }
PERCALE_KERNEL(percale_take_top_2, TopArgs, 256) { take_top<uint16_t>(a); }
PERCALE_KERNEL(percale_take_top_4, TopArgs, 256) { take_top<uint32_t>(a); }
PERCALE_KERNEL(percale_take_top_8, TopArgs, 256) { take_top<uint64_t>(a); }

#define PERCALE_CUMULATE_TYPES(F) PERCALE_FLOAT_TYPES(F) F(u32, uint32_t) F(u64, uint64_t)
#define PERCALE_CUMULATE(name, T)                                                          \
  PERCALE_KERNEL(percale_cumulate_##name, CumulateArgs, 256) { cumulate<T>(a); }           \
  PERCALE_KERNEL(percale_cumulate_long_##name, CumulateArgs, 256) { cumulate_long<T>(a); } \
  PERCALE_KERNEL(percale_cumulate_totals_##name, CumulateArgs, 256) { cumulate_totals<T>(a); }
PERCALE_CUMULATE_TYPES(PERCALE_CUMULATE)
#define PERCALE_PRODUCT_GRAD(name, T) \
  PERCALE_KERNEL(percale_product_grad_##name, CumulateArgs, 256) { product_grad<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_PRODUCT_GRAD)

}  // namespace percale::cuda
