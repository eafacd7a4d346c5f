// Elementwise functions on contiguous spans, and chains of them. simd.h documents the rules for all
// functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_ELEMENTWISE_H_
#define PERCALE_DEVICES_CPU_SIMD_ELEMENTWISE_H_

#include <cstdint>

#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// y[i] = f(x[i]). `a` and `b` are parameters of some of the functions.
enum class Unary : uint8_t {
  kCopy,
  kNeg,
  kAbs,
  kSquare,
  kReciprocal,
  kSqrt,
  kFloor,
  kCeil,
  kRound,        // half to even
  kRelu,         // max(x, 0)
  kLeakyRelu,    // x < 0 ? a x : x
  kClip,         // min(max(x, a), b)
  kAffine,       // fma(x, a, b)
  kHardSigmoid,  // max(0, min(1, fma(a, x, b)))
  kHardSwish,    // x max(0, min(1, fma(1/6, x, 1/2)))
  // f32 only:
  kExp,
  kLog,
  kSigmoid,
  kTanh,
  kErf,
  kSoftplus,  // log(1 + exp(x))
  kElu,       // x < 0 ? a (exp(x) - 1) : x
  kSilu,      // x sigmoid(a x)
  kGelu,      // x / 2 (1 + erf(x / sqrt 2))
  kGeluTanh,  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
  kCount
};

// z[i] = f(x[i], y[i])
enum class Binary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,  // NaN if either is NaN
  kMin,
  // Gradients; y is the incoming gradient.
  kReluGrad,       // x is relu's input or output: x <= 0 ? 0 : y
  kLeakyReluGrad,  // x is leaky_relu's input: x < 0 ? a y : y
  kSigmoidGrad,    // x is sigmoid's output: y x (1 - x)
  kTanhGrad,       // x is tanh's output: y (1 - x^2)
  kCount
};

template <class T>
using UnaryFn = void (*)(const T* x, T* y, int64_t count, T a, T b);
// If an operand's flag is set, the operand is one value for all elements.
template <class T>
using BinaryFn = void (*)(const T* x, bool x_scalar, const T* y, bool y_scalar, T* z, int64_t count, T a);

// An operand of a chain step: an input, an output or a temporary, by number. An input may be one
// value for all elements. Steps write outputs and temporaries only; an output may be read after it
// was written. kRegister is the result of the previous step, used by the next step only. It stays
// in registers, and both steps must be arithmetic.
struct ChainOperand {
  enum Kind : uint8_t { kInput, kScalarInput, kTemporary, kOutput, kRegister };
  Kind kind = kInput;
  uint8_t index = 0;
};

struct ChainStep {
  bool binary = false;
  Unary unary_op = Unary::kCopy;
  Binary binary_op = Binary::kAdd;
  ChainOperand x, y, to;  // y: binary steps only
  float a = 0, b = 0;
};

constexpr bool is_arithmetic(const ChainStep& step) { return step.binary || step.unary_op <= Unary::kHardSwish; }

inline constexpr int kMaxChainTemporaries = 12;
// The maximal length of a sequence of steps connected by kRegister.
inline constexpr int kMaxRegisterSteps = 32;

// The output of a function may be identical to one of its inputs; otherwise they must not overlap.
// An entry is null if there is no f64 version.
struct ElementwiseFns {
  UnaryFn<float> unary_f32[static_cast<int>(Unary::kCount)];
  BinaryFn<float> binary_f32[static_cast<int>(Binary::kCount)];
  UnaryFn<double> unary_f64[static_cast<int>(Unary::kCount)];
  BinaryFn<double> binary_f64[static_cast<int>(Binary::kCount)];

  // Runs the steps in order on tiles of 256 elements, so that temporaries (at most
  // kMaxChainTemporaries, numbered from 0) stay in L1. The bits equal those of running each step on
  // the whole span. An output may be identical to an input that no later step reads.
  void (*run_chain)(const ChainStep* steps, int64_t step_count, const float* const* inputs, float* const* outputs,
                    int64_t count);

  // y[i] = fma(x[i], scale, shift)
  void (*u8_to_f32)(const uint8_t* x, float* y, int64_t count, float scale, float shift);
};
extern const ElementwiseFns kElementwiseFns[kIsaCount], kPortableElementwiseFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_ELEMENTWISE_H_
