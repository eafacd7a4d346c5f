// Options: settings with a name whose values are texts.
#ifndef PERCALE_CORE_TEXT_OPTION_H_
#define PERCALE_CORE_TEXT_OPTION_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace percale {

enum class OptionType : uint8_t { kInt, kFloat, kBytes, kText, kChoice, kSwitch };
std::string_view option_type_name(OptionType type);  // "int", "float" and so on

struct OptionSpec {
  std::string_view key;
  OptionType type = OptionType::kText;
  std::string fallback;  // the default, as text
  std::string doc;
  double min = -std::numeric_limits<double>::infinity();  // of kInt, kFloat and kBytes, inclusive
  double max = std::numeric_limits<double>::infinity();
  std::string_view choices = {};                     // of kChoice: "a|b|c"
  Status (*check)(std::string_view text) = nullptr;  // of kText: a further condition, or null
};

// Returns the text in the form in which it is stored: "on" or "off" for a switch, a plain number
// for bytes. INVALID_ARGUMENT for a text of another type, OUT_OF_RANGE names the values that are
// allowed; both name the option.
Result<std::string> checked_option(const OptionSpec& option, std::string_view text);

// True if `text` is one of "a|b|c".
bool is_choice(std::string_view choices, std::string_view text);

// Returns the bound of a number in descriptions: nothing for one that is too far out to be worth a
// word.
std::optional<double> described_bound(double limit);

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_OPTION_H_
