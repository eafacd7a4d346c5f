// The arguments of kernels, shared by host and device code. A kernel takes one of these structs by
// value. Both sides compile this file, so every member has a fixed size. Pointers are addresses of
// device memory, which the host never dereferences.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_

#include <cstddef>
#include <cstdint>

namespace percale::cuda {

struct Ptr {
  uint64_t address;
};

inline constexpr int kMaxDims = 8;

// The memory where kernels record an error. It lies on the host and is written by the one thread
// that finds the guard at 0.
struct ErrorWord {
  int32_t code;
  int32_t unused;
  int64_t detail;
  uint64_t run;
  int64_t mark;
};
struct ErrorPlace {
  Ptr guard;  // uint32_t on the device
  Ptr word;   // ErrorWord on the host
  uint64_t run;
  int64_t mark;
};
// The error codes of the library (percale_run_error).
inline constexpr int32_t kIndexOutOfRange = 102, kDivisionByZero = 103, kBadSize = 104, kNotPositive = 105,
                         kNotFinite = 106;

// A strided walk over several operands at once. It holds the dims, the innermost last, and each
// operand's strides in elements.
template <size_t kOperands>
struct Walk {
  int32_t rank;
  int32_t unused;
  int64_t dims[kMaxDims];
  int64_t strides[kOperands][kMaxDims];
};

// Sizes of a sliding window over images of up to three dims, right-aligned. For output o, tap k
// reads the input at o * stride + k * dilation - pad.
struct WindowArgs {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
};

// ---- elementwise

enum class UnaryOp : int32_t {
  kCopy,
  kNeg,
  kAbs,
  kSign,
  kSqrt,
  kExp,
  kLog,
  kReciprocal,
  kSin,
  kCos,
  kFloor,
  kCeil,
  kRound,
  kRelu,
  kLeakyRelu,
  kSigmoid,
  kTanh,
  kErf,
  kHardSigmoid,
  kHardSwish,
  kElu,
  kSelu,
  kCelu,
  kSoftplus,
  kSoftsign,
  kMish,
  kGelu,
  kGeluTanh,
  kSwish,
  kThresholdedRelu,
  kNot,
  kScale,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kBitwiseNot,
  // These return a bool. For kIsInf, alpha and beta select negative and positive infinities.
  kIsNan,
  kIsInf,
};
struct UnaryArgs {
  Ptr x, y;
  int64_t size;
  UnaryOp op;
  int32_t unused;
  double alpha, beta;
};

enum class BinaryOp : int32_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMax,
  kMin,
  kMod,
  kFmod,
  kReluGrad,
  // for Clip: keeps the operand unless it is below (kAtMost: above) the limit, including NaN and -0
  kAtLeast,
  kAtMost,
  kAnd,
  kOr,
  kXor,
  kEqual,
  kGreater,
  kLess,
  kGreaterOrEqual,
  kLessOrEqual,
  kShiftLeft,
  kShiftRight,
};
struct BinaryArgs {
  Ptr a, b, y;  // y: bool for comparisons
  int64_t size;
  BinaryOp op;
  // 1: `walk` holds the strides of a and b. 0: element i of both is used, or element 0 of an
  // operand whose step is 0.
  int32_t general;
  int32_t a_step, b_step;
  Walk<2> walk;
  ErrorPlace errors;
};

struct ClipArgs {
  Ptr x, low, high, y;  // limits: 0 if absent
  int64_t size;
};

struct WhereArgs {
  Ptr condition, a, b, y;
  int64_t size;
  Walk<3> walk;
};

