// Reading and writing JSON (RFC 8259), used by safetensors headers, manifests, training specs and
// --json. Only json.cc includes the JSON library.
#ifndef PERCALE_CORE_TEXT_JSON_H_
#define PERCALE_CORE_TEXT_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/status.h"

namespace percale {

struct JsonLimits {
  size_t bytes = size_t{256} << 20;
  size_t depth = 64;  // nesting depth of arrays and objects
  size_t values = size_t{1} << 20;
};

// A parsed JSON value with its position in the text. Copyable; owns its contents.
class Json {
 public:
  Json() = default;  // null, without a position

  enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

  // Parses `text`. INVALID_ARGUMENT names line, column and cause: bad syntax, bad UTF-8, a
  // duplicate key in an object, text after the value. RESOURCE_EXHAUSTED if a limit is exceeded.
  // The parser is iterative, so that nesting uses no stack.
  static Result<Json> parse(std::string_view text, const JsonLimits& limits = {});

  // Make a value without a text. Its position is line 1, column 1.
  static Json of(bool flag) { return Json(Value(flag)); }
  static Json of(int64_t number) { return Json(Value(number)); }
  static Json of(double number) { return Json(Value(number)); }
  static Json of(std::string text) { return Json(Value(std::move(text))); }
  static Json of(const char*) = delete;  // would become a flag
  static Json list(std::vector<Json> items) { return Json(Value(Array{std::move(items)})); }

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_object() const { return kind() == Kind::kObject; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_string() const { return kind() == Kind::kString; }

  // Returns the number of elements of an array or of keys of an object; 0 for every other kind. The
  // values of an object keep the order of the text.
  size_t size() const;
  // Precondition: i < size(); key() also requires an object.
  const Json& item(size_t i) const;
  const std::string& key(size_t i) const;
  // Returns the value of an object's key, or null if it is absent or this is not an object. Takes
  // linear time: iterate over large objects by index.
  const Json* find(std::string_view key) const;

  // Return the value, or INVALID_ARGUMENT with the position, `what` (a key) and the kinds: "line 3,
  // column 9: 'units': wanted an integer, got a string". as_int() accepts numbers within int64 that
  // are written without fraction and exponent; as_double() accepts every number.
  Result<bool> as_bool(std::string_view what) const;
  Result<int64_t> as_int(std::string_view what) const;
  Result<double> as_double(std::string_view what) const;
  Result<std::string> as_string(std::string_view what) const;
  Result<std::vector<int64_t>> as_ints(std::string_view what) const;
  Status expect(Kind kind, std::string_view what) const;
  // Returns INVALID_ARGUMENT with "line L, column C: 'what': " before the parts.
  template <class... Parts>
  Status error(std::string_view what, const Parts&... parts) const {
    return invalid_argument("line ", line_, ", column ", column_, ": '", what, "': ", parts...);
  }
  // Position of the value, counted from 1. The column counts bytes.
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
  using Value = std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object>;
  explicit Json(Value value) : value_(std::move(value)), line_(1), column_(1) {}

  Value value_;
  uint32_t line_ = 0, column_ = 0;
};

// Returns "an integer", "a string" and so on.
std::string_view json_kind_name(Json::Kind kind);

// Writes JSON without white space; equal calls give equal bytes. The caller must pair begin and
// end, and must write a key before each value of an object.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  // Invalid UTF-8 bytes become U+FFFD.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag);
  JsonWriter& value(int64_t number);
  JsonWriter& value(int32_t number) { return value(int64_t{number}); }
  JsonWriter& value(uint32_t number) { return value(int64_t{number}); }
  // Writes the shortest text that reads back as the same number. Writes null for infinities and
  // NaN, which JSON cannot represent.
  JsonWriter& value(double number);
  JsonWriter& null();
  JsonWriter& raw(std::string_view json);  // `json` must be a valid JSON value
  const std::string& text() const { return text_; }

 private:
  void separate();
  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TEXT_JSON_H_
