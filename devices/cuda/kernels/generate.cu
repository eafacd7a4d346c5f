// Generates ranges, one-hot lines, diagonals and triangles. Also computes running sums and
// products.
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

// One block of 256 threads accumulates each line, 256 elements at a time. It is used for few long
// lines.
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
    W carry = none;
    for (int64_t base = 0; base < a.size; base += 256) {
      const int64_t i = base + me;
      joins[me] = i < a.size ? widen(x[place_of(a, i)]) : none;
      __syncthreads();
      for (unsigned step = 1; step < 256; step *= 2) {
        const W before = me >= step ? joins[me - step] : none;
        __syncthreads();
        if (me >= step) joins[me] = joined(product, before, joins[me]);
        __syncthreads();
      }
      const W before = me > 0 ? joins[me - 1] : none;
      if (i < a.size) y[place_of(a, i)] = narrow<T>(joined(product, carry, a.exclusive ? before : joins[me]));
      carry = joined(product, carry, joins[255]);
      __syncthreads();  // before the next elements are stored
    }
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

#define PERCALE_RANGE(name, T) \
  PERCALE_KERNEL(percale_range_##name, RangeArgs, 256) { range<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_RANGE)
PERCALE_RANGE(i16, int16_t)
PERCALE_RANGE(i32, int32_t)
PERCALE_RANGE(i64, int64_t)

#define PERCALE_GENERATE_SIZES(F) F(1, uint8_t) F(2, uint16_t) F(4, uint32_t) F(8, uint64_t)
#define PERCALE_GENERATE(name, T)                                              \
  PERCALE_KERNEL(percale_one_hot_##name, OneHotArgs, 256) { one_hot<T>(a); }    \
  PERCALE_KERNEL(percale_triangle_##name, DiagonalArgs, 256) { triangle<T>(a); } \
  PERCALE_KERNEL(percale_eye_##name, DiagonalArgs, 256) { eye<T>(a); }
PERCALE_GENERATE_SIZES(PERCALE_GENERATE)

// Integers wrap, so the kernels of unsigned types serve signed ones too.
#define PERCALE_CUMULATE_TYPES(F) PERCALE_FLOAT_TYPES(F) F(u32, uint32_t) F(u64, uint64_t)
#define PERCALE_CUMULATE(name, T)                                               \
  PERCALE_KERNEL(percale_cumulate_##name, CumulateArgs, 256) { cumulate<T>(a); } \
  PERCALE_KERNEL(percale_cumulate_long_##name, CumulateArgs, 256) { cumulate_long<T>(a); }
PERCALE_CUMULATE_TYPES(PERCALE_CUMULATE)
#define PERCALE_PRODUCT_GRAD(name, T) \
  PERCALE_KERNEL(percale_product_grad_##name, CumulateArgs, 256) { product_grad<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_PRODUCT_GRAD)

}  // namespace percale::cuda
