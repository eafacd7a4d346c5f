#include <cmath>

#include "core/maths/maths.h"
#include "core/maths/parts.h"

namespace percale::maths {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLarge = 0x1p28;  // x^2 + 1 = x^2, and x + sqrt(x^2 + 1) = 2 x

// e^x / 2 for x > 0, which is infinite only if the result is.
double half_exp(double x) {
  const double root = exp(0.5 * x);
  return 0.5 * root * root;
}

}  // namespace

double sinh(double x) {
  const double a = std::fabs(x), half = x < 0 ? -0.5 : 0.5;
  if (x == 0 || x != x) return x;
  if (a >= 22) return 2 * half * half_exp(a);
  const double t = expm1(a);
  return half * (a < 1 ? 2 * t - t * t / (t + 1) : t + t / (t + 1));
}

double cosh(double x) {
  const double a = std::fabs(x);
  if (a >= 22) return half_exp(a);
  const double e = exp(a);
  return 0.5 * e + 0.5 / e;
}

double tanh(double x) {
  const double a = std::fabs(x);
  if (a >= 22) return std::copysign(1.0, x);
  const double t = expm1(a < 1 ? -2 * a : 2 * a);
  return std::copysign(a < 1 ? -t / (t + 2) : 1 - 2 / (t + 2), x);
}

double asinh(double x) {
  const double a = std::fabs(x), square = a * a;
  if (a < 1 / kLarge) return x;
  const double result = a > kLarge ? log(a) + kLn2
                        : a > 2    ? log(2 * a + 1 / (std::sqrt(square + 1) + a))
                                   : log1p(a + square / (1 + std::sqrt(1 + square)));
  return std::copysign(result, x);
}

double acosh(double x) {
  if (x < 1) return kNan;
  if (x > kLarge) return log(x) + kLn2;
  if (x > 2) return log(2 * x - 1 / (x + std::sqrt(x * x - 1)));
  const double t = x - 1;
  return log1p(t + std::sqrt(2 * t + t * t));
}

double atanh(double x) {
  const double a = std::fabs(x), twice = a + a;
  if (a > 1) return kNan;
  const double ratio = a < 0.5 ? twice + twice * a / (1 - a) : twice / (1 - a);
  return std::copysign(0.5 * log1p(ratio), x);
}

}  // namespace percale::maths
