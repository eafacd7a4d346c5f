// Named settings: one table per kind says what there is, an options object holds what was set.
#ifndef PERCALE_C_API_OPTIONS_OPTIONS_H_
#define PERCALE_C_API_OPTIONS_OPTIONS_H_

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "c_api/api.h"

namespace percale::c_api {

enum class OptionType { kInt, kFloat, kBytes, kText, kChoice, kSwitch };

struct OptionSpec {
  std::string_view key;
  OptionType type;
  std::string_view fallback;  // the default, as text
  std::string_view doc;
  double min = -std::numeric_limits<double>::infinity();  // of kInt, kFloat and kBytes, inclusive
  double max = std::numeric_limits<double>::infinity();
  std::string_view choices = {};                     // of kChoice: "a|b|c"
  Status (*check)(std::string_view text) = nullptr;  // of kText: what else it must be
};

struct OptionKind {
  std::string_view name;
  std::span<const OptionSpec> options;
};
// "engine", "session", "trainer", "export".
std::span<const OptionKind> option_kinds();
std::string_view option_type_name(OptionType type);

}  // namespace percale::c_api

struct percale_options {
  const percale::c_api::OptionKind* kind;
  std::map<std::string, std::string, std::less<>> values;  // checked texts of options
};

namespace percale::c_api {

// Options of `kind` or null, else INVALID_ARGUMENT.
Status check_options(const char* function, const percale_options* options, std::string_view kind);

// The value that was set, or the default. Precondition of all: the key is in the table of the kind.
bool option_is_set(const percale_options* options, std::string_view key);
std::string option_text(const percale_options* options, std::string_view kind, std::string_view key);
int64_t option_int(const percale_options* options, std::string_view kind, std::string_view key);
double option_float(const percale_options* options, std::string_view kind, std::string_view key);
bool option_switch(const percale_options* options, std::string_view kind, std::string_view key);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_OPTIONS_OPTIONS_H_
