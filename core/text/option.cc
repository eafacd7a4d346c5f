#include "core/text/option.h"

#include <charconv>
#include <cmath>

#include "core/text/byte_size.h"

namespace percale {
namespace {

template <class T>
bool parse_number(std::string_view text, T* out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

std::string bound_text(const OptionSpec& option, double bound) {
  return option.type == OptionType::kFloat || !std::isfinite(bound) ? str_cat(bound)
                                                                    : str_cat(static_cast<int64_t>(bound));
}

Status check_range(const OptionSpec& option, double value, std::string_view text) {
  if (value >= option.min && value <= option.max) return {};
  const std::string low = bound_text(option, option.min);
  if (std::isinf(option.max)) return out_of_range("option '", option.key, "': ", text, ", wanted at least ", low);
  return out_of_range("option '", option.key, "': ", text, ", wanted ", low, " to ", bound_text(option, option.max));
}

Result<std::string> checked_switch(const OptionSpec& option, std::string_view text) {
  if (text == "on" || text == "1" || text == "true") return std::string("on");
  if (text == "off" || text == "0" || text == "false") return std::string("off");
  return out_of_range("option '", option.key, "': '", text, "', wanted on or off");
}

}  // namespace

std::string_view option_type_name(OptionType type) {
  switch (type) {
    case OptionType::kInt: return "int";
    case OptionType::kFloat: return "float";
    case OptionType::kBytes: return "bytes";
    case OptionType::kText: return "text";
    case OptionType::kChoice: return "choice";
    case OptionType::kSwitch: return "switch";
  }
  return "text";
}

Result<std::string> checked_option(const OptionSpec& option, std::string_view text) {
  switch (option.type) {
    case OptionType::kInt: {
      int64_t value = 0;
      if (!parse_number(text, &value)) {
        return invalid_argument("option '", option.key, "': '", text, "' is no integer");
      }
      PERCALE_RETURN_IF_ERROR(check_range(option, static_cast<double>(value), text));
      break;
    }
    case OptionType::kFloat: {
      double value = 0;
      if (!parse_number(text, &value)) return invalid_argument("option '", option.key, "': '", text, "' is no number");
      PERCALE_RETURN_IF_ERROR(check_range(option, value, text));
      break;
    }
    case OptionType::kBytes: {
      const auto bytes = parse_byte_size(text);
      if (!bytes.ok()) return bytes.status().with_context(str_cat("option '", option.key, "'"));
      PERCALE_RETURN_IF_ERROR(check_range(option, static_cast<double>(*bytes), text));
      return std::to_string(*bytes);
    }
    case OptionType::kChoice:
      if (!is_choice(option.choices, text)) {
        return out_of_range("option '", option.key, "': '", text, "', wanted one of ", option.choices);
      }
      break;
    case OptionType::kSwitch: return checked_switch(option, text);
    case OptionType::kText:
      if (option.check != nullptr) PERCALE_RETURN_IF_ERROR(option.check(text));
      break;
  }
  return std::string(text);
}

bool is_choice(std::string_view choices, std::string_view text) {
  while (true) {
    const size_t bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

std::optional<double> described_bound(double limit) {
  constexpr double kFar = 1073741824;  // 2^30
  return std::abs(limit) < kFar ? std::optional(limit) : std::nullopt;
}

}  // namespace percale
