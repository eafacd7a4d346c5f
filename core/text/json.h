// JSON in and out (RFC 8259): safetensors headers, manifests, training specs, --json. json.cc alone knows the library.
#ifndef PERCALE_CORE_TEXT_JSON_H_
#define PERCALE_CORE_TEXT_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/status.h"

namespace percale {

struct JsonLimits {
  size_t bytes = size_t{256} << 20;
  size_t depth = 64;  // of arrays and objects within each other
  size_t values = size_t{1} << 20;
};

// A parsed value with the place in the text where it starts. A plain value.
class Json {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

  // INVALID_ARGUMENT names line, column and what is wrong: bad syntax, bad UTF-8, a key that stands twice in an object,
  // text after the value. RESOURCE_EXHAUSTED where a limit is passed. Iterative: depth costs no stack.
  static Result<Json> parse(std::string_view text, const JsonLimits& limits = {});

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_object() const { return kind() == Kind::kObject; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_string() const { return kind() == Kind::kString; }

  // Elements of an array, values of an object in the order of the text; 0 for every other kind.
  size_t size() const;
  // Precondition: i < size(); key() for objects alone.
  const Json& item(size_t i) const;
  const std::string& key(size_t i) const;
  // The value of an object's key; null when it is absent or this is no object. Linear: walk large objects by index.
  const Json* find(std::string_view key) const;

  // The value, or an INVALID_ARGUMENT that names place, `what` (a key) and kinds: "line 3, column 9: 'units': wanted an
  // integer, got a string". as_int takes whole numbers within int64 written without fraction and exponent, as_double
  // every number.
  Result<bool> as_bool(std::string_view what) const;
  Result<int64_t> as_int(std::string_view what) const;
  Result<double> as_double(std::string_view what) const;
  Result<std::string> as_string(std::string_view what) const;
  Result<std::vector<int64_t>> as_ints(std::string_view what) const;
  Status expect(Kind kind, std::string_view what) const;
  // INVALID_ARGUMENT with "line L, column C: 'what': " before the parts.
  template <class... Parts>
  Status error(std::string_view what, const Parts&... parts) const {
    return invalid_argument("line ", line_, ", column ", column_, ": '", what, "': ", parts...);
  }
  // Both from 1; the column counts bytes.
  uint32_t line() const { return line_; }
  uint32_t column() const { return column_; }

 private:
  friend class JsonBuilder;
  struct Array {
    std::vector<Json> items;
  };
  struct Object {
    std::vector<std::string> keys;
    std::vector<Json> items;
  };
  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
  uint32_t line_ = 0, column_ = 0;
};

// "an integer", "a string", ...
std::string_view json_kind_name(Json::Kind kind);

// Writes JSON text without white space, the same bytes for the same calls. The caller nests begin and end correctly and
// puts a key before each value of an object.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);  // bytes that are no UTF-8 become U+FFFD
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(int64_t number);
  JsonWriter& value(int32_t number) { return value(int64_t{number}); }
  JsonWriter& value(uint32_t number) { return value(int64_t{number}); }
  // The shortest text that reads back as the same number; null for infinities and NaN, which JSON has not.
  JsonWriter& value(double number);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // a value that is JSON already
  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_JSON_H_
