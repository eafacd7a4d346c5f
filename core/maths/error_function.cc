#include <cmath>

#include "core/maths/maths.h"
#include "core/maths/parts.h"

namespace percale::maths {
namespace {

// erf(x) = 2 / sqrt(pi) sum of (-1)^n x^(2n + 1) / (n! (2n + 1))
constexpr size_t kTerms = 18;
constexpr std::array<double, kTerms> near_series() {
  std::array<double, kTerms> out{};
  for (int n = 0; n < static_cast<int>(kTerms); ++n)
    out[static_cast<size_t>(n)] = (n % 2 == 0 ? 1 : -1) / (factorial(n) * (2 * n + 1));
  return out;
}

// e^(x^2) (1 - erf(x)) for 0.9 <= x <= 6.1, interpolated at the Chebyshev points of u in [-1, 1],
// where (u - 0.225) / 2.275 = (x - 3) / (x + 3).
constexpr std::array kFar = {0x1.b5e79d7ef3b57p-3,   -0x1.55a42e0914911p-3, 0x1.d247e075f85aep-5,
                             -0x1.f78735137b9cap-7,  0x1.9c9e2dd6f4647p-9,  -0x1.cc3c2d2b5bea4p-12,
                             0x1.b541424cf9878p-16,  0x1.f9ab98dc5812ap-19, -0x1.c6878aa40683bp-21,
                             -0x1.e845bb8cd454dp-27, 0x1.4f17fd0655479p-26, -0x1.244263b3e63d6p-32,
                             -0x1.0fb7537dd1e77p-31, 0x1.682114828340ep-38, 0x1.ef1bbf4a19547p-37,
                             0x1.e3dadf3bf6582p-43,  -0x1.a6ed7409aaefap-42};

}  // namespace

double erf(double x) {
  constexpr std::array kNear = near_series();
  constexpr double kTwoByRootPi = 0x1.20dd750429b6dp+0;
  const double a = std::fabs(x);
  if (a < 0.9) return kTwoByRootPi * x * polynomial(kNear, x * x);
  if (a > 6.1) return std::copysign(1.0, x);
  const double u = (a - 3) / (a + 3) * 2.275 + 0.225;
  return std::copysign(1 - exp(-a * a) * polynomial(kFar, u), x);
}

}  // namespace percale::maths
