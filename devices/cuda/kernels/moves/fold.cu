// Col2Im: sums columns back into the images from which their windows came. Each element of an image
// visits the taps that may contain it, in order, so that no two threads add to one element.
#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/move_args.h"

namespace percale::cuda {
namespace {

// Adds as the library's own kernel does: rounded to the element type each time. Integers wrap, and
// bools are combined by or.
template <class T>
struct Sum {
  __device__ static T of(T a, T b) {
    if constexpr (IsFloat<Wide<T>>::value) {
      return narrow<T>(widen(a) + widen(b));
    } else {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    }
  }
};
struct Bool {
  uint8_t value;
};
template <>
struct Sum<Bool> {
  __device__ static Bool of(Bool a, Bool b) { return {static_cast<uint8_t>(a.value != 0 || b.value != 0)}; }
};

// Returns the window along dim d whose tap lies at the element, or -1 if there is none.
__device__ int64_t window_at(const Col2ImArgs& a, int d, int64_t place, int64_t tap) {
  const int64_t from = place + a.pad[d] - tap * a.dilation[d];
  if (from < 0) return -1;
  const Divided of = divide(from, a.stride[d]);
  return of.rest == 0 && of.quotient < a.windows[d] ? of.quotient : -1;
}

template <class T>
__device__ void col2im(const Col2ImArgs& a) {
  for (int64_t i = thread_number(); i < a.planes * a.pixels; i += thread_count()) {
    const Divided of = divide(i, a.pixels);
    int64_t place[kMostFoldDims], tap[kMostFoldDims] = {}, rest = of.rest;
    for (int d = a.rank - 1; d >= 0; --d) {
      const Divided along = divide(rest, a.image[d]);
      place[d] = along.rest;
      rest = along.quotient;
    }
    const T* x = at<const T>(a.x) + of.quotient * a.taps * a.positions;
    T sum{};
    for (int64_t k = 0; k < a.taps; ++k) {
      int64_t position = 0;
      for (int d = 0; d < a.rank && position >= 0; ++d) {
        const int64_t window = window_at(a, d, place[d], tap[d]);
        position = window < 0 ? -1 : position * a.windows[d] + window;
      }
      if (position >= 0) sum = Sum<T>::of(sum, x[k * a.positions + position]);
      for (int d = a.rank - 1; d >= 0 && ++tap[d] == a.block[d]; --d) tap[d] = 0;
    }
    at<T>(a.y)[i] = sum;
  }
}

}  // namespace

#define PERCALE_FOLD(name, T) \
  PERCALE_KERNEL(percale_col2im_##name, Col2ImArgs, 256) { col2im<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_FOLD)
PERCALE_FOLD(bool, Bool)

}  // namespace percale::cuda
