// Numbers as unevaluated sums of two doubles, with about 105 bits. The algorithms are those of
// Dekker and Knuth, which need no fused multiply-add.
#ifndef PERCALE_CORE_MATHS_DOUBLE_DOUBLE_H_
#define PERCALE_CORE_MATHS_DOUBLE_DOUBLE_H_

namespace percale::maths {

struct DoubleDouble {
  double high = 0, low = 0;
};

// a + b exactly. fast_sum() requires |a| >= |b| or a = 0.
inline DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
inline DoubleDouble fast_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
// a * b exactly. Requires that neither exceeds 2^996 and that the product is no denormal number.
inline DoubleDouble exact_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double as = kSplit * a, a1 = as - (as - a), a2 = a - a1;
  const double bs = kSplit * b, b1 = bs - (bs - b), b2 = b - b1;
  const double product = a * b;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble sum = exact_sum(a.high, b.high);
  return fast_sum(sum.high, sum.low + (a.low + b.low));
}
inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = exact_product(a.high, b.high);
  return fast_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}
inline DoubleDouble operator*(double a, DoubleDouble b) { return DoubleDouble{a, 0} * b; }

}  // namespace percale::maths

#endif  // PERCALE_CORE_MATHS_DOUBLE_DOUBLE_H_
