// Shared parts of the kernels: the declaration of kernels, elements of all types, walks, and
// reductions over a block. It is compiled by nvcc, and by the host compiler for the emulator of
// tests/cuda, which defines PERCALE_EMULATED and supplies the parts that are not C++.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_DEVICE_CUH_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_DEVICE_CUH_

#include "devices/cuda/kernels/common/args.h"

#ifndef PERCALE_EMULATED
// Declares a kernel: `extern "C"`, with one struct of arguments named `a`.
#define PERCALE_KERNEL(name, Args, max_threads) \
  extern "C" __global__ void __launch_bounds__(max_threads) name(const __grid_constant__ Args a)
// Declares the block's dynamic shared memory as elements of T. The launch sets its size
// (LaunchGrid::shared).
#define PERCALE_DYNAMIC_SHARED(T, name)                         \
  extern __shared__ __align__(16) unsigned char name##_bytes[]; \
  T* name = reinterpret_cast<T*>(name##_bytes)
// Stands before a loop over an array that must stay in registers.
#define PERCALE_UNROLL _Pragma("unroll")
#endif

namespace percale::cuda {

#ifndef PERCALE_EMULATED
template <class T>
__device__ inline T* at(Ptr p) {
  return reinterpret_cast<T*>(p.address);
}
#endif

// ---- Elements

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

__device__ inline float bits_to_float(uint32_t bits) {
  float out;
  memcpy(&out, &bits, sizeof out);
  return out;
}
__device__ inline uint32_t float_to_bits(float x) {
  uint32_t out;
  memcpy(&out, &x, sizeof out);
  return out;
}

#ifndef PERCALE_EMULATED
__device__ inline float widen(F16 x) {
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(x.bits));
  return out;
}
__device__ inline F16 to_f16(float x) {
  F16 out;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out.bits) : "f"(x));
  return out;
}
#endif
__device__ inline float widen(BF16 x) { return bits_to_float(static_cast<uint32_t>(x.bits) << 16); }
// Rounds to nearest, ties to even. NaN stays NaN.
__device__ inline BF16 to_bf16(float x) {
  const uint32_t bits = float_to_bits(x);
  if (x != x) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}
// Rounds a double to odd: towards zero, with the last bit set if the result is inexact. Rounding
// that float to a narrower type then gives the correctly rounded result.
__device__ inline float round_to_odd(double x) {
  const float f = static_cast<float>(x);
  if (x != x || static_cast<double>(f) == x) return f;
  uint32_t bits = float_to_bits(f);
  if (fabs(static_cast<double>(f)) > fabs(x)) --bits;  // also from infinity to the largest float
  return bits_to_float(bits | 1);
}

// The type in which elements of T are computed.
template <class T>
struct WideOf {
  using Type = T;
};
template <>
struct WideOf<F16> {
  using Type = float;
};
template <>
struct WideOf<BF16> {
  using Type = float;
};
template <class T>
using Wide = typename WideOf<T>::Type;
template <class T>
__device__ inline T widen(T x) {
  return x;
}
template <class T>
struct Narrow {
  __device__ static T of(T x) { return x; }
};
template <>
struct Narrow<F16> {
  __device__ static F16 of(float x) { return to_f16(x); }
};
template <>
struct Narrow<BF16> {
  __device__ static BF16 of(float x) { return to_bf16(x); }
};
// Converts from the type in which T is computed.
template <class T>
__device__ inline T narrow(Wide<T> x) {
  return Narrow<T>::of(x);
}
// Converts from a double with a single rounding.
template <class T>
__device__ inline T narrow_double(double x) {
  return static_cast<T>(x);
}
template <>
__device__ inline F16 narrow_double<F16>(double x) {
  return to_f16(round_to_odd(x));
}
template <>
__device__ inline BF16 narrow_double<BF16>(double x) {
  return to_bf16(round_to_odd(x));
}

template <class T>
struct IsFloat {
  static constexpr bool value = false;
};
template <>
struct IsFloat<float> {
  static constexpr bool value = true;
};
template <>
struct IsFloat<double> {
  static constexpr bool value = true;
};

// Reads and writes an element of a float type that is known only at run time (percale_dtype).
__device__ inline double read_float(Ptr p, int32_t dtype, int64_t i) {
  switch (dtype) {
    case 1: return static_cast<double>(at<const float>(p)[i]);
    case 11: return at<const double>(p)[i];
    case 10: return static_cast<double>(widen(at<const F16>(p)[i]));
    default: return static_cast<double>(widen(at<const BF16>(p)[i]));
  }
}
__device__ inline void write_float(Ptr p, int32_t dtype, int64_t i, double value) {
  switch (dtype) {
    case 1: at<float>(p)[i] = static_cast<float>(value); break;
    case 11: at<double>(p)[i] = value; break;
    case 10: at<F16>(p)[i] = narrow_double<F16>(value); break;
    default: at<BF16>(p)[i] = narrow_double<BF16>(value); break;
  }
}

