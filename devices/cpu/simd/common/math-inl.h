// exp, log and related functions on vectors, compiled once per target. They use our own minimax
// polynomials, fitted with 40 digits, with explicit fused multiply-adds, so that every target with
// FMA gives the same bits. tests/unit/simd/elementwise_test.cc checks the error bounds. NaN gives
// NaN in every function.
#if defined(PERCALE_DEVICES_CPU_SIMD_COMMON_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERCALE_DEVICES_CPU_SIMD_COMMON_MATH_INL_H_
#undef PERCALE_DEVICES_CPU_SIMD_COMMON_MATH_INL_H_
#else
#define PERCALE_DEVICES_CPU_SIMD_COMMON_MATH_INL_H_
#endif

#include <limits>

#include "devices/cpu/simd/common/common-inl.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {

using VF = Vec<float>;
using Int = hn::RebindToSigned<Tag<float>>;
using VI = hn::Vec<Int>;

// Evaluates a polynomial by Horner's rule, highest coefficient first.
template <class... C>
HWY_INLINE VF poly(VF x, float first, C... rest) {
  VF sum = set<float>(first);
  ((sum = mul_add(sum, x, set<float>(rest))), ...);
  return sum;
}

// Returns the larger (smaller) value, or NaN if either is NaN, as NumPy's maximum (minimum).
template <class V>
HWY_INLINE V max_nan(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, larger(a, b));
}
template <class V>
HWY_INLINE V min_nan(V a, V b) {
  return hn::IfThenElse(hn::IsNaN(a), a, smaller(a, b));
}
// min(max(v, low), high). Keeps NaN, because larger() and smaller() return the second operand.
template <class V>
HWY_INLINE V clamp(V v, V low, V high) {
  return smaller(high, larger(low, v));
}

// exp(x) = 2^n e^r with n = round(x / ln 2), |r| <= ln 2 / 2. The parts are shared with expm1.
struct ExpParts {
  VF r, q;       // e^r = 1 + r + r^2 q
  VF low, high;  // 2^n = low * high
};
HWY_INLINE ExpParts exp_parts(VF x) {
  // Beyond these bounds, the result is infinite or rounds to 0.
  x = clamp(x, set<float>(-110.0f), set<float>(90.0f));
  const VF n = hn::Round(hn::Mul(x, set<float>(1.44269504f)));
  // Subtract n ln 2 in two parts, the first of 15 bits.
  VF r = neg_mul_add(n, set<float>(0.693145751953f), x);
  r = neg_mul_add(n, set<float>(1.42860682e-6f), r);
  const Tag<float> d;
  const Int di;
  const VI whole = hn::ConvertTo(di, n), half = hn::ShiftRight<1>(whole), bias = hn::Set(di, 127);
  ExpParts e;
  e.r = r;
  e.q = poly(r, 0.001392637612f, 0.008363333531f, 0.04166655242f, 0.1666657627f, 0.5f);
  e.low = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  e.high = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(whole, half), bias)));
  return e;
}
HWY_INLINE VF exp(VF x) {
  const ExpParts e = exp_parts(x);
  const VF p = hn::Add(mul_add(hn::Mul(e.r, e.r), e.q, e.r), set<float>(1.0f));
  return hn::Mul(hn::Mul(p, e.low), e.high);
}
// exp(x) for x <= 0. Below -87 the result is 0, because softmax uses it for differences from the
// maximum, and the sum then contains exp(0) = 1.
HWY_INLINE VF exp_of_negative(VF x) {
  const Tag<float> d;
  const Int di;
  // 1.5 * 2^23: adding it leaves the rounded integer in the low bits
  const VF round = set<float>(12582912.0f);
  const VF shifted = mul_add(x, set<float>(1.44269504f), round), n = hn::Sub(shifted, round);
  VF r = neg_mul_add(n, set<float>(0.693145751953f), x);
  r = neg_mul_add(n, set<float>(1.42860682e-6f), r);
  const VF q = poly(r, 0.001392637612f, 0.008363333531f, 0.04166655242f, 0.1666657627f, 0.5f);
  const VF p = hn::Add(mul_add(hn::Mul(r, r), q, r), set<float>(1.0f));
  const VI scaled = hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted)));
  return hn::IfThenZeroElse(hn::Lt(x, set<float>(-87.0f)), hn::BitCast(d, scaled));
}
// exp(x) - 1 without cancellation near 0.
HWY_INLINE VF expm1(VF x) {
  const ExpParts e = exp_parts(x);
  const VF p = mul_add(hn::Mul(e.r, e.r), e.q, e.r), one = set<float>(1.0f);
  const VF scale = hn::Mul(e.low, e.high);  // infinite only if the result is infinite, or nearly so
  const VF small = mul_add(scale, p, hn::Sub(scale, one));
  return hn::IfThenElse(hn::Gt(x, set<float>(88.0f)), hn::Mul(hn::Mul(hn::Add(p, one), e.low), e.high), small);
}

