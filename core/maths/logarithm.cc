#include "core/maths/maths.h"
#include "core/maths/parts.h"

namespace percale::maths {
namespace {

// log((1 + f) 2^exponent) + correction. With s = f / (2 + f), log(1 + f) = 2 s + s r, where r is
// the series sum of 2 s^2k / (2k + 1), and 2 s = f - s f.
double log_of(int64_t exponent, double f, double correction) {
  constexpr std::array kSeries = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                                  2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
  const double half_square = 0.5 * f * f, s = f / (2 + f), z = s * s;
  const double rest = s * (half_square + z * polynomial(kSeries, z));
  if (exponent == 0) return f - (half_square - rest);
  const auto e = static_cast<double>(exponent);
  return e * kLn2High - ((half_square - (rest + (e * kLn2Low + correction))) - f);
}

bool is_special(double x) { return !(x > 0) || x == kInfinity; }
double special_log(double x) { return x == 0 ? -kInfinity : x < 0 ? kNan : x; }

}  // namespace

double log(double x) {
  if (is_special(x)) return special_log(x);
  const LogArgument a = log_argument(x);
  return log_of(a.exponent, a.f, 0);
}

double log1p(double x) {
  if (is_special(1 + x)) return special_log(1 + x);
  if (x > -0.29 && x < 0.41) return x > -0x1p-54 && x < 0x1p-54 ? x : log_of(0, x, 0);
  const double u = 1 + x;
  const LogArgument a = log_argument(u);
  const double lost = x > 1 ? 1 - (u - x) : x - (u - 1);
  return log_of(a.exponent, a.f, lost / u);
}

DoubleDouble exact_log(double x) {
  constexpr DoubleDouble kTwoThirds = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
  constexpr std::array kSeries = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13, 2.0 / 15,
                                  2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25};
  const auto [exponent, f] = log_argument(x);
  const DoubleDouble divisor = exact_sum(2, f);
  const double quotient = f / divisor.high;
  const DoubleDouble back = exact_product(quotient, divisor.high);
  const DoubleDouble s = fast_sum(quotient, (((f - back.high) - back.low) - quotient * divisor.low) / divisor.high);
  const DoubleDouble z = s * s;
  const double inner = polynomial(kSeries, z.high);
  const DoubleDouble series = kTwoThirds + exact_product(z.high, inner) + DoubleDouble{z.low * inner, 0};
  const DoubleDouble of_mantissa = DoubleDouble{2 * s.high, 2 * s.low} + s * z * series;
  const auto e = static_cast<double>(exponent);
  const DoubleDouble of_exponent =
      DoubleDouble{e * kLn2High, 0} + exact_product(e, kLn2Low) + DoubleDouble{e * kLn2Lowest, 0};
  return of_exponent + of_mantissa;
}

double log10(double x) {
  if (is_special(x)) return special_log(x);
  constexpr DoubleDouble kLog10OfE = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
  const DoubleDouble result = exact_log(x) * kLog10OfE;
  return result.high + result.low;
}

}  // namespace percale::maths
