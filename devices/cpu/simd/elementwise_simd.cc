#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/elementwise_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/math-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/elementwise.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

constexpr int64_t kTile = 256;

// Applies f(value, a, b) to vectors.
template <class T, class F>
void map(const T* x, T* y, int64_t count, T a, T b) {
  constexpr int64_t kW = kLanes<T>;
  const Vec<T> va = set<T>(a), vb = set<T>(b);
  int64_t i = 0;
  for (; i + kW <= count; i += kW) store<T>(F()(load<T>(x + i), va, vb), y + i);
  if (i < count) store_n<T>(F()(load_n<T>(x + i, count - i), va, vb), y + i, count - i);
}

// Applies f(x, y, a) to vectors.
template <class T, class F>
void zip(const T* x, bool x_scalar, const T* y, bool y_scalar, T* z, int64_t count, T a) {
  constexpr int64_t kW = kLanes<T>;
  if (count == 0) return;
  const Vec<T> va = set<T>(a);
  int64_t i = 0;
  if (!x_scalar && !y_scalar) {
    for (; i + kW <= count; i += kW) store<T>(F()(load<T>(x + i), load<T>(y + i), va), z + i);
    const int64_t n = count - i;
    if (n) store_n<T>(F()(load_n<T>(x + i, n), load_n<T>(y + i, n), va), z + i, n);
  } else if (x_scalar) {
    const Vec<T> vx = set<T>(*x), one_y = set<T>(*y);
    const auto second = [&](int64_t at, int64_t n) HWY_ATTR {
      return y_scalar ? one_y : n < kW ? load_n<T>(y + at, n) : load<T>(y + at);
    };
    for (; i + kW <= count; i += kW) store<T>(F()(vx, second(i, kW), va), z + i);
    if (i < count) store_n<T>(F()(vx, second(i, count - i), va), z + i, count - i);
  } else {
    const Vec<T> vy = set<T>(*y);
    for (; i + kW <= count; i += kW) store<T>(F()(load<T>(x + i), vy, va), z + i);
    if (i < count) store_n<T>(F()(load_n<T>(x + i, count - i), vy, va), z + i, count - i);
  }
}

// x / (1 + exp(-z)). The result is 0 or -0 where the factor is below 1e-35.
HWY_INLINE VF gated(VF x, VF z) {
  const VF one = set<float>(1.0f), e = exp_of_negative(hn::Neg(hn::Abs(z)));
  return hn::Mul(x, hn::Div(hn::IfThenElse(hn::Lt(z, zero<float>()), e, one), hn::Add(one, e)));
}
// x Phi(x). Phi(-|x|) = (1 - erf(|x| / sqrt 2)) / 2 is the exponential of a polynomial, so that its
// error is relative to Phi(-|x|).
HWY_INLINE VF gelu(VF x) {
  const VF a = hn::Abs(x);
  const VF tail =
      exp_of_negative(poly(a, -1.921440571e-6f, 2.676989243e-5f, -1.265324972e-4f, -1.011091226e-4f, 4.904342815e-3f,
                           -3.639371321e-2f, -0.3182965815f, -0.7978857160f, -0.6931471825f));
  return hn::Mul(x, hn::IfThenElse(hn::Lt(x, zero<float>()), tail, hn::Sub(set<float>(1.0f), tail)));
}
// x / 2 (1 + tanh z) = x sigmoid(2 z), which avoids cancellation.
HWY_INLINE VF gelu_tanh(VF x) {
  const VF z = hn::Mul(x, mul_add(hn::Mul(x, x), set<float>(0.0713548163f), set<float>(1.5957691216f)));
  return gated(x, z);
}

#define PERCALE_UNARY(name, expression)                                                               \
  template <class T>                                                                                  \
  struct name {                                                                                       \
    using V = Vec<T>;                                                                                 \
    HWY_INLINE V operator()([[maybe_unused]] V x, [[maybe_unused]] V a, [[maybe_unused]] V b) const { \
      return expression;                                                                              \
    }                                                                                                 \
  };