// log(x) with x = 2^e m, sqrt(1/2) <= m < sqrt(2).
HWY_INLINE VF log(VF x) {
  const Tag<float> d;
  const Int di;
  const VF least_normal = set<float>(1.17549435e-38f);
  const auto tiny = hn::Lt(x, least_normal);
  const VF scaled = hn::IfThenElse(tiny, hn::Mul(x, set<float>(8388608.0f)), x);
  const VI bits = hn::BitCast(di, scaled);
  // The addition carries into the exponent exactly if the mantissa is sqrt(2) or more.
  const VI shifted = hn::Add(bits, hn::Set(di, 0x3F800000 - 0x3F3504F3));
  VF e = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<23>(shifted), hn::Set(di, 127)));
  e = hn::Sub(e, hn::IfThenElseZero(tiny, set<float>(23.0f)));
  const VI mantissa = hn::Add(hn::And(shifted, hn::Set(di, 0x007FFFFF)), hn::Set(di, 0x3F3504F3));
  const VF f = hn::Sub(hn::BitCast(d, mantissa), set<float>(1.0f));
  const VF q = poly(f, -0.07902743667f, 0.1262231916f, -0.1299818307f, 0.1421449631f, -0.1664128155f, 0.2000104487f,
                    -0.2500030696f, 0.3333333135f);
  const VF ff = hn::Mul(f, f);
  VF tail = hn::Mul(hn::Mul(ff, f), q);
  tail = mul_add(e, set<float>(1.42860682e-6f), tail);
  tail = neg_mul_add(ff, set<float>(0.5f), tail);
  VF result = mul_add(e, set<float>(0.693145751953f), hn::Add(f, tail));
  const float inf = std::numeric_limits<float>::infinity();
  result = hn::IfThenElse(hn::Eq(x, zero<float>()), set<float>(-inf), result);
  result = hn::IfThenElse(hn::Lt(x, zero<float>()), set<float>(std::numeric_limits<float>::quiet_NaN()), result);
  // Infinity and NaN are returned unchanged.
  return hn::IfThenElse(hn::Lt(x, set<float>(inf)), result, x);
}
// log(1 + x) for x in [0, 1]; NaN for NaN. The rounding error of 1 + x is corrected to first order.
HWY_INLINE VF log1p_small(VF x) {
  const VF u = hn::Add(set<float>(1.0f), x);
  return hn::Add(log(u), hn::Div(hn::Sub(x, hn::Sub(u, set<float>(1.0f))), u));
}

HWY_INLINE VF tanh(VF x) {
  const VF a = hn::Abs(x), one = set<float>(1.0f), z = hn::Mul(x, x);
  const VF q = poly(z, -0.006045165006f, 0.02096132934f, -0.05384326354f, 0.1333271861f, -0.3333332837f);
  const VF near = mul_add(hn::Mul(z, q), x, x);
  const VF far = hn::Sub(one, hn::Div(set<float>(2.0f), hn::Add(exp(hn::Add(a, a)), one)));
  return hn::IfThenElse(hn::Lt(a, set<float>(0.625f)), near, hn::CopySign(far, x));
}

// 1 / (1 + exp(-x)), using the exponential that cannot overflow.
HWY_INLINE VF sigmoid(VF x) {
  const VF one = set<float>(1.0f), e = exp(hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, zero<float>()), e, one), hn::Add(one, e));
}

// An odd polynomial near 0; beyond 0.9, a polynomial for log(1 - erf).
HWY_INLINE VF erf(VF x) {
  const VF a = hn::Abs(x), z = hn::Mul(x, x);
  const VF near = hn::Mul(
      x, poly(z, -0.0006077778526f, 0.005009903572f, -0.02677780576f, 0.112821199f, -0.3761252165f, 1.128379107f));
  const VF t = smaller(set<float>(4.0f), a);
  const VF complement = exp(poly(t, -1.393305956e-5f, 0.0003288907174f, -0.003522564424f, 0.02297191322f,
                                 -0.1041488126f, -0.6379538178f, -1.126762509f, -0.0005042945268f));
  const VF far = hn::CopySign(hn::Sub(set<float>(1.0f), complement), x);
  return hn::IfThenElse(hn::Lt(a, set<float>(0.9f)), near, far);
}

// log(1 + exp(x))
HWY_INLINE VF softplus(VF x) { return hn::Add(relu<float>(x), log1p_small(exp(hn::Neg(hn::Abs(x))))); }

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#endif  // include guard
