#include "core/base/number_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace percale {
namespace {

std::string text_of(double value, std::chars_format format, int precision) {
  // The largest double has 309 digits before the decimal point.
  std::array<char, 400> text;
  const double shown = std::isnan(value) ? std::abs(value) : value;
  return {text.data(), std::to_chars(text.begin(), text.end(), shown, format, precision).ptr};
}

}  // namespace

std::string general_text(double value, int digits) { return text_of(value, std::chars_format::general, digits); }

std::string fixed_text(double value, int decimals) { return text_of(value, std::chars_format::fixed, decimals); }

}  // namespace percale
