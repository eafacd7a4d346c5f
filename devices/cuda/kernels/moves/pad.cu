// Pad and Tile, which fill a larger tensor from a smaller one dim by dim, and the sums of their
// gradients.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

// Returns the source of position i of a dim of the larger tensor, or -1 if there is none.
__device__ int64_t source_of(PadMode mode, int64_t i, int64_t before, int64_t dim) {
  const int64_t place = i - before;
  if (place >= 0 && place < dim) return place;
  if (mode == PadMode::kConstant) return -1;
  if (mode == PadMode::kEdge) return place < 0 ? 0 : dim - 1;
  if (dim == 1) return 0;
  const int64_t period = mode == PadMode::kWrap ? dim : 2 * (dim - 1);
  int64_t rest = place % period;
  if (rest < 0) rest += period;
  return rest < dim ? rest : period - rest;
}

// The positions of the larger tensor that come from one of the smaller: `count` of them, ascending.
// Each period contains one, or two if `second` differs from `first`.
struct Sources {
  int64_t first, second, step, count;
  __device__ int64_t operator[](int64_t k) const {
    if (second == first) return first + k * step;
    return (k % 2 == 0 ? first : second) + k / 2 * step;
  }
};

// Returns how many of first, first + step, ... are below `end`.
__device__ int64_t steps_below(int64_t first, int64_t step, int64_t end) {
  return first < end ? (end - first + step - 1) / step : 0;
}

__device__ Sources sources_of(PadMode mode, int64_t place, int64_t before, int64_t dim, int64_t large) {
  const int64_t own = place + before;
  const int64_t inside = own >= 0 && own < large ? 1 : 0;
  if (mode == PadMode::kConstant) return {own, own, 1, inside};
  if (mode == PadMode::kEdge || dim == 1) {
    int64_t begin = place == 0 ? 0 : own, end = place == dim - 1 ? large : own + 1;
    if (begin < 0) begin = 0;
    if (end > large) end = large;
    return {begin, begin, 1, end > begin ? end - begin : 0};
  }
  const int64_t period = mode == PadMode::kWrap ? dim : 2 * (dim - 1);
  int64_t first = own % period, second = (mode == PadMode::kWrap ? own : before - place) % period;
  if (first < 0) first += period;
  if (second < 0) second += period;
  if (second < first) {
    const int64_t less = second;
    second = first;
    first = less;
  }
  int64_t count = steps_below(first, period, large);
  if (second != first) count += steps_below(second, period, large);
  return {first, second, period, count};
}

template <class T>
__device__ void pad(const PadArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  const T value = a.value.address != 0 ? *at<const T>(a.value) : static_cast<T>(0);
  for (int64_t n = thread_number(); n < a.size; n += thread_count()) {
    int64_t rest = n, from = 0, stride = 1;
    bool there = true;
    for (int d = a.rank - 1; d >= 0 && there; --d) {
      const Divided of = divide(rest, a.large[d]);
      const int64_t source = source_of(a.mode, of.rest, a.before[d], a.small[d]);
      there = source >= 0;
      from += source * stride;
      stride *= a.small[d];
      rest = of.quotient;
    }
    y[n] = there ? x[from] : value;
  }
}

template <class T>
__device__ T sum_of(T a, T b) {
  if constexpr (IsFloat<T>::value) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

// A thread sums the contributions to its element, in the order of the larger tensor.
template <class T>
__device__ void pad_sum(const PadArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  for (int64_t n = thread_number(); n < a.size; n += thread_count()) {
    Sources sources[kMaxDims];
    int64_t rest = n, count = 1;
    for (int d = a.rank - 1; d >= 0; --d) {
      const Divided of = divide(rest, a.small[d]);
      sources[d] = sources_of(a.mode, of.rest, a.before[d], a.small[d], a.large[d]);
      count *= sources[d].count;
      rest = of.quotient;
    }
    Wide<T> sum = 0;
    for (int64_t k = 0; k < count; ++k) {
      int64_t number = k, from = 0, stride = 1;
      for (int d = a.rank - 1; d >= 0; --d) {
        const Divided of = divide(number, sources[d].count);
        from += sources[d][of.rest] * stride;
        stride *= a.large[d];
        number = of.quotient;
      }
      // rounded as in the library's own kernel
      sum = widen(narrow<T>(sum_of(sum, widen(x[from]))));
    }
    y[n] = narrow<T>(sum);
  }
}

}  // namespace

PERCALE_KERNEL(percale_pad_1, PadArgs, 256) { pad<uint8_t>(a); }
PERCALE_KERNEL(percale_pad_2, PadArgs, 256) { pad<uint16_t>(a); }
PERCALE_KERNEL(percale_pad_4, PadArgs, 256) { pad<uint32_t>(a); }
PERCALE_KERNEL(percale_pad_8, PadArgs, 256) { pad<uint64_t>(a); }
#define PERCALE_PAD_SUM(name, T) \
  PERCALE_KERNEL(percale_pad_sum_##name, PadArgs, 256) { pad_sum<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_PAD_SUM)

}  // namespace percale::cuda