PERCALE_UNARY(Copy, x)
PERCALE_UNARY(Neg, hn::Neg(x))
PERCALE_UNARY(Abs, hn::Abs(x))
PERCALE_UNARY(Square, hn::Mul(x, x))
PERCALE_UNARY(Reciprocal, hn::Div(set<T>(T{1}), x))
PERCALE_UNARY(Sqrt, hn::Sqrt(x))
PERCALE_UNARY(Floor, hn::Floor(x))
PERCALE_UNARY(Ceil, hn::Ceil(x))
PERCALE_UNARY(Round, hn::Round(x))
PERCALE_UNARY(Relu, relu<T>(x))
PERCALE_UNARY(LeakyRelu, hn::IfThenElse(hn::Lt(x, zero<T>()), hn::Mul(a, x), x))
PERCALE_UNARY(Clip, clamp(x, a, b))
PERCALE_UNARY(Affine, mul_add(x, a, b))
PERCALE_UNARY(HardSigmoid, clamp(mul_add(a, x, b), zero<T>(), set<T>(T{1})))
PERCALE_UNARY(HardSwish, hn::Mul(x, clamp(mul_add(set<T>(T{1} / T{6}), x, set<T>(T{0.5})), zero<T>(), set<T>(T{1}))))
PERCALE_UNARY(Exp, exp(x))
PERCALE_UNARY(Log, log(x))
PERCALE_UNARY(Sigmoid, sigmoid(x))
PERCALE_UNARY(Tanh, tanh(x))
PERCALE_UNARY(Erf, erf(x))
PERCALE_UNARY(Softplus, softplus(x))
PERCALE_UNARY(Elu, hn::IfThenElse(hn::Lt(x, zero<T>()), hn::Mul(a, expm1(x)), x))
PERCALE_UNARY(Silu, gated(x, hn::Mul(a, x)))
PERCALE_UNARY(Gelu, gelu(x))
PERCALE_UNARY(GeluTanh, gelu_tanh(x))
#undef PERCALE_UNARY

#define PERCALE_BINARY(name, expression)                                                 \
  template <class T>                                                                     \
  struct name {                                                                          \
    using V = Vec<T>;                                                                    \
    HWY_INLINE V operator()(V x, V y, [[maybe_unused]] V a) const { return expression; } \
  };
PERCALE_BINARY(Add, hn::Add(x, y))
PERCALE_BINARY(Sub, hn::Sub(x, y))
PERCALE_BINARY(Mul, hn::Mul(x, y))
PERCALE_BINARY(Div, hn::Div(x, y))
PERCALE_BINARY(Max, max_nan(x, y))
PERCALE_BINARY(Min, min_nan(x, y))
PERCALE_BINARY(ReluGrad, hn::IfThenElse(hn::Le(x, zero<T>()), zero<T>(), y))
PERCALE_BINARY(LeakyReluGrad, hn::IfThenElse(hn::Lt(x, zero<T>()), hn::Mul(a, y), y))
PERCALE_BINARY(SigmoidGrad, hn::Mul(hn::Mul(y, x), hn::Sub(set<T>(T{1}), x)))
PERCALE_BINARY(TanhGrad, hn::Mul(y, neg_mul_add(x, x, set<T>(T{1}))))
#undef PERCALE_BINARY

// In the order of the enums.
#define PERCALE_EACH_ARITHMETIC(F) \
  F(Copy)                          \
  F(Neg)                           \
  F(Abs)                           \
  F(Square)                        \
  F(Reciprocal) F(Sqrt) F(Floor) F(Ceil) F(Round) F(Relu) F(LeakyRelu) F(Clip) F(Affine) F(HardSigmoid) F(HardSwish)
#define PERCALE_EACH_BINARY(F) \
  F(Add) F(Sub) F(Mul) F(Div) F(Max) F(Min) F(ReluGrad) F(LeakyReluGrad) F(SigmoidGrad) F(TanhGrad)
#define PERCALE_MAP(name) map<T, name<T>>,
#define PERCALE_ZIP(name) zip<T, name<T>>,

constexpr int kArithmeticCount = static_cast<int>(Unary::kHardSwish) + 1,
              kBinaryCount = static_cast<int>(Binary::kCount);
