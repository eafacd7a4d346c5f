// Products and convolutions of integers, exact modulo the size of the result's type. One thread
// computes each element.
#include "devices/cuda/kernels/common/product_args.h"
#include "devices/cuda/kernels/common/window.cuh"

namespace percale::cuda {
namespace {

// Sums are unsigned, so that they wrap.
template <class A, class B, class Y, class Sum>
__device__ void multiply(const IntProductArgs& a) {
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    const Divided line = divide(i, a.n), matrix = divide(line.quotient, a.m);
    const int64_t row = matrix.rest, column = line.rest;
    int64_t offsets[2];
    locate(a.batches, matrix.quotient, offsets);
    const A* from = at<const A>(a.a) + offsets[0] * a.m * a.k + row * a.a_row;
    const B* by = at<const B>(a.b) + offsets[1] * a.k * a.n + column * a.b_column;
    const Sum a_zero = a.a_zero.address == 0 ? Sum{0} : static_cast<Sum>(at<const A>(a.a_zero)[row * a.a_zero_step]);
    const Sum b_zero = a.b_zero.address == 0 ? Sum{0} : static_cast<Sum>(at<const B>(a.b_zero)[column * a.b_zero_step]);
    Sum sum{0};
    for (int64_t k = 0; k < a.k; ++k) {
      sum += (static_cast<Sum>(from[k * a.a_column]) - a_zero) * (static_cast<Sum>(by[k * a.b_row]) - b_zero);
    }
    at<Y>(a.y)[i] = static_cast<Y>(sum);
  }
}

// Padding has the value of the zero point, so taps outside of the images add nothing.
template <class X, class W>
__device__ void convolve(const IntConvArgs& a) {
  const WindowArgs& w = a.window;
  const int64_t in_size = size_of(w.in), taps = size_of(w.kernel), filters = a.groups * a.out_channels;
  const uint32_t x_zero = a.x_zero.address == 0 ? 0u : static_cast<uint32_t>(*at<const X>(a.x_zero));
  for (int64_t i = thread_number(); i < a.batch * filters * size_of(w.out); i += thread_count()) {
    const Point o = point_in(w.out, i);
    const Divided of = divide(o.outer, filters);
    const int64_t filter = of.rest, group = quotient(filter, a.out_channels);
    const X* x = at<const X>(a.x) + (of.quotient * a.groups + group) * a.in_channels * in_size;
    const W* weights = at<const W>(a.w) + filter * a.in_channels * taps;
    const uint32_t w_zero = a.w_zero.address == 0 ? 0u : static_cast<uint32_t>(at<const W>(a.w_zero)[filter * a.w_zero_step]);
    uint32_t sum = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const Point k = point_in(w.kernel, tap);
      int64_t place = 0;
      bool inside = true;
      for (int d = 0; d < 3; ++d) {
        const int64_t p = o.p[d] * w.stride[d] + k.p[d] * w.dilation[d] - w.pad[d];
        inside = inside && p >= 0 && p < w.in[d];
        place = place * w.in[d] + p;
      }
      if (!inside) continue;
      for (int64_t c = 0; c < a.in_channels; ++c) {
        sum += (static_cast<uint32_t>(x[c * in_size + place]) - x_zero) * (static_cast<uint32_t>(weights[c * taps + tap]) - w_zero);
      }
    }
    at<int32_t>(a.y)[i] = static_cast<int32_t>(sum);
  }
}

}  // namespace

#define PERCALE_INT_PRODUCT(name, T, Sum) \
  PERCALE_KERNEL(percale_product_##name, IntProductArgs, 256) { multiply<T, T, T, Sum>(a); }
PERCALE_INT_PRODUCT(i32, int32_t, uint32_t)
PERCALE_INT_PRODUCT(u32, uint32_t, uint32_t)
PERCALE_INT_PRODUCT(i64, int64_t, uint64_t)
PERCALE_INT_PRODUCT(u64, uint64_t, uint64_t)

#define PERCALE_BYTE_PRODUCT(a_name, A, b_name, B) \
  PERCALE_KERNEL(percale_product_##a_name##_##b_name, IntProductArgs, 256) { multiply<A, B, int32_t, uint32_t>(a); } \
  PERCALE_KERNEL(percale_int_conv_##a_name##_##b_name, IntConvArgs, 256) { convolve<A, B>(a); }
PERCALE_BYTE_PRODUCT(u8, uint8_t, u8, uint8_t)
PERCALE_BYTE_PRODUCT(u8, uint8_t, i8, int8_t)
PERCALE_BYTE_PRODUCT(i8, int8_t, u8, uint8_t)
PERCALE_BYTE_PRODUCT(i8, int8_t, i8, int8_t)

}  // namespace percale::cuda
