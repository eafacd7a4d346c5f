// The JSON that the API returns. Only json.cc uses the JSON library.
#ifndef PERCALE_BINDINGS_CLI_JSON_H_
#define PERCALE_BINDINGS_CLI_JSON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace percale_cli {

// A value within a parsed text; shares the text. Access to a missing value gives an absent value,
// "" or 0.
class Json {
 public:
  Json() = default;
  static Json parse(const std::string& text);

  bool present() const { return value_ != nullptr; }
  bool given() const;  // present, and not null
  Json operator[](std::string_view key) const;
  std::vector<Json> items() const;
  std::vector<std::pair<std::string, Json>> members() const;
  std::string text() const;  // the contents of a string; the JSON text of any other value
  int64_t integer() const;
  double number() const;
  bool flag() const;

 private:
  struct Document;
  Json(std::shared_ptr<const Document> document, const void* value) : document_(std::move(document)), value_(value) {}
  std::shared_ptr<const Document> document_;
  const void* value_ = nullptr;
};

// Returns the text as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
// Returns the shortest JSON number that reads back the same; null for infinities and NaN.
std::string json_number(double value);

}  // namespace percale_cli

#endif  // PERCALE_BINDINGS_CLI_JSON_H_
