#include <cmath>
#include <optional>

#include "core/maths/maths.h"
#include "core/maths/parts.h"

namespace percale::maths {
namespace {

struct Whole {
  bool whole, odd;
};
Whole whole_of(double y) {
  const double magnitude = std::fabs(y);
  if (magnitude >= 0x1p53) return {true, false};
  const double whole = std::floor(magnitude);
  return {whole == magnitude, whole == magnitude && static_cast<int64_t>(whole) % 2 == 1};
}

// The result where an operand is zero, infinite or NaN, or x is negative without a real power.
std::optional<double> special_power(double x, double y, Whole exponent) {
  if (y == 0 || x == 1) return 1.0;
  if (x != x || y != y) return x + y;
  const double magnitude = std::fabs(x), sign = x < 0 || (x == 0 && std::signbit(x)) ? -1.0 : 1.0;
  if (std::fabs(y) == kInfinity) return magnitude == 1 ? 1.0 : (magnitude > 1) == (y > 0) ? kInfinity : 0.0;
  if (x == 0 || magnitude == kInfinity) {
    const double result = (x == 0) == (y < 0) ? kInfinity : 0.0;
    return exponent.odd ? sign * result : result;
  }
  if (x < 0 && !exponent.whole) return kNan;
  return std::nullopt;
}

}  // namespace

double pow(double x, double y) {
  const Whole exponent = whole_of(y);
  if (const auto special = special_power(x, y, exponent)) return *special;
  const DoubleDouble log_x = exact_log(std::fabs(x));
  const double sign = x < 0 && exponent.odd ? -1.0 : 1.0, estimate = y * log_x.high;
  if (estimate > 800) return sign * kInfinity;
  if (estimate < -800) return sign * 0.0;
  if (estimate == 0) return sign;  // the exponent may be too large for exact_product()
  const DoubleDouble power = exact_product(y, log_x.high);
  const DoubleDouble sum = fast_sum(power.high, power.low + y * log_x.low);
  return sign * exp_of_sum(sum.high, sum.low);
}

float pow(float x, float y) {
  const double wide_x = static_cast<double>(x), wide_y = static_cast<double>(y);
  const Whole exponent = whole_of(wide_y);
  if (const auto special = special_power(wide_x, wide_y, exponent)) return static_cast<float>(*special);
  const double magnitude = pow_for_float(std::fabs(wide_x), wide_y);
  return static_cast<float>(x < 0 && exponent.odd ? -magnitude : magnitude);
}

}  // namespace percale::maths
