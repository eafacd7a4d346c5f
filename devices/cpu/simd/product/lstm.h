// LSTM of one sequence with packed weights. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_PRODUCT_LSTM_H_
#define PERCALE_DEVICES_CPU_SIMD_PRODUCT_LSTM_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"
#include "devices/cpu/simd/common/sizes.h"

namespace percale::simd {

// Units are processed in groups of sixteen: a step reads the four gates of sixteen units together
// and ends with their states. A layout [units, 4, 16] below has the gates in the order of the
// weights: i, o, f, c. Values beyond the last unit are 0.
inline constexpr int64_t kLstmUnits = 16, kLstmGates = 4;

// Returns the bytes of a matrix [4 * hidden, k] of f32 or bf16, packed for one direction. Its
// layout: per sixteen units, per column, [4, 16]; for bf16, per two columns, whose values are
// adjacent.
constexpr int64_t lstm_packed_bytes(int64_t hidden, int64_t k, bool bf16) {
  return ceil_div(hidden, kLstmUnits) * (bf16 ? ceil_div(k, 2) : k) * kLstmGates * kLstmUnits * 4;
}

// T is the type of the weights: f32, or the bits of bf16. The arithmetic is in f32.
template <class T>
struct LstmFnsOf {
  // gates = x w^T + bias. x is [rows, k], w packed, bias [units, 4, 16], gates [rows, units, 4,
  // 16].
  void (*project)(const float* x, int64_t rows, int64_t k, const T* w, const float* bias, int64_t hidden, float* gates,
                  const ParallelFor& parallel);
  // One step: g = gates + h r^T, c = sigmoid(f) c + sigmoid(i) tanh(c'),
  // h_next = sigmoid(o) tanh(c), where i, o, f, c' are the gates in g. `gates` is
  // [units, 4, 16], r packed; c and h_next have
  // space for complete groups of sixteen. With `backwards`, r is read from its end: if every other
  // step does so, it finds in the cache what the previous step read last. The bits do not depend on
  // it.
  void (*step)(const float* gates, const float* h, const T* r, int64_t hidden, float* c, float* h_next, bool backwards,
               const ParallelFor& parallel);
};
struct LstmFns {
  LstmFnsOf<float> f32;
  LstmFnsOf<uint16_t> bf16;
};
extern const LstmFns kLstmFns[kIsaCount], kPortableLstmFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_PRODUCT_LSTM_H_
