// Integers in addresses and in environment variables.
#ifndef PERCALE_CORE_ENGINE_CLUSTER_PARSE_INT_H_
#define PERCALE_CORE_ENGINE_CLUSTER_PARSE_INT_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace percale {

// Returns the decimal integer that is the whole of `text`.
inline std::optional<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_PARSE_INT_H_