#define PERCALE_ONE(name) +1
static_assert(0 PERCALE_EACH_ARITHMETIC(PERCALE_ONE) == kArithmeticCount);
static_assert(0 PERCALE_EACH_BINARY(PERCALE_ONE) == kBinaryCount);
// Lengths are explicit, because clang does not accept a deduced length in a constant expression
// here.
template <class T>
constexpr UnaryFn<T> kArithmetic[kArithmeticCount] = {PERCALE_EACH_ARITHMETIC(PERCALE_MAP)};
constexpr UnaryFn<float> kTranscendental[] = {
    map<float, Exp<float>>,  map<float, Log<float>>,      map<float, Sigmoid<float>>, map<float, Tanh<float>>,
    map<float, Erf<float>>,  map<float, Softplus<float>>, map<float, Elu<float>>,     map<float, Silu<float>>,
    map<float, Gelu<float>>, map<float, GeluTanh<float>>};
static_assert(sizeof(kTranscendental) / sizeof(UnaryFn<float>) + kArithmeticCount == static_cast<int>(Unary::kCount));
template <class T>
constexpr BinaryFn<T> kZips[kBinaryCount] = {PERCALE_EACH_BINARY(PERCALE_ZIP)};

constexpr UnaryFn<float> unary_of(int op) {
  return op < kArithmeticCount ? kArithmetic<float>[op] : kTranscendental[op - kArithmeticCount];
}

// The number of vectors that a sequence of steps in registers processes at once. With the other
// operands, they take half of the registers.
constexpr int kRegisterVectors = kL == 16 ? 8 : 4;

// Runs a sequence of steps, each on the result of the previous one, on `n` <= kVectors * kL
// elements. A partial vector is processed alone (kVectors is 1). `x` is the first operand of the
// first step. `others` has, per step, the operand that is not in a register, or null.
template <int kVectors>
HWY_INLINE void run_in_registers(const ChainStep* steps, int64_t step_count, const float* x, const float* const* others,
                                 float* to, int64_t at, int64_t n) {
  const auto read = [&](const float* from, bool one, int j) HWY_ATTR {
    if (one) return set<float>(*from);
    return kVectors == 1 ? load_n<float>(from + at, n) : load<float>(from + at + j * kL);
  };
  VF current[kVectors], other[kVectors];
  const bool x_scalar = steps[0].x.kind == ChainOperand::kScalarInput;
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) current[j] = read(x, x_scalar, j);
  for (int64_t i = 0; i < step_count; ++i) {
    const ChainStep& s = steps[i];
    const VF a = set<float>(s.a), b = set<float>(s.b);
    const bool x_in_register = i == 0 || s.x.kind == ChainOperand::kRegister;
    if (s.binary && others[i] != nullptr) {
      const bool one = (x_in_register ? s.y : s.x).kind == ChainOperand::kScalarInput;
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) other[j] = read(others[i], one, j);
    } else {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) other[j] = current[j];
    }
#define PERCALE_UNARY(name)                                                                                  \
  case static_cast<int>(Unary::k##name):                                                                     \
    _Pragma("GCC unroll 8") for (int j = 0; j < kVectors; ++j) current[j] = name<float>()(current[j], a, b); \
    break;
#define PERCALE_BINARY(name)                                                                                        \
  case static_cast<int>(Unary::kCount) + 2 * static_cast<int>(Binary::k##name):                                     \
    _Pragma("GCC unroll 8") for (int j = 0; j < kVectors; ++j) current[j] = name<float>()(current[j], other[j], a); \
    break;                                                                                                          \
  case static_cast<int>(Unary::kCount) + 2 * static_cast<int>(Binary::k##name) + 1:                                 \
    _Pragma("GCC unroll 8") for (int j = 0; j < kVectors; ++j) current[j] = name<float>()(other[j], current[j], a); \
    break;
    switch (s.binary ? static_cast<int>(Unary::kCount) + 2 * static_cast<int>(s.binary_op) + (x_in_register ? 0 : 1)
                     : static_cast<int>(s.unary_op)) {
      PERCALE_EACH_ARITHMETIC(PERCALE_UNARY)
      PERCALE_EACH_BINARY(PERCALE_BINARY)
      default: break;
    }
#undef PERCALE_UNARY
#undef PERCALE_BINARY
  }
  if (kVectors == 1) return store_n<float>(current[0], to + at, n);
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; ++j) store<float>(current[j], to + at + j * kL);
}

