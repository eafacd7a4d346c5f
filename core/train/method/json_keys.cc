#include "core/train/method/json_keys.h"

#include "core/text/byte_size.h"

namespace percale {
namespace {

Status range_error(const Json& at, std::string_view key, const std::string& value, const std::string& low,
                   const std::string& high) {
  return out_of_range("line ", at.line(), ", column ", at.column(), ": '", key, "' is ", value, ", wanted ", low,
                      " to ", high);
}

}  // namespace

const Json* present(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

Status read_number(const Json& object, std::string_view key, double low, double high, double* out) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(const double number, value->as_double(key));
  if (!(number >= low && number <= high)) {
    return range_error(*value, key, str_cat(number), str_cat(low), str_cat(high));
  }
  *out = number;
  return {};
}

Status read_integer(const Json& object, std::string_view key, int64_t low, int64_t high, int64_t* out) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(const int64_t number, value->as_int(key));
  if (number < low || number > high) {
    return range_error(*value, key, str_cat(number), str_cat(low), str_cat(high));
  }
  *out = number;
  return {};
}

Status read_bytes(const Json& object, std::string_view key, int64_t low, int64_t* out) {
  const Json* value = object.find(key);
  if (value == nullptr || value->kind() != Json::Kind::kString) {
    return read_integer(object, key, low, int64_t{1} << 62, out);
  }
  PERCALE_ASSIGN_OR_RETURN(const std::string text, value->as_string(key));
  const auto bytes = parse_byte_size(text);
  if (!bytes.ok()) return value->error(key, bytes.status().message());
  if (*bytes < low) return value->error(key, "it is '", text, "', wanted at least ", low, " bytes");
  *out = *bytes;
  return {};
}

Status read_flag(const Json& object, std::string_view key, bool* out) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(*out, value->as_bool(key));
  return {};
}

Status read_text(const Json& object, std::string_view key, std::string* out) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(*out, value->as_string(key));
  return {};
}

Result<Json> json_or_name(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[' || text[first] == '"'))
    return Json::parse(text);
  JsonWriter quoted;
  quoted.value(text);
  return Json::parse(quoted.text());
}

}  // namespace percale
