// Products on tensor cores. A warp multiplies 16 x 16 by 16 x 8 elements of 16 bits and adds the
// products in f32 (mma.m16n8k16 of NVIDIA's PTX ISA, from which the places of elements come).
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_TENSOR_CUH_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_TENSOR_CUH_

#include "devices/cuda/kernels/common/device.cuh"

// Before a loop over an array that must stay in registers.
#ifdef PERCALE_EMULATED
#define PERCALE_UNROLL
#else
#define PERCALE_UNROLL _Pragma("unroll")
#endif

namespace percale::cuda {

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
__device__ inline LeftPart load_left(const T* from, int pitch, int lane) {
  const T *row = from + lane / 4 * pitch + 2 * (lane % 4), *low = row + 8 * pitch;
  return {{word_at(row), word_at(low), word_at(row + 8), word_at(low + 8)}};
}
// Loads the right matrix, whose columns are `pitch` elements apart.
template <class T>
__device__ inline RightPart load_right(const T* from, int pitch, int lane) {
  const T* column = from + lane / 4 * pitch + 2 * (lane % 4);
  return {{word_at(column), word_at(column + 8)}};
}

// Adds the product to `sums`. All lanes of the warp must call it.
#ifdef PERCALE_EMULATED
template <class T>
__device__ inline void multiply_add(float (&sums)[4], const LeftPart& left, const RightPart& right) {
  const auto element = [](const uint32_t* words, int i) {
    T out;
    memcpy(&out, reinterpret_cast<const char*>(words) + 2 * i, sizeof out);
    return static_cast<double>(widen(out));
  };
  const percale_emulator::Operands all(left.words, right.words);
  const int lane = static_cast<int>(percale_lane());
  for (int i = 0; i < 4; ++i) {
    double sum = static_cast<double>(sums[i]);
    for (int k = 0; k < 16; ++k) {
      const int from = k % 8 / 2, word = k / 8;
      sum += element(all.first(lane / 4 * 4 + from), 2 * (i / 2 + 2 * word) + k % 2) *
             element(all.second((2 * (lane % 4) + i % 2) * 4 + from), 2 * word + k % 2);
    }
    sums[i] = static_cast<float>(sum);
  }
}
#else
template <class T>
__device__ void multiply_add(float (&sums)[4], const LeftPart& left, const RightPart& right);
#define PERCALE_MULTIPLY_ADD(T, type)                                                                     \
  template <>                                                                                             \
  __device__ inline void multiply_add<T>(float(&sums)[4], const LeftPart& left, const RightPart& right) { \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                   \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                   \
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                             \
                 : "r"(left.words[0]), "r"(left.words[1]), "r"(left.words[2]), "r"(left.words[3]),        \
                   "r"(right.words[0]), "r"(right.words[1]));                                             \
  }
PERCALE_MULTIPLY_ADD(F16, "f16")
PERCALE_MULTIPLY_ADD(BF16, "bf16")
#endif

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_TENSOR_CUH_
