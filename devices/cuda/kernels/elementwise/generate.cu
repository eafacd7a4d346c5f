// Generates ranges, one-hot lines, diagonals and triangles.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {
namespace {

template <class T>
__device__ void range(const RangeArgs& a) {
  using W = Wide<T>;
  const W start = widen(*at<const T>(a.start)), delta = widen(*at<const T>(a.delta));
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    if constexpr (IsFloat<W>::value) {
      y[i] = narrow<T>(start + static_cast<W>(i) * delta);
    } else {
      y[i] = static_cast<T>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
    }
  }
}

// percale_dtype
enum : int32_t {
  kF32 = 1, kU8 = 2, kI8 = 3, kU16 = 4, kI16 = 5, kI32 = 6, kF16 = 10, kF64 = 11, kU32 = 12, kU64 = 13, kBF16 = 16,
};

// Truncates a float towards zero and clamps it to i64. NaN gives 0.
__device__ int64_t whole(double x) {
  if (x != x) return 0;
  if (x >= 9223372036854775808.0) return INT64_MAX;
  if (x <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(x);
}
__device__ int64_t read_whole(int32_t dtype, Ptr x, int64_t i) {
  switch (dtype) {
    case kF32: return whole(static_cast<double>(at<const float>(x)[i]));
    case kF64: return whole(at<const double>(x)[i]);
    case kF16: return whole(static_cast<double>(widen(at<const F16>(x)[i])));
    case kBF16: return whole(static_cast<double>(widen(at<const BF16>(x)[i])));
    case kU8: return at<const uint8_t>(x)[i];
    case kI8: return at<const int8_t>(x)[i];
    case kU16: return at<const uint16_t>(x)[i];
    case kI16: return at<const int16_t>(x)[i];
    case kI32: return at<const int32_t>(x)[i];
    case kU32: return at<const uint32_t>(x)[i];
    case kU64: {
      const uint64_t value = at<const uint64_t>(x)[i];
      return value > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(value);
    }
    default: return at<const int64_t>(x)[i];
  }
}

template <class T>
__device__ void one_hot(const OneHotArgs& a) {
  const T* values = at<const T>(a.values);
  T* y = at<T>(a.y);
  const T off = values[0], on = values[1];
  for (int64_t n = thread_number(); n < a.outer * a.size * a.inner; n += thread_count()) {
    const Divided row = divide(n, a.inner), of = divide(row.quotient, a.size);
    int64_t index = read_whole(a.dtype, a.indices, of.quotient * a.inner + row.rest);
    if (index < 0 && index >= -a.size) index += a.size;
    y[n] = index == of.rest ? on : off;
  }
}

template <class T>
__device__ void triangle(const DiagonalArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  int64_t k = a.k.address != 0 ? *at<const int64_t>(a.k) : 0;
  // All diagonals outside the matrix are equivalent.
  if (k < -a.rows - 1) k = -a.rows - 1;
  if (k > a.columns + 1) k = a.columns + 1;
  for (int64_t n = thread_number(); n < a.batch * a.rows * a.columns; n += thread_count()) {
    const Divided of = divide(n, a.columns);
    // distance to the right of the main diagonal
    const int64_t right = of.rest - divide(of.quotient, a.rows).rest;
    const T value = x[n];
    y[n] = (a.upper ? right >= k : right <= k) ? value : static_cast<T>(0);
  }
}

template <class T>
__device__ void eye(const DiagonalArgs& a) {
  T* y = at<T>(a.y);
  for (int64_t n = thread_number(); n < a.rows * a.columns; n += thread_count()) {
    const Divided of = divide(n, a.columns);
    y[n] = of.rest - of.quotient == a.diagonal ? static_cast<T>(a.one) : static_cast<T>(0);
  }
}

}  // namespace

#define PERCALE_RANGE(name, T) \
  PERCALE_KERNEL(percale_range_##name, RangeArgs, 256) { range<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_RANGE)
PERCALE_RANGE(i16, int16_t)
PERCALE_RANGE(i32, int32_t)
PERCALE_RANGE(i64, int64_t)

#define PERCALE_GENERATE_SIZES(F) F(1, uint8_t) F(2, uint16_t) F(4, uint32_t) F(8, uint64_t)
#define PERCALE_GENERATE(name, T)                                                \
  PERCALE_KERNEL(percale_one_hot_##name, OneHotArgs, 256) { one_hot<T>(a); }     \
  PERCALE_KERNEL(percale_triangle_##name, DiagonalArgs, 256) { triangle<T>(a); } \
  PERCALE_KERNEL(percale_eye_##name, DiagonalArgs, 256) { eye<T>(a); }
PERCALE_GENERATE_SIZES(PERCALE_GENERATE)

}  // namespace percale::cuda
