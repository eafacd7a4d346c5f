// LSTM of one sequence, whose weights were packed ahead. See simd.h for what holds for every function of this folder.
#ifndef PERCALE_DEVICES_CPU_SIMD_PRODUCT_LSTM_H_
#define PERCALE_DEVICES_CPU_SIMD_PRODUCT_LSTM_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"
#include "devices/cpu/simd/common/sizes.h"

namespace percale::simd {

// Units go by sixteens: a step reads the four gates of sixteen units side by side and ends with their states. What is said
// here to be [units, 4, 16] has the gates in the order of the weights, i, o, f, c; units behind the last are 0.
inline constexpr int64_t kLstmUnits = 16, kLstmGates = 4;

// Bytes of a matrix [4 * hidden, k] of f32 or bf16 packed for one direction: for each sixteen units, for each column (bf16: for
// each two columns, which lie side by side) [4, 16].
constexpr int64_t lstm_packed_bytes(int64_t hidden, int64_t k, bool bf16) {
  return ceil_div(hidden, kLstmUnits) * (bf16 ? ceil_div(k, 2) : k) * kLstmGates * kLstmUnits * 4;
}

// By the type of the weights, f32 or the bits of bf16; the arithmetic is in f32.
template <class T>
struct LstmFnsOf {
  // gates = x w^T + bias. x [rows, k]; w packed; bias [units, 4, 16]; gates [rows, units, 4, 16].
  void (*project)(const float* x, int64_t rows, int64_t k, const T* w, const float* bias, int64_t hidden, float* gates,
                  const ParallelFor& parallel);
  // One step: gates + h r^T, then c = sigmoid(f) c + sigmoid(i) tanh(c'), h_next = sigmoid(o) tanh(c). gates
  // [units, 4, 16]; r packed; c and h_next have room for all sixteens. With `backwards` r is read from its end: every other
  // step finds in the cache what the one before it read last. No bit depends on it.
  void (*step)(const float* gates, const float* h, const T* r, int64_t hidden, float* c, float* h_next, bool backwards,
               const ParallelFor& parallel);
};
struct LstmFns {
  LstmFnsOf<float> f32;
  LstmFnsOf<uint16_t> bf16;
};
extern const LstmFns kLstmFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_PRODUCT_LSTM_H_
