#include "c_api/options/options.h"

#include <charconv>

#include "core/base/similar_name.h"
#include "core/text/json.h"

namespace percale::c_api {
namespace {

const OptionKind* find_kind(std::string_view name) {
  for (const OptionKind& kind : option_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const OptionSpec* find_option(const std::vector<OptionSpec>& table, std::string_view key) {
  for (const OptionSpec& option : table) {
    if (option.key == key) return &option;
  }
  return nullptr;
}

Result<const OptionSpec*> require_option(const percale_options& options, std::string_view key) {
  if (const OptionSpec* option = find_option(options.table, key)) return option;
  std::vector<std::string> names;
  for (const OptionSpec& option : options.table) names.emplace_back(option.key);
  return not_found("no ", options.kind->name, " option is called '", key, "'", did_you_mean_key(key, names));
}

Status set_text(percale_options& options, std::string_view key, std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const OptionSpec* option, require_option(options, key));
  PERCALE_ASSIGN_OR_RETURN(std::string value, checked_option(*option, text));
  options.values[std::string(key)] = std::move(value);
  return {};
}

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

void describe_option(std::string_view kind, const OptionSpec& option, JsonWriter& json) {
  json.begin_object().key("kind").value(kind).key("key").value(option.key);
  json.key("type").value(option_type_name(option.type)).key("default").value(option.fallback);
  if (!option.choices.empty()) json.key("choices").value(option.choices);
  const bool number = option.type == OptionType::kInt || option.type == OptionType::kFloat;
  if (const auto min = described_bound(option.min); number && min) json.key("min").value(*min);
  if (const auto max = described_bound(option.max); number && max) json.key("max").value(*max);
  json.key("doc").value(option.doc).end_object();
}

}  // namespace

Status check_options(const char* function, const percale_options* options, std::string_view kind) {
  if (options == nullptr || options->kind->name == kind) return {};
  return invalid_argument(function, ": 'options' are of kind '", options->kind->name, "', wanted '", kind, "'");
}

OptionValues::OptionValues(const percale_options* options, std::string_view kind) : options_(options) {
  const OptionKind* known = find_kind(kind);
  if (options == nullptr && known != nullptr) defaults_ = known->options();
}

bool OptionValues::is_set(std::string_view key) const { return options_ != nullptr && options_->values.contains(key); }

std::string OptionValues::text(std::string_view key) const {
  if (is_set(key)) return options_->values.find(key)->second;
  const OptionSpec* option = find_option(options_ == nullptr ? defaults_ : options_->table, key);
  return option == nullptr ? std::string() : option->fallback;
}

int64_t OptionValues::integer(std::string_view key) const {
  const std::string number = text(key);
  int64_t value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return value;
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
    *out_options = new percale_options{found, found->options(), {}};
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
      for (const OptionSpec& option : kind.options()) describe_option(kind.name, option, json);
    }
    json.end_array();
    *out_json = make_text(json.text());
    return {};
  });
}
