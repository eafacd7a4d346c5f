// Elementwise functions of one, two and three operands. The op is an argument, so one kernel serves
// all ops of a type. These kernels are bound by memory bandwidth, and all threads take the same
// branch.
#include "devices/cuda/kernels/common/elementwise.cuh"

namespace percale::cuda {
namespace {

// ---- One operand

template <class T>
__device__ T unary_integer(UnaryOp op, T x) {
  const T zero = 0;
  switch (op) {
    case UnaryOp::kNeg: return static_cast<T>(0u - static_cast<uint64_t>(x));
    case UnaryOp::kAbs: return x < zero ? static_cast<T>(0u - static_cast<uint64_t>(x)) : x;
    case UnaryOp::kSign: return static_cast<T>((x > zero) - (x < zero));
    case UnaryOp::kRelu: return x < zero ? zero : x;
    case UnaryOp::kNot: return static_cast<T>(x == zero);
    case UnaryOp::kBitwiseNot: return static_cast<T>(~static_cast<uint64_t>(x));
    default: return x;
  }
}

template <class T>
__device__ T unary_of(const UnaryArgs& a, T x) {
  if constexpr (IsFloat<Wide<T>>::value) {
    return narrow<T>(unary_float<Wide<T>>(a.op, widen(x), static_cast<Wide<T>>(a.alpha), static_cast<Wide<T>>(a.beta)));
  } else {
    return unary_integer<T>(a.op, x);
  }
}

// Processes 16 bytes at a time if both addresses are aligned, which is the rule: the library aligns
// memory to 64 bytes.
template <class T>
__device__ void unary(const UnaryArgs& a) {
  constexpr int kCount = 16 / sizeof(T);
  using Items = Pack<T, kCount>;
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  const int64_t packs = (a.x.address | a.y.address) % sizeof(Items) == 0 ? a.size / kCount : 0;
  for (int64_t i = thread_number(); i < packs; i += thread_count()) {
    Items items = reinterpret_cast<const Items*>(x)[i];
    for (int k = 0; k < kCount; ++k) items.items[k] = unary_of(a, items.items[k]);
    reinterpret_cast<Items*>(y)[i] = items;
  }
  for (int64_t i = packs * kCount + thread_number(); i < a.size; i += thread_count()) y[i] = unary_of(a, x[i]);
}

// For finite values, x - x is 0.
template <class T>
__device__ void test(const UnaryArgs& a) {
  const T* x = at<const T>(a.x);
  uint8_t* y = at<uint8_t>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    const Wide<T> value = widen(x[i]);
    if (a.op == UnaryOp::kIsNan) {
      y[i] = value != value;
    } else {
      y[i] = value == value && value - value != 0 && (value < 0 ? a.alpha : a.beta) != 0;
    }
  }
}

// The maximum of integers does not depend on their order.
template <class T>
__device__ void find_not_finite(const FiniteArgs& a) {
  const T* x = at<const T>(a.x);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    const Wide<T> value = widen(x[i]);
    if (value - value != 0) atomicMax(at<unsigned long long>(a.found), static_cast<unsigned long long>(a.size - i));
  }
}

// ---- Two operands

// Powers of integers, which wrap. A negative exponent gives 1 / x^|e|, truncated towards zero, and
// an error if x is 0.
template <class T>
__device__ T power(const BinaryArgs& args, T x, T e, int64_t i) {
  if (e < static_cast<T>(0)) {
    if (x == static_cast<T>(0)) fail(args.errors, kDivisionByZero, i);
    if (x == static_cast<T>(1)) return x;
    if (x == static_cast<T>(-1)) return static_cast<uint64_t>(e) & 1 ? x : static_cast<T>(1);
    return 0;
  }
  uint64_t out = 1, base = static_cast<uint64_t>(x);
  for (uint64_t n = static_cast<uint64_t>(e); n != 0; n >>= 1) {
    if (n & 1) out *= base;
    base *= base;
  }
  return static_cast<T>(out);
}

// The ops that divide.
template <class T>
__device__ T divided(const BinaryArgs& args, T a, T b, int64_t i) {
  if (b == static_cast<T>(0)) {
    fail(args.errors, kDivisionByZero, i);
    return 0;
  }
  // The smallest integer has no negation. For unsigned types, -1 is the largest value.
  if (static_cast<T>(-1) < static_cast<T>(0) && b == static_cast<T>(-1)) {
    return args.op == BinaryOp::kDiv ? static_cast<T>(0u - static_cast<uint64_t>(a)) : static_cast<T>(0);
  }
  if (args.op == BinaryOp::kDiv) return static_cast<T>(a / b);
  const T rest = static_cast<T>(a % b);
  if (args.op == BinaryOp::kMod && rest != static_cast<T>(0) && (rest < static_cast<T>(0)) != (b < static_cast<T>(0))) {
    return static_cast<T>(rest + b);
  }
  return rest;
}

