// Building blocks of the functions: exponent bits, polynomials, and the exponential and logarithm
// in more precision than maths.h returns.
#ifndef PERCALE_CORE_MATHS_PARTS_H_
#define PERCALE_CORE_MATHS_PARTS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/maths/double_double.h"

namespace percale::maths {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ln 2 in three parts. The first has 32 bits, so that its product with an exponent is exact.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33,
                        kLn2Lowest = 0x1.cc01f97b57a08p-87;

constexpr double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

// Evaluates a polynomial by Horner's rule, lowest coefficient first.
template <size_t N>
constexpr double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (size_t i = N - 1; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// 2^exponent for exponents of normal numbers.
inline double power_of_two(int64_t exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}
// x * 2^exponent, rounded once. |exponent| <= 2000.
inline double scaled(double x, int64_t exponent) {
  const int64_t half = exponent / 2;
  return x * power_of_two(half) * power_of_two(exponent - half);
}

// x = n ln 2 + r + rest, |r| <= ln 2 / 2, for |x| <= 800. NaN gives r = NaN and any n.
struct ExpArgument {
  int64_t n;
  double r, rest;
};
inline ExpArgument exp_argument(double x) {
  constexpr double kRound = 0x1.8p52;  // adding it leaves the rounded integer in the low bits
  const double shifted = x * 0x1.71547652b82fep+0 + kRound, n = shifted - kRound;
  const double high = x - n * kLn2High, low = n * kLn2Low, r = high - low;
  const auto whole = static_cast<int32_t>(static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted)));
  return {x == x ? whole : 0, r, (high - r) - low};
}
// e^r = 1 + r + r^2 q: the sum of the terms 1 / n! for |r| <= ln 2 / 2, even and odd ones apart.
inline double exp_series(double r) {
  constexpr std::array kEven = {1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600};
  constexpr std::array kOdd = {1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800};
  const double z = r * r;
  return polynomial(kEven, z) + r * polynomial(kOdd, z);
}
// e^(high + low), |low| <= 2^-40 |high|. Infinite or 0 where the result is out of range.
double exp_of_sum(double high, double low);

// x = 2^exponent (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), for positive finite x.
struct LogArgument {
  int64_t exponent;
  double f;
};
inline LogArgument log_argument(double x) {
  int64_t exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  constexpr uint64_t kHalfRoot = 0x3FE6A09E667F3BCD, kOne = 0x3FF0000000000000, kMantissa = 0x000FFFFFFFFFFFFF;
  // The addition carries into the exponent exactly if the mantissa is sqrt(2) or more.
  const uint64_t shifted = std::bit_cast<uint64_t>(x) + (kOne - kHalfRoot);
  exponent += static_cast<int64_t>(shifted >> 52) - 1023;
  return {exponent, std::bit_cast<double>((shifted & kMantissa) + kHalfRoot) - 1};
}

// log(x) for positive finite x, with about 65 correct bits.
DoubleDouble exact_log(double x);

// magnitude^power with the precision of a float, for positive finite magnitudes of floats.
double pow_for_float(double magnitude, double power);

}  // namespace percale::maths

#endif  // PERCALE_CORE_MATHS_PARTS_H_
