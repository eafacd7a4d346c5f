#include <cmath>

#include "core/maths/maths.h"
#include "core/maths/parts.h"
#include "core/maths/reduction.h"

namespace percale::maths {
namespace {

// The terms first, first + 2, ... of the series of sine (odd) or cosine (even).
template <int kFirst, size_t kTerms>
constexpr std::array<double, kTerms> series() {
  std::array<double, kTerms> out{};
  for (size_t i = 0; i < kTerms; ++i) {
    const int n = kFirst + 2 * static_cast<int>(i);
    out[i] = (n / 2 % 2 == 0 ? 1 : -1) / factorial(n);
  }
  return out;
}

// Sine and cosine of an angle in [-pi/4, pi/4]: the low part enters to first order.
double sin_of(DoubleDouble angle) {
  constexpr std::array kSeries = series<5, 7>();
  const double x = angle.high, z = x * x, cube = z * x;
  return x - ((z * (0.5 * angle.low - cube * polynomial(kSeries, z)) - angle.low) + cube * (1.0 / 6));
}
double cos_of(DoubleDouble angle) {
  constexpr std::array kSeries = series<4, 7>();
  const double x = angle.high, z = x * x, half = 0.5 * z, high = 1 - half;
  return high + (((1 - high) - half) + (z * z * polynomial(kSeries, z) - x * angle.low));
}

// atan(i / 8)
constexpr DoubleDouble kAtan[] = {{0, 0},
                                  {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                  {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                  {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                  {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                  {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                  {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                  {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                  {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// atan(x) for 0 <= x <= 1, from the nearest multiple of 1/8.
DoubleDouble atan_of(double x) {
  constexpr std::array kSeries = {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17};
  const double eighths = std::nearbyint(8 * x), center = eighths / 8;
  const double t = (x - center) / (1 + x * center), z = t * t;
  const DoubleDouble at = kAtan[static_cast<int>(eighths)];
  return fast_sum(at.high, t + (at.low + t * z * polynomial(kSeries, z)));
}

}  // namespace

double sin(double x) {
  if (!(std::fabs(x) < kInfinity)) return kNan;
  const Angle a = reduce_angle(x);
  const double result = a.quadrant % 2 == 0 ? sin_of(a.rest) : cos_of(a.rest);
  return x == 0 ? x : a.quadrant < 2 ? result : -result;
}

double cos(double x) {
  if (!(std::fabs(x) < kInfinity)) return kNan;
  const Angle a = reduce_angle(x);
  const double result = a.quadrant % 2 == 0 ? cos_of(a.rest) : sin_of(a.rest);
  return a.quadrant == 0 || a.quadrant == 3 ? result : -result;
}

double tan(double x) {
  if (!(std::fabs(x) < kInfinity)) return kNan;
  if (x == 0) return x;
  const Angle a = reduce_angle(x);
  const double sine = sin_of(a.rest), cosine = cos_of(a.rest);
  return a.quadrant % 2 == 0 ? sine / cosine : -cosine / sine;
}

double atan(double x) {
  constexpr DoubleDouble kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  const double a = std::fabs(x);
  if (!(a > 0)) return x;
  if (a <= 1) {
    const DoubleDouble result = atan_of(a);
    return std::copysign(result.high + result.low, x);
  }
  const DoubleDouble rest = atan_of(1 / a);
  return std::copysign(kHalfPi.high - ((rest.high - kHalfPi.low) + rest.low), x);
}

double asin(double x) {
  const double a = std::fabs(x);
  if (a > 1) return kNan;
  return atan(x / std::sqrt((1 - a) * (1 + a)));
}

double acos(double x) {
  if (std::fabs(x) > 1) return kNan;
  return 2 * atan(std::sqrt((1 - x) / (1 + x)));
}

}  // namespace percale::maths
