#include "c_api/options/options.h"

#include <charconv>
#include <cmath>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/text/byte_size.h"
#include "core/text/json.h"

namespace percale::c_api {
namespace {

const OptionKind* find_kind(std::string_view name) {
  for (const OptionKind& kind : option_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const OptionSpec* find_option(const OptionKind& kind, std::string_view key) {
  for (const OptionSpec& option : kind.options) {
    if (option.key == key) return &option;
  }
  return nullptr;
}

Result<const OptionSpec*> require_option(const OptionKind& kind, std::string_view key) {
  if (const OptionSpec* option = find_option(kind, key)) return option;
  std::vector<std::string> names;
  for (const OptionSpec& option : kind.options) names.emplace_back(option.key);
  return not_found("no ", kind.name, " option is called '", key, "'", did_you_mean(key, names));
}

template <class T>
bool parse_number(std::string_view text, T* out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

Status check_range(const OptionSpec& option, double value, std::string_view text) {
  if (value >= option.min && value <= option.max) return {};
  if (std::isinf(option.max))
    return out_of_range("option '", option.key, "': ", text, ", wanted at least ", option.min);
  return out_of_range("option '", option.key, "': ", text, ", wanted ", option.min, " to ", option.max);
}

bool is_choice(std::string_view choices, std::string_view text) {
  while (true) {
    const size_t bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

// The text as it is stored.
Result<std::string> checked(const OptionSpec& option, std::string_view text) {
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
    case OptionType::kSwitch:
      if (text == "1" || text == "true") return std::string("on");
      if (text == "0" || text == "false") return std::string("off");
      if (text != "on" && text != "off") {
        return out_of_range("option '", option.key, "': '", text, "', wanted on or off");
      }
      break;
    case OptionType::kText:
      if (option.check != nullptr) PERCALE_RETURN_IF_ERROR(option.check(text));
      break;
  }
  return std::string(text);
}

Status set_text(percale_options& options, std::string_view key, std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const OptionSpec* option, require_option(*options.kind, key));
  PERCALE_ASSIGN_OR_RETURN(std::string value, checked(*option, text));
  options.values[std::string(key)] = std::move(value);
  return {};
}

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
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

Status check_options(const char* function, const percale_options* options, std::string_view kind) {
  if (options == nullptr || options->kind->name == kind) return {};
  return invalid_argument(function, ": 'options' are of kind '", options->kind->name, "', wanted '", kind, "'");
}

bool option_is_set(const percale_options* options, std::string_view key) {
  return options != nullptr && options->values.contains(key);
}

std::string option_text(const percale_options* options, std::string_view kind, std::string_view key) {
  if (option_is_set(options, key)) return options->values.find(key)->second;
  const OptionKind* table = find_kind(kind);
  const OptionSpec* option = table == nullptr ? nullptr : find_option(*table, key);
  return option == nullptr ? std::string() : std::string(option->fallback);
}

int64_t option_int(const percale_options* options, std::string_view kind, std::string_view key) {
  int64_t value = 0;
  parse_number(option_text(options, kind, key), &value);
  return value;
}

double option_float(const percale_options* options, std::string_view kind, std::string_view key) {
  double value = 0;
  parse_number(option_text(options, kind, key), &value);
  return value;
}

bool option_switch(const percale_options* options, std::string_view kind, std::string_view key) {
  return option_text(options, kind, key) == "on";
}

}  // namespace percale::c_api

using namespace percale;
using namespace percale::c_api;

percale_status* percale_options_create(const char* kind, percale_options** out_options) {
  clear(out_options);
  return guarded(__func__, {NEEDS(kind), NEEDS(out_options)}, [&]() -> Status {
    const OptionKind* found = find_kind(kind);
    if (found == nullptr) {
      std::string names;
      for (const OptionKind& known : option_kinds()) names += str_cat(names.empty() ? "" : ", ", known.name);
      return not_found("there are no options of kind '", kind, "', only of ", names);
    }
    *out_options = new percale_options{found, {}};
    return {};
  });
}

void percale_options_release(percale_options* options) { delete options; }

percale_status* percale_options_set(percale_options* options, const char* key, const char* value) {
  return guarded(__func__, {NEEDS(options), NEEDS(key), NEEDS(value)}, [&] { return set_text(*options, key, value); });
}

percale_status* percale_options_set_int(percale_options* options, const char* key, int64_t value) {
  return guarded(__func__, {NEEDS(options), NEEDS(key)}, [&] { return set_text(*options, key, str_cat(value)); });
}

percale_status* percale_options_set_float(percale_options* options, const char* key, double value) {
  return guarded(__func__, {NEEDS(options), NEEDS(key)}, [&] { return set_text(*options, key, number_text(value)); });
}

percale_status* percale_options_describe(percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {NEEDS(out_json)}, [&]() -> Status {
    JsonWriter json;
    json.begin_array();
    for (const OptionKind& kind : option_kinds()) {
      for (const OptionSpec& option : kind.options) {
        json.begin_object().key("kind").value(kind.name).key("key").value(option.key);
        json.key("type").value(option_type_name(option.type)).key("default").value(option.fallback);
        if (!option.choices.empty()) json.key("choices").value(option.choices);
        const bool number = option.type == OptionType::kInt || option.type == OptionType::kFloat;
        if (number && std::isfinite(option.min)) json.key("min").value(option.min);
        if (number && std::isfinite(option.max)) json.key("max").value(option.max);
        json.key("doc").value(option.doc).end_object();
      }
    }
    json.end_array();
    *out_json = make_text(json.text());
    return {};
  });
}
