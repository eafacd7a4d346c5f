#include "core/train/method/key_table.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

void write_keys(JsonWriter& json, const std::vector<KeyFacts>& keys) {
  json.begin_array();
  for (const KeyFacts& key : keys) {
    json.begin_object().key("name").value(key.name).key("type").value(key.type).key("required").value(key.required);
    if (!key.fallback.empty()) json.key("default").raw(key.fallback);
    if (!key.choices.empty()) json.key("choices").value(key.choices);
    if (key.low) json.key("min").value(*key.low);
    if (key.high) json.key("max").value(*key.high);
    json.key("doc").value(key.doc);
    if (!key.keys.empty()) {
      json.key("keys");
      write_keys(json, key.keys);
    }
    json.end_object();
  }
  json.end_array();
}

int64_t to_integer(double limit) {
  constexpr double kEnd = 9223372036854775808.0;
  if (limit >= kEnd) return std::numeric_limits<int64_t>::max();
  return limit <= -kEnd ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(limit);
}

}  // namespace

std::string key_facts_json(const std::vector<KeyFacts>& keys) {
  JsonWriter json;
  write_keys(json, keys);
  return json.text();
}

std::string named_facts_json(const std::vector<NamedFacts>& facts) {
  JsonWriter json;
  json.begin_array();
  for (const NamedFacts& named : facts) {
    json.begin_object().key("name").value(named.name).key("doc").value(named.doc).key("keys");
    write_keys(json, named.keys);
    json.end_object();
  }
  json.end_array();
  return json.text();
}

Status check_known_keys(const Json& object, std::string_view where, const std::vector<std::string>& known,
                        std::span<const Unsupported> unsupported) {
  PERCALE_RETURN_IF_ERROR(object.expect(Json::Kind::kObject, where));
  for (size_t i = 0; i < object.size(); ++i) {
    const std::string& key = object.key(i);
    const Json& value = object.item(i);
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const Unsupported* listed = find_unsupported(unsupported, key);
    if (listed == nullptr) {
      return value.error(key, "unknown key in ", where, did_you_mean_key(key, known));
    }
    const bool off = value.is_null() || (value.kind() == Json::Kind::kBool && !*value.as_bool(key));
    if (off) continue;
    return unimplemented("line ", value.line(), ", column ", value.column(), ": '", key, "' of ", where,
                         " is not implemented; ", listed->instead);
  }
  return {};
}

namespace key_table {

Status read(const Json& value, std::string_view key, double low, double high, std::string_view, double* out) {
  PERCALE_ASSIGN_OR_RETURN(*out, number_of(value, key, low, high));
  return {};
}

Status read(const Json& value, std::string_view key, double low, double high, std::string_view, int64_t* out) {
  PERCALE_ASSIGN_OR_RETURN(*out, integer_of(value, key, to_integer(low), to_integer(high)));
  return {};
}

Status read(const Json& value, std::string_view key, double, double, std::string_view, bool* out) {
  PERCALE_ASSIGN_OR_RETURN(*out, value.as_bool(key));
  return {};
}

Status read(const Json& value, std::string_view key, double, double, std::string_view choices, std::string* out) {
  PERCALE_ASSIGN_OR_RETURN(*out, value.as_string(key));
  if (choices.empty() || is_choice(choices, *out)) return {};
  return value.error(key, "it is '", *out, "', wanted one of ", choices);
}

Status read_bytes(const Json& value, std::string_view key, double low, int64_t* out) {
  PERCALE_ASSIGN_OR_RETURN(*out, bytes_of(value, key, to_integer(low)));
  return {};
}

KeyFacts facts(std::string_view name, std::string_view type, std::string_view doc, double low, double high,
               std::string_view choices, bool required) {
  return {.name = std::string(name),
          .type = std::string(choices.empty() ? type : "choice"),
          .doc = std::string(doc),
          .fallback = {},
          .choices = std::string(choices),
          .low = described_bound(low),
          .high = described_bound(high),
          .required = required};
}

Status missing(const Json& object, std::string_view where, std::string_view key) {
  return object.error(where, "'", key, "' is missing");
}

}  // namespace key_table
}  // namespace percale
