// Products on tensor cores. A warp multiplies 16 x 16 by 16 x 8 elements of 16 bits and adds the
// products in f32 (mma.m16n8k16 of NVIDIA's PTX ISA, from which the places of elements come).
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_TENSOR_CUH_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_TENSOR_CUH_

#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {

// The lane and the warp of this thread, in blocks of one dim.
__device__ inline int own_lane() { return static_cast<int>(threadIdx.x) % 32; }
__device__ inline int own_warp() { return static_cast<int>(threadIdx.x) / 32; }

// The rows of a left matrix, and the columns of a right one.
inline constexpr int kWarpRows = 16, kWarpColumns = 8;

// The parts of the matrices that one lane holds. With g = lane / 4 and t = lane % 4, these are
//   left:  rows g and g + 8 of columns 2 t and 2 t + 1, then of columns 2 t + 8 and 2 t + 9,
//   right: column g of rows 2 t and 2 t + 1, then of rows 2 t + 8 and 2 t + 9,
//   sums:  columns 2 t and 2 t + 1 of row g, then of row g + 8.
// A word has two elements, the first one in its low bits.
struct LeftPart {
  uint32_t words[4];
};
struct RightPart {
  uint32_t words[2];
};
using Sums = float[4];
// The row and the column of sum `i` of this lane.
__device__ inline int row_of_sum(int i) { return own_lane() / 4 + i / 2 * 8; }
__device__ inline int column_of_sum(int i) { return own_lane() % 4 * 2 + i % 2; }

template <class T>
__device__ inline uint32_t word_of(T first, T second) {
  const Pack<T, 2> pair{{first, second}};
  uint32_t out;
  memcpy(&out, &pair, sizeof out);
  return out;
}
// Loads two neighbours. The first one must lie at an even place.
template <class T>
__device__ inline uint32_t word_at(const T* from) {
  const Pack<T, 2> pair = *reinterpret_cast<const Pack<T, 2>*>(from);
  return word_of(pair.items[0], pair.items[1]);
}

// Loads the left matrix, whose rows are `pitch` elements apart.
template <class T>
__device__ inline LeftPart load_left(const T* from, int pitch) {
  const T *row = from + own_lane() / 4 * pitch + own_lane() % 4 * 2, *low = row + 8 * pitch;
  return {{word_at(row), word_at(low), word_at(row + 8), word_at(low + 8)}};
}
// Loads the right matrix, whose columns are `pitch` elements apart.
template <class T>
__device__ inline RightPart load_right(const T* from, int pitch) {
  const T* column = from + own_lane() / 4 * pitch + own_lane() % 4 * 2;
  return {{word_at(column), word_at(column + 8)}};
}

// Adds the product to `sums`. All lanes of the warp must call it.
template <class T>
__device__ void multiply_add(Sums& sums, const LeftPart& left, const RightPart& right);
#ifdef PERCALE_EMULATED
#define PERCALE_MULTIPLY_ADD(T, type)                                                          \
  template <>                                                                                  \
  inline void multiply_add<T>(Sums & sums, const LeftPart& left, const RightPart& right) {     \
    const auto element = [](uint16_t bits) { return widen(T{bits}); };                         \
    percale_emulator::multiply_add(sums, left.words, right.words, element);                    \
  }
#else
#define PERCALE_MULTIPLY_ADD(T, type)                                                          \
  template <>                                                                                  \
  __device__ inline void multiply_add<T>(Sums & s, const LeftPart& l, const RightPart& r) {    \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                        \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"        \
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])                              \
                 : "r"(l.words[0]), "r"(l.words[1]), "r"(l.words[2]), "r"(l.words[3]),         \
                   "r"(r.words[0]), "r"(r.words[1]));                                          \
  }
#endif
PERCALE_MULTIPLY_ADD(F16, "f16")
PERCALE_MULTIPLY_ADD(BF16, "bf16")

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_TENSOR_CUH_
