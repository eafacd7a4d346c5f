// Products of matrices of integers: exact, modulo the size of the result's type. A thread makes an element.
#include "devices/cuda/kernels/device.cuh"

namespace percale::cuda {
namespace {

// Sums are unsigned: what does not fit wraps around.
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

}  // namespace

#define PERCALE_INT_PRODUCT(name, T, Sum) \
  PERCALE_KERNEL(percale_product_##name, IntProductArgs, 256) { multiply<T, T, T, Sum>(a); }
PERCALE_INT_PRODUCT(i32, int32_t, uint32_t)
PERCALE_INT_PRODUCT(u32, uint32_t, uint32_t)
PERCALE_INT_PRODUCT(i64, int64_t, uint64_t)
PERCALE_INT_PRODUCT(u64, uint64_t, uint64_t)

#define PERCALE_BYTE_PRODUCT(a_name, A, b_name, B) \
  PERCALE_KERNEL(percale_product_##a_name##_##b_name, IntProductArgs, 256) { multiply<A, B, int32_t, uint32_t>(a); }
PERCALE_BYTE_PRODUCT(u8, uint8_t, u8, uint8_t)
PERCALE_BYTE_PRODUCT(u8, uint8_t, i8, int8_t)
PERCALE_BYTE_PRODUCT(i8, int8_t, u8, uint8_t)
PERCALE_BYTE_PRODUCT(i8, int8_t, i8, int8_t)

}  // namespace percale::cuda
