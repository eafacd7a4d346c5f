#include "core/text/byte_size.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace percale {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr double kKi = 1024;
constexpr Unit kUnits[] = {{"", 1},
                           {"b", 1},
                           {"kb", 1e3},
                           {"mb", 1e6},
                           {"gb", 1e9},
                           {"tb", 1e12},
                           {"kib", kKi},
                           {"mib", kKi* kKi},
                           {"gib", kKi* kKi* kKi},
                           {"tib", kKi* kKi* kKi* kKi},
                           {"k", kKi},
                           {"m", kKi* kKi},
                           {"g", kKi* kKi* kKi},
                           {"t", kKi* kKi* kKi* kKi}};

}  // namespace

Result<int64_t> parse_byte_size(std::string_view text) {
  const auto wrong = [&] {
    return invalid_argument("'", text, "' is not a size in bytes such as 4096, 500MB or 2GiB");
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0) || std::isinf(number)) return wrong();
  std::string unit(end, text.data() + text.size());
  unit.erase(0, std::min(unit.find_first_not_of(' '), unit.size()));
  for (char& c : unit) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto found = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == unit; });
  if (found == std::end(kUnits)) return wrong();
  // A double cannot represent all whole numbers beyond 2^53.
  if (int64_t whole = 0; found->bytes == 1) {
    const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (failed == std::errc() && stop == end && whole < int64_t{1} << 62) return whole;
  }
  const double bytes = std::round(number * found->bytes);
  if (!(bytes < 4611686018427387904.0)) return out_of_range("'", text, "' is more than 2^62 bytes");
  return static_cast<int64_t>(bytes);
}

}  // namespace percale