// Elements that a thread loads and stores at once.
template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T items[kCount];
};
// This number of elements takes 16 bytes, the most that one instruction moves.
template <class T>
constexpr int kPackOf = 16 / static_cast<int>(sizeof(T));

#define PERCALE_FLOAT_TYPES(F) F(f32, float) F(f64, double) F(f16, F16) F(bf16, BF16)
#define PERCALE_SIGNED_TYPES(F) F(i8, int8_t) F(i16, int16_t) F(i32, int32_t) F(i64, int64_t)
#define PERCALE_UNSIGNED_TYPES(F) F(u8, uint8_t) F(u16, uint16_t) F(u32, uint32_t) F(u64, uint64_t)
#define PERCALE_NUMERIC_TYPES(F) PERCALE_FLOAT_TYPES(F) PERCALE_SIGNED_TYPES(F) PERCALE_UNSIGNED_TYPES(F)

// ---- Walks

// The number of this thread in the first dim of the launch grid, and the number of such threads.
__device__ inline int64_t thread_number() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t thread_count() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Element and line numbers always have 64 bits. Division uses 32 bits if both operands fit, at a
// quarter of the cost.
struct Divided {
  int64_t quotient, rest;
};
__device__ inline Divided divide(int64_t i, int64_t by) {
  int64_t quotient;
  if (i <= 0xFFFFFFFFLL && by <= 0xFFFFFFFFLL) {
    quotient = static_cast<uint32_t>(i) / static_cast<uint32_t>(by);
  } else {
    quotient = i / by;
  }
  return {quotient, i - quotient * by};
}

__device__ inline int64_t quotient(int64_t i, int64_t by) { return divide(i, by).quotient; }

// The elements [begin, end) of a piece of `count`. They depend on the arguments only.
struct Range {
  int64_t begin, end;
};
__device__ inline Range piece_of(int64_t count, int64_t pieces, int64_t piece) {
  const int64_t each = count / pieces, more = count % pieces;
  const int64_t begin = piece * each + (piece < more ? piece : more);
  return {begin, begin + each + (piece < more ? 1 : 0)};
}

// Computes the offset of element `i` of the walk in each operand.
template <size_t kOperands>
__device__ inline void locate(const Walk<kOperands>& walk, int64_t i, int64_t* offsets) {
  for (size_t k = 0; k < kOperands; ++k) offsets[k] = 0;
  int64_t rest = i;
  for (int d = walk.rank - 1; d > 0; --d) {
    const Divided of = divide(rest, walk.dims[d]);
    for (size_t k = 0; k < kOperands; ++k) offsets[k] += of.rest * walk.strides[k][d];
    rest = of.quotient;
  }
  if (walk.rank > 0) {
    for (size_t k = 0; k < kOperands; ++k) offsets[k] += rest * walk.strides[k][0];
  }
}

// ---- Errors

// Records an error. Only the first one is stored.
__device__ inline void fail(const ErrorPlace& errors, int32_t code, int64_t detail) {
  if (atomicCAS(at<uint32_t>(errors.guard), 0u, 1u) != 0u) return;
  volatile ErrorWord* word = at<ErrorWord>(errors.word);
  word->detail = detail;
  word->run = errors.run;
  word->mark = errors.mark;
  __threadfence_system();
  word->code = code;
}

// Returns index i (i64 if `wide`, else i32), counted from the front. If it is not in [-size, size),
// fails the run and returns -1.
__device__ inline int64_t read_index(Ptr indices, int32_t wide, int64_t i, int64_t size, const ErrorPlace& errors) {
  const int64_t given = wide ? at<const int64_t>(indices)[i] : at<const int32_t>(indices)[i];
  if (given >= -size && given < size) return given < 0 ? given + size : given;
  fail(errors, kIndexOutOfRange, given);
  return -1;
}

// ---- Sums over threads

// Combines the values of a block of width x height, row by row. Each row consists of whole warps.
// `lanes` holds an element for each warp of the block (at most 32). Every thread gets the result of
// its row. The order is fixed.
template <class T, class Join>
__device__ inline T join_row(T value, T* lanes, Join join) {
  for (int step = 16; step > 0; step /= 2) value = join(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  if (blockDim.x == 32) return value;
  const int warps = static_cast<int>(blockDim.x / 32), warp = static_cast<int>(threadIdx.x / 32);
  T* mine = lanes + threadIdx.y * warps;
  __syncthreads();  // Other threads may still read the previous result.
  if (threadIdx.x % 32 == 0) mine[warp] = value;
  __syncthreads();
  T out = mine[0];
  for (int w = 1; w < warps; ++w) out = join(out, mine[w]);
  return out;
}

struct JoinSum {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct JoinMax {  // NaN if either is NaN
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_DEVICE_CUH_