void run_chain(const ChainStep* steps, int64_t step_count, const float* const* inputs, float* const* outputs,
               int64_t count) {
  alignas(64) float temporaries[kMaxChainTemporaries][kTile];
  for (int64_t begin = 0; begin < count; begin += kTile) {
    const int64_t n = min_of(kTile, count - begin);
    const auto read = [&](const ChainOperand& o) -> const float* {
      switch (o.kind) {
        case ChainOperand::kInput: return inputs[o.index] + begin;
        case ChainOperand::kScalarInput: return inputs[o.index];
        case ChainOperand::kTemporary: return temporaries[o.index];
        case ChainOperand::kRegister: return nullptr;
        case ChainOperand::kOutput: break;
      }
      return outputs[o.index] + begin;
    };
    const auto other_of = [&](int64_t i, bool is_first) -> const float* {
      const ChainStep& s = steps[i];
      return !s.binary ? nullptr : read(is_first || s.x.kind == ChainOperand::kRegister ? s.y : s.x);
    };
    for (int64_t i = 0; i < step_count; ++i) {
      const float* others[kMaxRegisterSteps];
      const int64_t first = i;
      for (; steps[i].to.kind == ChainOperand::kRegister; ++i) others[i - first] = other_of(i, i == first);
      const ChainStep& s = steps[i];
      float* to = s.to.kind == ChainOperand::kTemporary ? temporaries[s.to.index] : outputs[s.to.index] + begin;
      if (i > first) {
        others[i - first] = other_of(i, false);
        constexpr int64_t kBlock = kRegisterVectors * kL;
        const float* x = read(steps[first].x);
        int64_t at = 0;
        for (; at + kBlock <= n; at += kBlock) {
          run_in_registers<kRegisterVectors>(steps + first, i - first + 1, x, others, to, at, kBlock);
        }
        for (; at < n; at += kL)
          run_in_registers<1>(steps + first, i - first + 1, x, others, to, at, min_of(kL, n - at));
        continue;
      }
      const bool x_scalar = s.x.kind == ChainOperand::kScalarInput;
      if (s.binary) {
        kZips<float>[static_cast<int>(s.binary_op)](read(s.x), x_scalar, read(s.y),
                                                    s.y.kind == ChainOperand::kScalarInput, to, n, s.a);
        continue;
      }
      const UnaryFn<float> f = unary_of(static_cast<int>(s.unary_op));
      if (!x_scalar) {
        f(read(s.x), to, n, s.a, s.b);
        continue;
      }
      float value = 0;  // computes one value, then fills `to` with it
      f(read(s.x), &value, 1, s.a, s.b);
      for (int64_t j = 0; j < n; ++j) to[j] = value;
    }
  }
}

void u8_to_f32(const uint8_t* x, float* y, int64_t count, float scale, float shift) {
  const Tag<float> d;
  const hn::Rebind<uint8_t, Tag<float>> bytes;
  const Int ints;
  const VF vs = set<float>(scale), vt = set<float>(shift);
  const auto convert = [&](const uint8_t* from) HWY_ATTR {
    return mul_add(hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(bytes, from))), vs, vt);
  };
  int64_t i = 0;
  for (; i + kL <= count; i += kL) store<float>(convert(x + i), y + i);
  if (i < count) {
    uint8_t rest[kL] = {};
    std::memcpy(rest, x + i, static_cast<size_t>(count - i));
    store_n<float>(convert(rest), y + i, count - i);
  }
}

constexpr ElementwiseFns make_fns() {
  ElementwiseFns f = {};
  for (int i = 0; i < static_cast<int>(Unary::kCount); ++i) f.unary_f32[i] = unary_of(i);
  for (int i = 0; i < kArithmeticCount; ++i) f.unary_f64[i] = kArithmetic<double>[i];
  for (int i = 0; i < kBinaryCount; ++i) {
    f.binary_f32[i] = kZips<float>[i];
    f.binary_f64[i] = kZips<double>[i];
  }
  f.run_chain = run_chain;
  f.u8_to_f32 = u8_to_f32;
  return f;
}

}  // namespace

constexpr ElementwiseFns kFns = make_fns();

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(ElementwiseFns);
}  // namespace percale::simd
#endif
