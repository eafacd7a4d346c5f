// Tables of the keys of JSON objects. One row gives a key's name, member, range, default and
// meaning. Reading, error messages, percale_engine_describe(), `percale list` and the description
// of a job in a checkpoint are made from the rows.
#ifndef PERCALE_CORE_TRAIN_METHOD_KEY_TABLE_H_
#define PERCALE_CORE_TRAIN_METHOD_KEY_TABLE_H_

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/text/json.h"
#include "core/train/layers/unsupported.h"
#include "core/train/method/json_keys.h"

namespace percale {

// Marks a key that read_members() skips: the code that owns the table reads it.
struct ByHand {
  // "int", "float", "bytes", "switch", "text", "list", "object", or several: "text or object"
  std::string_view type;
};

// One key of a JSON object that is read into a T.
template <class T>
struct Key {
  using Value = std::variant<ByHand, double T::*, int64_t T::*, bool T::*, std::string T::*, std::optional<double> T::*,
                             std::optional<int64_t> T::*, std::optional<bool> T::*>;
  std::string_view name;
  Value value;
  std::string_view doc;
  // Inclusive bounds
  double low = -std::numeric_limits<double>::max(), high = std::numeric_limits<double>::max();
  std::string_view fallback = {};  // the default in words; "": the value of a new T
  std::string_view choices = {};   // for a text: "auto|min|max"
  bool required = false;
};

// The description of a key for users.
struct KeyFacts {
  std::string name, type, doc;
  std::string fallback;  // JSON; "" without a default
  std::string choices;
  std::optional<double> low, high;
  bool required = false;
  std::vector<KeyFacts> keys = {};  // of an object
};

// A named choice (an optimizer, a loss) with the keys that it takes.
struct NamedFacts {
  std::string name, doc;
  std::vector<KeyFacts> keys;
};
// Returns the JSON of percale_engine_describe(): [{"name","doc","keys":[...]}], or a list of keys
// in that form.
std::string named_facts_json(const std::vector<NamedFacts>& facts);
std::string key_facts_json(const std::vector<KeyFacts>& keys);

// INVALID_ARGUMENT unless `object` is an object that has no other keys. UNIMPLEMENTED for a key of
// `unsupported` that is neither null nor false. `where` names the object in messages.
Status check_known_keys(const Json& object, std::string_view where, const std::vector<std::string>& known,
                        std::span<const Unsupported> unsupported = {});

namespace key_table {

Status read(const Json& object, std::string_view key, double low, double high, std::string_view choices, double* out);
Status read(const Json& object, std::string_view key, double low, double high, std::string_view choices, int64_t* out);
Status read(const Json& object, std::string_view key, double low, double high, std::string_view choices, bool* out);
Status read(const Json& object, std::string_view key, double low, double high, std::string_view choices,
            std::string* out);
template <class V>
Status read(const Json& object, std::string_view key, double low, double high, std::string_view choices,
            std::optional<V>* out) {
  if (present(object, key) == nullptr) return {};
  V value{};
  PERCALE_RETURN_IF_ERROR(read(object, key, low, high, choices, &value));
  *out = value;
  return {};
}

inline std::string_view type_name(const double&) { return "float"; }
inline std::string_view type_name(const int64_t&) { return "int"; }
inline std::string_view type_name(const bool&) { return "switch"; }
inline std::string_view type_name(const std::string&) { return "text"; }
template <class V>
std::string_view type_name(const std::optional<V>&) {
  return type_name(V{});
}

template <class V>
std::string json_text(const V& value) {
  JsonWriter json;
  json.value(value);
  return json.text();
}
template <class V>
std::string json_text(const std::optional<V>& value) {
  return value ? json_text(*value) : std::string();
}

KeyFacts facts(std::string_view name, std::string_view type, std::string_view doc, double low, double high,
               std::string_view choices, bool required);
Status missing(const Json& object, std::string_view where, std::string_view key);

}  // namespace key_table

template <class T>
void add_names(std::span<const Key<T>> keys, std::vector<std::string>* out) {
  for (const Key<T>& key : keys) out->emplace_back(key.name);
}

// Sets the members whose keys are present and not null. OUT_OF_RANGE names the bounds,
// INVALID_ARGUMENT a missing required key. A value that is not an object has no keys.
template <class T>
Status read_members(const Json& object, std::string_view where, std::span<const Key<T>> keys, T* out) {
  for (const Key<T>& key : keys) {
    if (present(object, key.name) == nullptr) {
      if (key.required) return key_table::missing(object, where, key.name);
      continue;
    }
    PERCALE_RETURN_IF_ERROR(std::visit(
        [&](auto member) -> Status {
          if constexpr (std::is_same_v<decltype(member), ByHand>) {
            return {};
          } else {
            return key_table::read(object, key.name, key.low, key.high, key.choices, &(out->*member));
          }
        },
        key.value));
  }
  return {};
}

// Reads an object that has these keys and no others. See check_known_keys() and read_members().
template <class T>
Status read_object(const Json& object, std::string_view where, std::span<const Key<T>> keys, T* out) {
  std::vector<std::string> known;
  add_names(keys, &known);
  PERCALE_RETURN_IF_ERROR(check_known_keys(object, where, known));
  return read_members(object, where, keys, out);
}

// Describes the keys. `start` holds the defaults.
template <class T>
std::vector<KeyFacts> key_facts(std::span<const Key<T>> keys, const T& start = T()) {
  std::vector<KeyFacts> out;
  for (const Key<T>& key : keys) {
    out.push_back(std::visit(
        [&](auto member) {
          const auto facts = [&](std::string_view type) {
            return key_table::facts(key.name, type, key.doc, key.low, key.high, key.choices, key.required);
          };
          if constexpr (std::is_same_v<decltype(member), ByHand>) {
            return facts(member.type);
          } else {
            KeyFacts own = facts(key_table::type_name(start.*member));
            if (!key.required) own.fallback = key_table::json_text(start.*member);
            return own;
          }
        },
        key.value));
    if (!key.fallback.empty()) out.back().fallback = key_table::json_text(key.fallback);
  }
  return out;
}

// Returns the names of the keys and the values of their members as JSON. Empty optionals are
// omitted.
template <class T>
std::vector<std::pair<std::string, std::string>> key_values(std::span<const Key<T>> keys, const T& of) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Key<T>& key : keys) {
    std::visit(
        [&](auto member) {
          if constexpr (!std::is_same_v<decltype(member), ByHand>) {
            std::string value = key_table::json_text(of.*member);
            if (!value.empty()) out.emplace_back(key.name, std::move(value));
          }
        },
        key.value);
  }
  return out;
}

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_KEY_TABLE_H_
