// Tables of the keys of JSON objects. One row gives a key's name, member, range, default and
// meaning. Reading, error messages, percale_engine_describe(), `percale list`, SPEC.md, the options
// of a trainer and the description of a job in a checkpoint are made from the rows.
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
#include "core/text/option.h"
#include "core/train/layers/unsupported.h"
#include "core/train/method/json_keys.h"

namespace percale {

// Marks a key that read_members() skips: the code that owns the table reads it.
struct ByHand {
  // "int", "float", "bytes", "switch", "text", "list", "object", or several: "text or object"
  std::string_view type;
};

template <class T>
struct Key;

// Marks a key that a function reads. `value` is present and not null; `key` is the row.
template <class T>
struct ReadBy {
  std::string_view type;  // as in ByHand
  Status (*read)(const Json& value, const Key<T>& key, T* out);
};

// Marks a key that takes a number of bytes, or a text such as "2GB".
template <class T>
struct Bytes {
  int64_t T::*member;
};

// The option of the C ABI that sets the key of a row.
struct AsOption {
  // The form of the option's text.
  enum class Form : uint8_t {
    kPlain,       // by the type of the key: a number, a switch, bytes, one of the choices, a text
    kText,        // the text as it is
    kJson,        // JSON
    kNameOrJson,  // json_or_name()
    kList,        // texts separated by commas
  };
  std::string_view name;  // "": no option sets the key
  Form form = Form::kPlain;
  std::string_view note = {};                        // follows the doc of the key
  std::string_view fallback = {};                    // the default, for a key that a function reads
  bool with_spec = true;                             // false: a SPEC says it itself
  Status (*check)(std::string_view text) = nullptr;  // of a text, when the option is set
};

// One key of a JSON object that is read into a T.
template <class T>
struct Key {
  using Value = std::variant<ByHand, ReadBy<T>, Bytes<T>, double T::*, int64_t T::*, bool T::*, std::string T::*,
                             std::optional<double> T::*, std::optional<int64_t> T::*, std::optional<bool> T::*>;
  std::string_view name;
  Value value;
  std::string_view doc;
  // Inclusive bounds
  double low = -std::numeric_limits<double>::max(), high = std::numeric_limits<double>::max();
  std::string_view fallback = {};  // the default in words; "": the value of a new T
  std::string_view choices = {};   // for a text: "auto|min|max"
  bool required = false;
  AsOption option = {};
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

Status read(const Json& value, std::string_view key, double low, double high, std::string_view choices, double* out);
Status read(const Json& value, std::string_view key, double low, double high, std::string_view choices, int64_t* out);
Status read(const Json& value, std::string_view key, double low, double high, std::string_view choices, bool* out);
Status read(const Json& value, std::string_view key, double low, double high, std::string_view choices,
            std::string* out);
template <class V>
Status read(const Json& json, std::string_view key, double low, double high, std::string_view choices,
            std::optional<V>* out) {
  V value{};
  PERCALE_RETURN_IF_ERROR(read(json, key, low, high, choices, &value));
  *out = value;
  return {};
}
Status read_bytes(const Json& value, std::string_view key, double low, int64_t* out);

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

// Sets what the key sets from its value, which is not null. OUT_OF_RANGE names the bounds.
template <class T>
Status read_value(const Json& value, const Key<T>& key, T* out) {
  return std::visit(
      [&](auto how) -> Status {
        using How = decltype(how);
        if constexpr (std::is_same_v<How, ByHand>) {
          return {};
        } else if constexpr (std::is_same_v<How, ReadBy<T>>) {
          return how.read(value, key, out);
        } else if constexpr (std::is_same_v<How, Bytes<T>>) {
          return key_table::read_bytes(value, key.name, key.low, &(out->*how.member));
        } else {
          return key_table::read(value, key.name, key.low, key.high, key.choices, &(out->*how));
        }
      },
      key.value);
}

// Reads the values of keys that are present and not null, in the order of the table.
// INVALID_ARGUMENT names a missing required key. A value that is not an object has no keys.
template <class T>
Status read_members(const Json& object, std::string_view where, std::span<const Key<T>> keys, T* out) {
  for (const Key<T>& key : keys) {
    const Json* value = present(object, key.name);
    if (value == nullptr) {
      if (key.required) return key_table::missing(object, where, key.name);
      continue;
    }
    PERCALE_RETURN_IF_ERROR(read_value(*value, key, out));
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
        [&](auto how) {
          using How = decltype(how);
          const auto facts = [&](std::string_view type, std::string fallback) {
            KeyFacts own = key_table::facts(key.name, type, key.doc, key.low, key.high, key.choices, key.required);
            if (!key.required) own.fallback = std::move(fallback);
            return own;
          };
          if constexpr (std::is_same_v<How, ByHand> || std::is_same_v<How, ReadBy<T>>) {
            return facts(how.type, "");
          } else if constexpr (std::is_same_v<How, Bytes<T>>) {
            return facts("bytes", key_table::json_text(start.*how.member));
          } else {
            return facts(key_table::type_name(start.*how), key_table::json_text(start.*how));
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
        [&](auto how) {
          using How = decltype(how);
          if constexpr (std::is_member_object_pointer_v<How>) {
            std::string value = key_table::json_text(of.*how);
            if (!value.empty()) out.emplace_back(key.name, std::move(value));
          }
        },
        key.value);
  }
  return out;
}

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_KEY_TABLE_H_