template <class T>
__device__ T binary_integer(const BinaryArgs& args, T a, T b, int64_t i) {
  const uint64_t wide_a = static_cast<uint64_t>(a), wide_b = static_cast<uint64_t>(b);
  switch (args.op) {
    case BinaryOp::kAdd: return static_cast<T>(wide_a + wide_b);
    case BinaryOp::kSub: return static_cast<T>(wide_a - wide_b);
    case BinaryOp::kMul: return static_cast<T>(wide_a * wide_b);
    case BinaryOp::kPow: return power(args, a, b, i);
    case BinaryOp::kMax: return a > b ? a : b;
    case BinaryOp::kMin: return a < b ? a : b;
    case BinaryOp::kReluGrad: return b <= static_cast<T>(0) ? static_cast<T>(0) : a;
    case BinaryOp::kAnd: return static_cast<T>(wide_a & wide_b);
    case BinaryOp::kOr: return static_cast<T>(wide_a | wide_b);
    case BinaryOp::kXor: return static_cast<T>(wide_a ^ wide_b);
    case BinaryOp::kShiftLeft: return wide_b < 8 * sizeof(T) ? static_cast<T>(wide_a << wide_b) : static_cast<T>(0);
    case BinaryOp::kShiftRight: return wide_b < 8 * sizeof(T) ? static_cast<T>(wide_a >> wide_b) : static_cast<T>(0);
    default: return divided(args, a, b, i);
  }
}

template <class T>
__device__ bool compared(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kEqual: return a == b;
    case BinaryOp::kGreater: return a > b;
    case BinaryOp::kLess: return a < b;
    case BinaryOp::kGreaterOrEqual: return a >= b;
    default: return a <= b;
  }
}

template <class T>
__device__ T binary_of(const BinaryArgs& args, T a, T b, int64_t i) {
  if constexpr (IsFloat<Wide<T>>::value) {
    return narrow<T>(binary_float<Wide<T>>(args.op, widen(a), widen(b)));
  } else {
    return binary_integer<T>(args, a, b, i);
  }
}

template <class T, class Out, class F>
__device__ void each_pair(const BinaryArgs& args, F f) {
  const T *a = at<const T>(args.a), *b = at<const T>(args.b);
  Out* y = at<Out>(args.y);
  for (int64_t i = thread_number(); i < args.size; i += thread_count()) {
    if (args.general) {
      int64_t offsets[2];
      locate(args.walk, i, offsets);
      y[i] = f(a[offsets[0]], b[offsets[1]], i);
    } else {
      y[i] = f(a[args.a_step ? i : 0], b[args.b_step ? i : 0], i);
    }
  }
}

template <class T>
__device__ void binary(const BinaryArgs& args) {
  constexpr int kCount = 16 / sizeof(T);
  using Items = Pack<T, kCount>;
  const bool packed = !args.general && args.a_step && args.b_step &&
                      (args.a.address | args.b.address | args.y.address) % sizeof(Items) == 0;
  if (!packed) {
    each_pair<T, T>(args, [&](T a, T b, int64_t i) { return binary_of(args, a, b, i); });
    return;
  }
  const T *a = at<const T>(args.a), *b = at<const T>(args.b);
  T* y = at<T>(args.y);
  const int64_t packs = args.size / kCount;
  for (int64_t i = thread_number(); i < packs; i += thread_count()) {
    Items left = reinterpret_cast<const Items*>(a)[i];
    const Items right = reinterpret_cast<const Items*>(b)[i];
    for (int k = 0; k < kCount; ++k) left.items[k] = binary_of(args, left.items[k], right.items[k], i * kCount + k);
    reinterpret_cast<Items*>(y)[i] = left;
  }
  for (int64_t i = packs * kCount + thread_number(); i < args.size; i += thread_count()) {
    y[i] = binary_of(args, a[i], b[i], i);
  }
}

template <class T>
__device__ void compare(const BinaryArgs& args) {
  each_pair<T, uint8_t>(args, [&](T a, T b, int64_t) -> uint8_t { return compared(args.op, widen(a), widen(b)); });
}

// ---- Groups

