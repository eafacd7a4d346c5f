#include "core/engine/cluster/environment.h"

#include <algorithm>
#include <string_view>

#include "core/engine/cluster/parse_int.h"

namespace percale {
namespace {

Status wrong_value(const char* name, const char* value, std::string_view wanted) {
  if (value == nullptr) return invalid_argument(name, " is not set, wanted ", wanted);
  return invalid_argument(name, " is '", value, "', wanted ", wanted);
}

}  // namespace

const char* Environment::first_set(std::initializer_list<const char*> names) const {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const char* name) { return name != nullptr && find(name) != nullptr; });
  return found == names.end() ? nullptr : *found;
}

Result<int64_t> Environment::integer(const char* name, int64_t min, int64_t max) const {
  const char* text = find(name);
  const auto value = text == nullptr ? std::nullopt : parse_int(text);
  if (!value || *value < min || *value > max) {
    return wrong_value(name, text, str_cat("an integer from ", min, " to ", max));
  }
  return *value;
}

Result<int64_t> Environment::port(const char* name, int64_t fallback) const {
  return find(name) == nullptr ? Result<int64_t>(fallback) : integer(name, 1, 65535);
}

Result<std::string> Environment::host(const char* name) const {
  const char* value = find(name);
  const std::string_view text = value == nullptr ? std::string_view() : value;
  const bool blank = std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  const bool bracketed = text.starts_with('[');
  // One colon separates a host from a port; an IPv6 address has more.
  const auto colons = std::count(text.begin(), text.end(), ':');
  if (text.empty() || blank || colons == 1 || bracketed != text.ends_with(']')) {
    return wrong_value(name, value, "a host without a port");
  }
  return colons > 0 && !bracketed ? str_cat("[", text, "]") : std::string(text);
}

}  // namespace percale
