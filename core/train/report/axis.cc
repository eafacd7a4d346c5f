#include "core/train/report/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/base/number_text.h"

namespace percale {
namespace {

// Formats `v` with enough digits to tell it from its neighbours at distance `step`. Uses "20k" and
// "3M" instead of zeros.
std::string label(double v, double step) {
  if (v == 0) return "0";
  const double size = std::abs(v);
  for (const auto& [unit, name] : {std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (size >= unit && size < unit * 1e3 && (unit > 1e3 || size >= 1e4) && std::fmod(step, unit / 1000) == 0) {
      return general_text(v / unit, 10) + name;
    }
  }
  const double digits = std::floor(std::log10(size) + 1e-9) - std::floor(std::log10(step) + 1e-9) + 1;
  // General form would write 200 with one digit as 2e+02.
  if (size >= 1 && size < 1e4) {
    return fixed_text(v, static_cast<int>(std::max(0.0, -std::floor(std::log10(step) + 1e-9))));
  }
  return general_text(v, static_cast<int>(std::clamp(digits, 1.0, 12.0)));
}

}  // namespace

double Axis::operator()(double v) const {
  const double part = logarithmic ? (std::log(v) - std::log(low)) / (std::log(high) - std::log(low))
                                  : (v / 2 - low / 2) / (high / 2 - low / 2);
  return from + std::clamp(part, 0.0, 1.0) * (to - from);
}

std::vector<Axis::Tick> Axis::ticks(double distance) const {
  std::vector<Tick> out;
  const double length = std::abs(to - from);
  if (logarithmic) {
    // Distance of two decades
    const double decades = std::log10(high) - std::log10(low), apart = length / decades;
    // Ticks at 1, 2, 5, 10 if there is space, else at every n-th decade.
    const bool between = apart * std::log10(2.0) >= distance;
    const auto stride = static_cast<int64_t>(std::max(1.0, std::ceil(distance / apart)));
    const auto first = static_cast<int64_t>(std::floor(std::log10(low)));
    const auto last = static_cast<int64_t>(std::floor(std::log10(high)));
    for (int64_t exponent = first - (first % stride + stride) % stride; exponent <= last; exponent += stride) {
      for (const double m : {1.0, 2.0, 5.0}) {
        const double v = m * std::pow(10.0, static_cast<double>(exponent));
        if (v >= low && v <= high && (m == 1 || between)) out.push_back({v, label(v, v / m)});
      }
    }
    return out;
  }
  const double most = std::max(1.0, std::floor(length / distance));
  const double rough = std::max((high / 2 - low / 2) / most * 2, std::max(std::abs(low), std::abs(high)) * 1e-12);
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  const double step = unit * (rough / unit <= 1 ? 1 : rough / unit <= 2 ? 2 : rough / unit <= 5 ? 5 : 10);
  double count = std::ceil(low / step - 1e-9);
  for (double left = most; left >= 0 && count * step <= high + 1e-9 * step; --left, ++count) {
    out.push_back({count * step, label(count * step, step)});
  }
  return out;
}

Axis axis_of(const std::vector<double>& numbers, double from, double to) {
  Axis axis{0, 1, from, to, false};
  bool any = false;
  for (const double v : numbers) {
    if (!std::isfinite(v)) continue;
    axis.low = any ? std::min(axis.low, v) : v;
    axis.high = any ? std::max(axis.high, v) : v;
    any = true;
  }
  axis.logarithmic = any && axis.low > 0 && axis.high / axis.low > 20;
  if (!axis.logarithmic && axis.low > 0) axis.low = 0;
  if (!(axis.high > axis.low)) axis.high = axis.low + std::max(1.0, std::abs(axis.low));
  return axis;
}

}  // namespace percale