__device__ float fused_operand(const FusedArgs& a, const float* slots, uint8_t code, int64_t i) {
  if (code >= kFusedSlot) return slots[code - kFusedSlot];
  if (code >= kFusedNumber) return a.number[code - kFusedNumber];
  const FusedInput& input = a.input[code - kFusedInput];
  const int64_t k = input.period == a.size && input.each == 1 ? i
                    : input.period == 1                       ? 0
                                                              : i / input.block * input.step + i % input.period / input.each;
  switch (input.type) {
    case FusedType::kBF16: return widen(at<const BF16>(input.x)[k]);
    case FusedType::kF16: return widen(at<const F16>(input.x)[k]);
    default: return at<const float>(input.x)[k];
  }
}

// Rounds the result of each step to f32 or f16, as if it were stored. Results of bf16 stay f32
// until the end.
template <class T>
__device__ void fused(const FusedArgs& a) {
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    float slots[kMostFusedSlots];
    float value = 0;
    for (int s = 0; s < a.steps; ++s) {
      const FusedStep& step = a.step[s];
      const float x = fused_operand(a, slots, step.a, i);
      if (step.binary) {
        value = binary_float(static_cast<BinaryOp>(step.op), x, fused_operand(a, slots, step.b, i));
      } else {
        value = unary_float(static_cast<UnaryOp>(step.op), x, step.alpha, step.beta);
      }
      if (step.f16) value = widen(to_f16(value));
      slots[step.slot] = value;
    }
    y[i] = narrow<T>(value);
  }
}

// ---- Clip and Where

template <class T>
__device__ void clip(const ClipArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  Wide<T> low{}, high{};
  if (a.low.address != 0) low = widen(*at<const T>(a.low));
  if (a.high.address != 0) high = widen(*at<const T>(a.high));
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    Wide<T> value = widen(x[i]);
    if (a.low.address != 0 && value < low) value = low;  // as in kAtLeast and kAtMost
    if (a.high.address != 0 && value > high) value = high;
    y[i] = narrow<T>(value);
  }
}

template <class T>
__device__ void where(const WhereArgs& args) {
  const uint8_t* condition = at<const uint8_t>(args.condition);
  const T *a = at<const T>(args.a), *b = at<const T>(args.b);
  T* y = at<T>(args.y);
  for (int64_t i = thread_number(); i < args.size; i += thread_count()) {
    int64_t offsets[3];
    locate(args.walk, i, offsets);
    y[i] = condition[offsets[0]] ? a[offsets[1]] : b[offsets[2]];
  }
}

}  // namespace

#define PERCALE_UNARY(name, T) \
  PERCALE_KERNEL(percale_unary_##name, UnaryArgs, 256) { unary<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_UNARY)
#define PERCALE_TEST(name, T) \
  PERCALE_KERNEL(percale_test_##name, UnaryArgs, 256) { test<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_TEST)
#define PERCALE_NOT_FINITE(name, T) \
  PERCALE_KERNEL(percale_not_finite_##name, FiniteArgs, 256) { find_not_finite<T>(a); }
PERCALE_FLOAT_TYPES(PERCALE_NOT_FINITE)
PERCALE_KERNEL(percale_tell_not_finite, FiniteArgs, 32) {
  const int64_t found = static_cast<int64_t>(*at<const unsigned long long>(a.found));
  if (thread_number() == 0 && found > 0) fail(a.errors, kNotFinite, a.size - found);
}
#define PERCALE_BINARY(name, T) \
  PERCALE_KERNEL(percale_binary_##name, BinaryArgs, 256) { binary<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_BINARY)
#define PERCALE_COMPARE(name, T) \
  PERCALE_KERNEL(percale_compare_##name, BinaryArgs, 256) { compare<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_COMPARE)
#define PERCALE_CLIP(name, T) \
  PERCALE_KERNEL(percale_clip_##name, ClipArgs, 256) { clip<T>(a); }
PERCALE_NUMERIC_TYPES(PERCALE_CLIP)

PERCALE_KERNEL(percale_fused_f32, FusedArgs, 256) { fused<float>(a); }
PERCALE_KERNEL(percale_fused_bf16, FusedArgs, 256) { fused<BF16>(a); }
PERCALE_KERNEL(percale_fused_f16, FusedArgs, 256) { fused<F16>(a); }

PERCALE_KERNEL(percale_where_1, WhereArgs, 256) { where<uint8_t>(a); }
PERCALE_KERNEL(percale_where_2, WhereArgs, 256) { where<uint16_t>(a); }
PERCALE_KERNEL(percale_where_4, WhereArgs, 256) { where<uint32_t>(a); }
PERCALE_KERNEL(percale_where_8, WhereArgs, 256) { where<uint64_t>(a); }

}  // namespace percale::cuda
