#include "core/train/method/json_keys.h"

#include <limits>

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

Result<double> number_of(const Json& value, std::string_view key, double low, double high) {
  PERCALE_ASSIGN_OR_RETURN(const double number, value.as_double(key));
  const bool bounded = high < std::numeric_limits<double>::max();
  if (!(number >= low) || (bounded && number > high))
    return range_error(value, key, str_cat(number), str_cat(low), str_cat(high));
  return number;
}

Result<int64_t> integer_of(const Json& value, std::string_view key, int64_t low, int64_t high) {
  PERCALE_ASSIGN_OR_RETURN(const int64_t number, value.as_int(key));
  if (number < low || number > high) return range_error(value, key, str_cat(number), str_cat(low), str_cat(high));
  return number;
}

Result<int64_t> bytes_of(const Json& value, std::string_view key, int64_t low) {
  if (!value.is_string()) return integer_of(value, key, low, int64_t{1} << 62);
  PERCALE_ASSIGN_OR_RETURN(const std::string text, value.as_string(key));
  const auto bytes = parse_byte_size(text);
  if (!bytes.ok()) return value.error(key, bytes.status().message());
  if (*bytes < low) return value.error(key, "it is '", text, "', wanted at least ", low, " bytes");
  return *bytes;
}

Status read_number(const Json& object, std::string_view key, double low, double high, double* out) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(*out, number_of(*value, key, low, high));
  return {};
}

Status read_integer(const Json& object, std::string_view key, int64_t low, int64_t high, int64_t* out) {
  const Json* value = present(object, key);
  if (value == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(*out, integer_of(*value, key, low, high));
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
  return Json::of(std::string(text));
}

}  // namespace percale