// A group of elementwise nodes of f32, bf16 and f16, as a program that each thread executes for its
// elements. It has as many steps as the library puts nodes into a group. A group that is refused
// runs node by node.
enum class FusedType : int32_t { kF32, kBF16, kF16 };
inline constexpr int kMostFusedSteps = 64, kMostFusedInputs = 12, kMostFusedNumbers = 16, kMostFusedSlots = 8;
// The code of an operand: from each of these numbers on, it is an input, a constant of the program
// or the result of an earlier step.
inline constexpr uint8_t kFusedInput = 0, kFusedNumber = 64, kFusedSlot = 128;
struct FusedStep {
  uint8_t binary;  // 1: `op` is a BinaryOp, 0: a UnaryOp
  uint8_t op;
  uint8_t a, b;  // operands
  uint8_t slot;  // the slot of the result
  uint8_t f16;   // 1: rounds the result to f16; larger values become infinity
  uint8_t unused[2];
  float alpha, beta;
};
struct FusedInput {
  Ptr x;
  // Element i of the result reads element i / block * step + i % period / each.
  int64_t period, each;
  int64_t block, step;
  FusedType type;
  int32_t unused;
};
struct FusedArgs {
  Ptr y;
  int64_t size;
  int32_t steps;
  int32_t unused;
  FusedStep step[kMostFusedSteps];
  FusedInput input[kMostFusedInputs];
  float number[kMostFusedNumbers];
};

// The arguments of a group that is compiled into its own code.
struct FusedCodeArgs {
  Ptr y;
  int64_t size;
  // 1: every input as large as y is laid out so that several elements can be loaded at once
  int32_t packed;
  int32_t unused;
  Ptr input[kMostFusedInputs];
};

// Finds the first infinite or NaN element. `found` is the number of elements from there to the end,
// or 0 if there is none.
struct FiniteArgs {
  Ptr x, found;
  int64_t size;
  ErrorPlace errors;
};

// ---- cast

enum class PowerRound : int32_t { kUp, kDown, kNearest };
struct CastArgs {
  Ptr x, y;
  int64_t size;
  int32_t from, to;  // percale_dtype
  // 1: values too large for a float8 become its largest value, else infinity or NaN
  int32_t saturate;
  PowerRound round;  // for f8e8m0
};

// ---- reduce

enum class ReduceOp : int32_t { kSum, kMean, kMax, kMin, kProd };
struct ReduceArgs {
  Ptr x, y, partial;       // partial: accumulators [outputs, pieces]
  int64_t outputs, count;  // elements of each output
  int64_t pieces;          // pieces that each sum is cut into; with 1, y is written directly
  ReduceOp op;
  // 1: the second step, which combines `pieces` accumulators of `partial` into each element of y
  int32_t last;
  Walk<1> kept, reduced;
};

// ---- layout

// Copies y[to] = x[from] over a walk of both. The pointers include the offsets.
struct CopyArgs {
  Ptr x, y;
  int64_t size;
  Walk<2> walk;  // x, y
};
// y [batch, columns, rows] = x [batch, rows, columns]
struct TransposeArgs {
  Ptr x, y;
  int64_t batch, rows, columns;
};
struct FillArgs {
  Ptr y;
  int64_t size;
  uint64_t bits;
};

// ---- generate

struct RangeArgs {
  Ptr start, delta, y;
  int64_t size;
};
// y [outer, size, inner]: values[1] at the index given for [outer, inner], else values[0].
struct OneHotArgs {
  Ptr indices, values, y;
  int64_t outer, size, inner;
  int32_t dtype, unused;  // dtype of the indices: percale_dtype
};
// Matrices [batch, rows, columns]. Keeps the elements of x (or ones, without x) above, below or on
// a diagonal, and sets the others to zero.
struct DiagonalArgs {
  Ptr x, y, k;  // k: i64; if 0, `diagonal` is used
  int64_t batch, rows, columns;
  int64_t diagonal;
  uint64_t one;
  int32_t upper, unused;
};

// ---- random

// The counters of random numbers, besides the attributes of the node. They lie on the device,
// because a captured segment is replayed with different counters.
struct Draw {
  int64_t seed, step, first_row;
};
struct DrawArgs {
  Ptr place;
  Draw draw;
};
struct RandomArgs {
  Ptr y, draw;
  int64_t rows, row_size;
  uint64_t seed, id;  // of the node
  double low, high, mean, scale;
  int32_t normal, unused;
};
struct DropoutArgs {
  Ptr x, ratio, training, y, mask;  // 0 if absent
  Ptr draw;
  int64_t rows, row_size;
  uint64_t seed, id;            // of the node
  int32_t ratio_dtype, unused;  // percale_dtype
  ErrorPlace errors;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_
