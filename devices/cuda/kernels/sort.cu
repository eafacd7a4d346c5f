// A stable radix sort of keys with their places, prefix sums, the top elements of lines, and the
// indices of extremes.
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

// Launched with one block.
PERCALE_KERNEL(percale_scan, ScanArgs, 256) {
  constexpr int kEach = 16;
  __shared__ int64_t sums[256];
  int64_t* numbers = at<int64_t>(a.numbers);
  int64_t carry = 0;
  for (int64_t base = 0; base < a.count; base += 256 * kEach) {
    const int64_t begin = base + static_cast<int64_t>(threadIdx.x) * kEach;
    const int64_t end = begin + kEach < a.count ? begin + kEach : a.count;
    int64_t own = 0;
    for (int64_t i = begin; i < end; ++i) own += numbers[i];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
      const int64_t more = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
      __syncthreads();
      sums[threadIdx.x] += more;
      __syncthreads();
    }
    int64_t sum = carry + sums[threadIdx.x] - own;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t number = numbers[i];
      numbers[i] = sum;
      sum += number;
    }
    carry += sums[255];
    __syncthreads();  // before the sums are overwritten
  }
}

#define PERCALE_SORT(name, T)                                                       \
  PERCALE_KERNEL(percale_line_keys_##name, LineKeysArgs, 256) { line_keys<T>(a); }   \
  PERCALE_KERNEL(percale_arg_extreme_##name, ArgExtremeArgs, 256) { arg_extreme<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_SORT)

PERCALE_KERNEL(percale_take_top_1, TopArgs, 256) { take_top<uint8_t>(a); }
PERCALE_KERNEL(percale_take_top_2, TopArgs, 256) { take_top<uint16_t>(a); }
PERCALE_KERNEL(percale_take_top_4, TopArgs, 256) { take_top<uint32_t>(a); }
PERCALE_KERNEL(percale_take_top_8, TopArgs, 256) { take_top<uint64_t>(a); }

}  // namespace percale::cuda
