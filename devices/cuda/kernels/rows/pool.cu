// Pools over sliding windows and their gradients. The gradients gather: each element of dX visits
// the windows that contain it, in order, so that no two threads add to one element.
#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/kernels/common/window.cuh"

namespace percale::cuda {
namespace {

// The taps [begin, end) of the window at output `o` along dim d that lie inside the input.
struct Taps {
  int64_t begin, end;
};
__device__ Taps taps_at(const WindowArgs& w, int d, int64_t o) {
  const int64_t start = o * w.stride[d] - w.pad[d], room = w.in[d] - start;
  Taps out;
  out.begin = start >= 0 ? 0 : quotient(-start + w.dilation[d] - 1, w.dilation[d]);
  out.end = room <= 0 ? 0 : quotient(room - 1, w.dilation[d]) + 1;
  if (out.end > w.kernel[d]) out.end = w.kernel[d];
  if (out.begin > out.end) out.begin = out.end;
  return out;
}
// Returns the number of taps that lie in the input or its padding.
__device__ int64_t padded_taps(const WindowArgs& w, int d, int64_t o) {
  const int64_t room = w.in[d] + w.pad_end[d] - (o * w.stride[d] - w.pad[d]);
  if (room <= 0) return 0;
  const int64_t taps = quotient(room - 1, w.dilation[d]) + 1;
  return taps < w.kernel[d] ? taps : w.kernel[d];
}
// Returns the divisor of the mean for the window at output `o`.
__device__ int64_t divisor_at(const PoolArgs& a, const int64_t (&o)[3]) {
  int64_t count = 1;
  for (int d = 0; d < 3; ++d) {
    const Taps taps = taps_at(a.window, d, o[d]);
    count *= a.count_pads ? padded_taps(a.window, d, o[d]) : taps.end - taps.begin;
  }
  return count > 0 ? count : 1;
}

// The position of an element in images [outer, places, inner].
struct Place {
  Point point;  // outer, and the position in the image
  int64_t inner;
};
__device__ Place place_in(const int64_t (&dims)[3], int64_t inner, int64_t i) {
  if (inner == 1) return {point_in(dims, i), 0};
  const Divided of = divide(i, inner);
  return {point_in(dims, of.quotient), of.rest};
}

// Calls f(offset in the image) for the elements of a window in order.
template <class F>
__device__ void for_window(const WindowArgs& w, const int64_t (&o)[3], F f) {
  const Taps t0 = taps_at(w, 0, o[0]), t1 = taps_at(w, 1, o[1]), t2 = taps_at(w, 2, o[2]);
  for (int64_t k0 = t0.begin; k0 < t0.end; ++k0) {
    const int64_t i0 = o[0] * w.stride[0] - w.pad[0] + k0 * w.dilation[0];
    for (int64_t k1 = t1.begin; k1 < t1.end; ++k1) {
      const int64_t i1 = o[1] * w.stride[1] - w.pad[1] + k1 * w.dilation[1];
      const int64_t row = (i0 * w.in[1] + i1) * w.in[2] + o[2] * w.stride[2] - w.pad[2];
      for (int64_t k2 = t2.begin; k2 < t2.end; ++k2) f(row + k2 * w.dilation[2]);
    }
  }
}

// Returns the first largest element of a window, or -1 if the window is empty. NaN counts as larger
// than all numbers. Elements are `inner` apart.
template <class T>
__device__ int64_t largest(const WindowArgs& w, const T* x, int64_t inner, const int64_t (&o)[3]) {
  int64_t best = -1;
  Wide<T> most = 0;
  for_window(w, o, [&](int64_t i) {
    const Wide<T> value = widen(x[i * inner]);
    if (best < 0 || value > most || (value != value && most == most)) {
      best = i;
      most = value;
    }
  });
  return best;
}

template <class T>
struct Lowest {
  __device__ static T value() { return narrow<T>(static_cast<Wide<T>>(-INFINITY)); }
};
template <>
struct Lowest<int8_t> {
  __device__ static int8_t value() { return -128; }
};
template <>
struct Lowest<uint8_t> {
  __device__ static uint8_t value() { return 0; }
};

template <class T>
__device__ void max_pool(const PoolArgs& a) {
  const WindowArgs& w = a.window;
  const int64_t image = size_of(w.in) * a.inner, count = a.outer * size_of(w.out) * a.inner;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place o = place_in(w.out, a.inner, i);
    const T* x = at<const T>(a.x) + o.point.outer * image + o.inner;
    const int64_t best = largest(w, x, a.inner, o.point.p);
    at<T>(a.y)[i] = best < 0 ? Lowest<T>::value() : x[best * a.inner];
    if (a.indices.address == 0) continue;
    int64_t within = best;
    if (best >= 0 && a.column_major) {
      const Point in = point_in(w.in, best);
      within = in.p[0] + w.in[0] * (in.p[1] + w.in[1] * in.p[2]);
    }
    at<int64_t>(a.indices)[i] = best < 0 ? -1 : o.point.outer * image + within;
  }
}

// Stores the offset of the largest element of each window. x is the input of the pool.
template <class T>
__device__ void max_pool_chosen(const PoolArgs& a) {
  const WindowArgs& w = a.window;
  const int64_t image = size_of(w.in) * a.inner, count = a.outer * size_of(w.out) * a.inner;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place o = place_in(w.out, a.inner, i);
    const T* x = at<const T>(a.x) + o.point.outer * image + o.inner;
    at<int32_t>(a.chosen)[i] = static_cast<int32_t>(largest(w, x, a.inner, o.point.p));
  }
}

