// Functions of one and of two floats, selected by their codes. Used by elementwise.cu and by groups
// that are compiled at run time.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_ELEMENTWISE_CUH_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_ELEMENTWISE_CUH_

#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {

template <class T>
__device__ inline T unary_float(UnaryOp op, T x, T alpha, T beta) {
  const T one = static_cast<T>(1), zero = static_cast<T>(0);
  switch (op) {
    case UnaryOp::kNeg: return -x;
    case UnaryOp::kAbs: return fabs(x);
    // NaN and zeros are unchanged.
    case UnaryOp::kSign: return x > zero ? one : x < zero ? -one : x;
    case UnaryOp::kSqrt: return sqrt(x);
    case UnaryOp::kExp: return exp(x);
    case UnaryOp::kLog: return log(x);
    case UnaryOp::kReciprocal: return one / x;
    case UnaryOp::kSin: return sin(x);
    case UnaryOp::kCos: return cos(x);
    case UnaryOp::kFloor: return floor(x);
    case UnaryOp::kCeil: return ceil(x);
    case UnaryOp::kRound: return rint(x);
    case UnaryOp::kRelu: return x < zero ? zero : x;
    case UnaryOp::kLeakyRelu: return x < zero ? alpha * x : x;
    case UnaryOp::kSigmoid: return one / (one + exp(-x));
    case UnaryOp::kTanh: return tanh(x);
    case UnaryOp::kErf: return erf(x);
    case UnaryOp::kHardSigmoid: {
      const T line = alpha * x + beta, raised = line < zero ? zero : line;
      return raised > one ? one : raised;
    }
    case UnaryOp::kHardSwish: {
      const T line = x / static_cast<T>(6) + static_cast<T>(0.5), raised = line < zero ? zero : line;
      return x * (raised > one ? one : raised);
    }
    case UnaryOp::kElu: return x < zero ? alpha * expm1(x) : x;
    case UnaryOp::kSelu: return x > zero ? beta * x : beta * (alpha * expm1(x));
    case UnaryOp::kCelu: return x < zero ? alpha * expm1(x / alpha) : x;
    case UnaryOp::kSoftplus: return (x > zero ? x : zero) + log1p(exp(-fabs(x)));
    case UnaryOp::kSoftsign: return x / (one + fabs(x));
    case UnaryOp::kMish: return x * tanh((x > zero ? x : zero) + log1p(exp(-fabs(x))));
    case UnaryOp::kGelu: return static_cast<T>(0.5) * x * (one + erf(x * static_cast<T>(0.70710678118654752440)));
    case UnaryOp::kGeluTanh: {
      const T inner = static_cast<T>(0.79788456080286535588) * (x + static_cast<T>(0.044715) * x * x * x);
      return static_cast<T>(0.5) * x * (one + tanh(inner));
    }
    case UnaryOp::kSwish: return x / (one + exp(-alpha * x));
    case UnaryOp::kThresholdedRelu: return x > alpha ? x : x != x ? x : zero;
    case UnaryOp::kScale: return x * alpha;
    case UnaryOp::kTan: return tan(x);
    case UnaryOp::kAsin: return asin(x);
    case UnaryOp::kAcos: return acos(x);
    case UnaryOp::kAtan: return atan(x);
    case UnaryOp::kSinh: return sinh(x);
    case UnaryOp::kCosh: return cosh(x);
    case UnaryOp::kAsinh: return asinh(x);
    case UnaryOp::kAcosh: return acosh(x);
    case UnaryOp::kAtanh: return atanh(x);
    default: return x;
  }
}

template <class T>
__device__ inline T binary_float(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSub: return a - b;
    case BinaryOp::kMul: return a * b;
    case BinaryOp::kDiv: return a / b;
    case BinaryOp::kPow: return pow(a, b);
    case BinaryOp::kMax: return a > b || a != a ? a : b;
    case BinaryOp::kMin: return a < b || a != a ? a : b;
    case BinaryOp::kFmod: return fmod(a, b);
    case BinaryOp::kReluGrad: return b <= static_cast<T>(0) ? static_cast<T>(0) : a;
    case BinaryOp::kAtLeast: return a < b ? b : a;
    case BinaryOp::kAtMost: return a > b ? b : a;
    default: return a;
  }
}

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_ELEMENTWISE_CUH_
