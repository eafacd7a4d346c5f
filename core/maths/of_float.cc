// Functions of float. They compute in double, with as many terms as a float needs: their results
// are almost always the nearest float.
#include <cmath>

#include "core/maths/maths.h"
#include "core/maths/parts.h"

namespace percale::maths {
namespace {

constexpr double kRound = 0x1.8p52;  // adding it leaves the rounded integer in the low bits

// e^x with an error of 2^-32, |x| <= 200.
double exp_for_float(double x) {
  constexpr std::array kEven = {1.0, 1.0 / 2, 1.0 / 24, 1.0 / 720, 1.0 / 40320};
  constexpr std::array kOdd = {1.0, 1.0 / 6, 1.0 / 120, 1.0 / 5040};
  const double shifted = x * 0x1.71547652b82fep+0 + kRound, r = x - (shifted - kRound) * 0x1.62e42fefa39efp-1,
               z = r * r;
  const double scale = std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) << 52) + std::bit_cast<uint64_t>(1.0));
  return scale * (polynomial(kEven, z) + r * polynomial(kOdd, z));
}
double clamped(double x) { return x > 200 ? 200 : x < -200 ? -200 : x; }

// log(x) with an error of 2^-45, for positive finite x.
double log_for_float(double x) {
  constexpr std::array kSeries = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15};
  const auto [exponent, f] = log_argument(x);
  const double s = f / (2 + f);
  return static_cast<double>(exponent) * 0x1.62e42fefa39efp-1 + s * polynomial(kSeries, s * s);
}

// The largest angle whose product with the first part of pi / 2 is exact.
constexpr double kLargestAngle = 0x1p18;
// Sine of x + shift pi / 2.
double sin_for_float(double x, uint64_t shift) {
  constexpr std::array kSin = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800};
  constexpr std::array kCos = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800};
  const double shifted = x * 0x1.45f306dc9c883p-1 + kRound, n = shifted - kRound;
  const double r = (x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a626331p-34, z = r * r;
  const uint64_t quadrant = std::bit_cast<uint64_t>(shifted) + shift;
  const double result = (quadrant & 1) == 0 ? r * polynomial(kSin, z) : polynomial(kCos, z);
  return (quadrant & 2) == 0 ? result : -result;
}

}  // namespace

float exp(float x) { return static_cast<float>(exp_for_float(clamped(static_cast<double>(x)))); }

float log(float x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  if (x == std::numeric_limits<float>::infinity()) return x;
  return static_cast<float>(log_for_float(static_cast<double>(x)));
}

float sin(float x) {
  const auto wide = static_cast<double>(x);
  return static_cast<float>(std::fabs(wide) < kLargestAngle ? sin_for_float(wide, 0) : sin(wide));
}

float cos(float x) {
  const auto wide = static_cast<double>(x);
  return static_cast<float>(std::fabs(wide) < kLargestAngle ? sin_for_float(wide, 1) : cos(wide));
}

double pow_for_float(double magnitude, double power) {
  return exp_for_float(clamped(power * log_for_float(magnitude)));
}

}  // namespace percale::maths