// Does the same if one window covers the whole plane. One block handles each plane.
template <class T>
__device__ void plane_chosen(const PoolArgs& a) {
  using W = Wide<T>;
  struct Choice {
    W value;
    int32_t place;  // -1: none
  };
  __shared__ Choice choices[256];
  const int64_t size = size_of(a.window.in);
  for (int64_t plane = blockIdx.x; plane < a.outer; plane += gridDim.x) {
    const T* x = at<const T>(a.x) + plane * size;
    Choice mine{0, -1};
    for (int64_t i = threadIdx.x; i < size; i += blockDim.x) {
      const W value = widen(x[i]);
      if (mine.place < 0 || value > mine.value || (value != value && mine.value == mine.value)) {
        mine = {value, static_cast<int32_t>(i)};
      }
    }
    __syncthreads();  // Other threads may still read the choices of the previous plane.
    choices[threadIdx.x] = mine;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x >= half) continue;
      const Choice other = choices[threadIdx.x + half], own = choices[threadIdx.x];
      if (other.place < 0) continue;
      const bool other_nan = other.value != other.value, own_nan = own.value != own.value;
      const bool equal = other_nan ? own_nan : other.value == own.value;
      const bool more = other_nan ? !own_nan : other.value > own.value;
      if (own.place < 0 || more || (equal && other.place < own.place)) choices[threadIdx.x] = other;
    }
    if (threadIdx.x == 0) at<int32_t>(a.chosen)[plane] = choices[0].place;
  }
}

template <class T>
__device__ void average_pool(const PoolArgs& a) {
  const WindowArgs& w = a.window;
  const int64_t image = size_of(w.in) * a.inner, count = a.outer * size_of(w.out) * a.inner;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place o = place_in(w.out, a.inner, i);
    const T* x = at<const T>(a.x) + o.point.outer * image + o.inner;
    Wide<T> sum = 0;
    for_window(w, o.point.p, [&](int64_t k) { sum += widen(x[k * a.inner]); });
    at<T>(a.y)[i] = narrow<T>(sum / static_cast<Wide<T>>(divisor_at(a, o.point.p)));
  }
}

