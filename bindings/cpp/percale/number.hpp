/// Conversion between numbers and text, independent of the host's locale.
#ifndef PERCALE_CPP_NUMBER_HPP_
#define PERCALE_CPP_NUMBER_HPP_

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <version>

// Some standard libraries have std::from_chars only for integers. A stream with the classic locale
// replaces it there.
#ifndef PERCALE_CPP_CHARCONV
#ifdef __cpp_lib_to_chars
#define PERCALE_CPP_CHARCONV 1
#else
#define PERCALE_CPP_CHARCONV 0
#endif
#endif

#if PERCALE_CPP_CHARCONV
#include <charconv>
#else
#include <locale>
#include <sstream>
#endif

namespace percale::detail {

/// Appends the number with enough digits to read the same number back.
inline void add_number(std::string& out, double number) {
#if PERCALE_CPP_CHARCONV
  char digits[40];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
#else
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(std::numeric_limits<double>::max_digits10);
  text << number;
  out += text.str();
#endif
}

/// Parses `text`, ignoring surrounding spaces. Accepts nan, inf and -inf in any case. Returns NaN
/// if it is not a number.
inline double number_of(std::string_view text) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return kNan;
  text = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  const bool negative = text.front() == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (!digits.empty() && (digits.front() == 'i' || digits.front() == 'I')) return negative ? -kInfinity : kInfinity;
#if PERCALE_CPP_CHARCONV
  double number = 0;
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc::invalid_argument ? kNan : number;
#else
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double number = 0;
  return in >> number ? number : kNan;
#endif
}

}  // namespace percale::detail

#endif  // PERCALE_CPP_NUMBER_HPP_
