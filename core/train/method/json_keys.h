// Reads single keys of JSON objects. core/train/method/key_table.h reads whole objects.
#ifndef PERCALE_CORE_TRAIN_METHOD_JSON_KEYS_H_
#define PERCALE_CORE_TRAIN_METHOD_JSON_KEYS_H_

#include <string_view>

#include "core/text/json.h"

namespace percale {

// Returns the value of the key; null if it is missing or null.
const Json* present(const Json& object, std::string_view key);

// Return a value that is present. `key` is its name in messages; see below for `low` and `high`.
Result<double> number_of(const Json& value, std::string_view key, double low, double high);
Result<int64_t> integer_of(const Json& value, std::string_view key, int64_t low, int64_t high);
// A number of bytes, or a text that parse_byte_size() takes: "2GB".
Result<int64_t> bytes_of(const Json& value, std::string_view key, int64_t low);

// Sets *out if the key is present and not null. `low` and `high` are inclusive bounds: OUT_OF_RANGE
// names them.
Status read_number(const Json& object, std::string_view key, double low, double high, double* out);
Status read_integer(const Json& object, std::string_view key, int64_t low, int64_t high, int64_t* out);
Status read_flag(const Json& object, std::string_view key, bool* out);
Status read_text(const Json& object, std::string_view key, std::string* out);

// Parses the text of an option: JSON (an object, a list, a string), or a bare name, which becomes a
// JSON string.
Result<Json> json_or_name(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_JSON_KEYS_H_