// Returns the outputs [begin, end) along dim d whose windows reach over input `i`. With dilation,
// not all of them contain it.
__device__ Taps windows_over(const WindowArgs& w, int d, int64_t i) {
  const int64_t high = i + w.pad[d], low = high - (w.kernel[d] - 1) * w.dilation[d];
  Taps out;
  out.begin = low <= 0 ? 0 : quotient(low + w.stride[d] - 1, w.stride[d]);
  out.end = quotient(high, w.stride[d]) + 1;
  if (out.end > w.out[d]) out.end = w.out[d];
  return out;
}
__device__ bool holds(const WindowArgs& w, int d, int64_t o, int64_t i) {
  if (w.dilation[d] == 1) return true;
  return (i + w.pad[d] - o * w.stride[d]) % w.dilation[d] == 0;
}

// x is dY, y is dX. If `maximum`, the whole gradient goes to the element that the window chose.
// Otherwise it is shared equally.
template <class T>
__device__ void pool_grad(const PoolArgs& a, bool maximum) {
  using W = Wide<T>;
  const WindowArgs& w = a.window;
  const int64_t count = a.outer * size_of(w.in) * a.inner;
  for (int64_t i = thread_number(); i < count; i += thread_count()) {
    const Place place = place_in(w.in, a.inner, i);
    const Point& in = place.point;
    const int64_t own = (in.p[0] * w.in[1] + in.p[1]) * w.in[2] + in.p[2], base = in.outer * size_of(w.out);
    const Taps r0 = windows_over(w, 0, in.p[0]), r1 = windows_over(w, 1, in.p[1]), r2 = windows_over(w, 2, in.p[2]);
    W sum = 0;
    int64_t o[3];
    for (o[0] = r0.begin; o[0] < r0.end; ++o[0]) {
      if (!holds(w, 0, o[0], in.p[0])) continue;
      for (o[1] = r1.begin; o[1] < r1.end; ++o[1]) {
        if (!holds(w, 1, o[1], in.p[1])) continue;
        for (o[2] = r2.begin; o[2] < r2.end; ++o[2]) {
          if (!holds(w, 2, o[2], in.p[2])) continue;
          const int64_t output = (base + (o[0] * w.out[1] + o[1]) * w.out[2] + o[2]) * a.inner + place.inner;
          if (maximum) {
            if (at<const int32_t>(a.chosen)[output] == own) sum += widen(at<const T>(a.x)[output]);
          } else {
            sum += widen(at<const T>(a.x)[output]) / static_cast<W>(divisor_at(a, o));
          }
        }
      }
    }
    at<T>(a.y)[i] = narrow<T>(sum);
  }
}

}  // namespace

#define PERCALE_POOL(name, T)                                                                     \
  PERCALE_KERNEL(percale_max_pool_##name, PoolArgs, 256) { max_pool<T>(a); }                      \
  PERCALE_KERNEL(percale_max_pool_chosen_##name, PoolArgs, 256) { max_pool_chosen<T>(a); }        \
  PERCALE_KERNEL(percale_plane_chosen_##name, PoolArgs, 256) { plane_chosen<T>(a); }              \
  PERCALE_KERNEL(percale_average_pool_##name, PoolArgs, 256) { average_pool<T>(a); }              \
  PERCALE_KERNEL(percale_max_pool_grad_##name, PoolArgs, 256) { pool_grad<T>(a, true); }          \
  PERCALE_KERNEL(percale_average_pool_grad_##name, PoolArgs, 256) { pool_grad<T>(a, false); }
PERCALE_FLOAT_TYPES(PERCALE_POOL)
PERCALE_KERNEL(percale_max_pool_i8, PoolArgs, 256) { max_pool<int8_t>(a); }
PERCALE_KERNEL(percale_max_pool_u8, PoolArgs, 256) { max_pool<uint8_t>(a); }

}  // namespace percale::cuda
