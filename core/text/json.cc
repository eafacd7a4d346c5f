#include "core/text/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>

// RapidJSON's assertions only state what its grammar guarantees. They must not abort the host.
#define RAPIDJSON_ASSERT(condition) static_cast<void>(0)
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "core/text/utf8.h"

namespace percale {
namespace {

// RapidJSON's own allocator returns null if memory runs out, and RapidJSON would write to it.
class ThrowingAllocator {
 public:
  static constexpr bool kNeedFree = true;
  void* Malloc(size_t bytes) { return bytes > 0 ? ::operator new(bytes) : nullptr; }
  void* Realloc(void* old, size_t old_bytes, size_t bytes) {
    void* out = Malloc(bytes);
    if (old != nullptr && out != nullptr) std::memcpy(out, old, std::min(old_bytes, bytes));
    Free(old);
    return out;
  }
  static void Free(void* memory) { ::operator delete(memory); }
};

}  // namespace

// A text with a length as RapidJSON's input stream. RapidJSON copies its own stream types while it
// reads, but not this one. The builder can therefore ask where a token has ended.
class JsonTextStream {
 public:
  using Ch = char;
  explicit JsonTextStream(std::string_view text) : text_(text) {}
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char Take() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  size_t Tell() const { return at_; }
  // Required by the stream concept; called only for in-situ parsing.
  char* PutBegin() { return nullptr; }
  void Put(char) {}
  void Flush() {}
  size_t PutEnd(char*) { return 0; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// Receives the events of the reader and builds the values.
class JsonBuilder {
 public:
  JsonBuilder(std::string_view text, const JsonLimits& limits, const JsonTextStream& stream)
      : text_(text), limits_(limits), stream_(stream) {}

  bool Null() { return add(start()); }
  bool Bool(bool flag) {
    Json v = start();
    v.value_ = flag;
    return add(std::move(v));
  }
  // The token is taken from the text itself; the reader has already checked its grammar and its
  // end.
  bool RawNumber(const char*, rapidjson::SizeType, bool) {
    Json v = start();
    const std::string_view token = text_.substr(begin_, stream_.Tell() - begin_);
    const char* end = token.data() + token.size();
    int64_t whole = 0;
    double number = 0;
    if (const auto i = std::from_chars(token.data(), end, whole); i.ec == std::errc() && i.ptr == end) {
      v.value_ = whole;
    } else if (const auto d = std::from_chars(token.data(), end, number); d.ec == std::errc() && d.ptr == end) {
      v.value_ = number;
    } else {
      failure_ = invalid_argument("line ", v.line_, ", column ", v.column_, ": the number is out of range");
      return false;
    }
    return add(std::move(v));
  }
  // The reader calls none of these with kParseNumbersAsStringsFlag.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    Json v = start();
    v.value_ = std::string(text, size);
    return add(std::move(v));
  }
  bool StartObject() { return open(Json::Object{}); }
  bool StartArray() { return open(Json::Array{}); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    const Json place = start();
    if (!count(place)) return false;
    std::get<Json::Object>(open_.back().value_).keys.emplace_back(text, size);
    last_end_ = stream_.Tell();
    return true;
  }
  bool EndObject(rapidjson::SizeType) { return check_keys() && close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  Json& root() { return root_; }
  const std::optional<Status>& failure() const { return failure_; }
  // Computes line and column of byte `at`. Successive calls must not go backwards.
  void place(size_t at, uint32_t& line, uint32_t& column) {
    for (; placed_ < at && placed_ < text_.size(); ++placed_) {
      if (text_[placed_] == '\n') {
        ++line_;
        line_begin_ = placed_ + 1;
      }
    }
    line = line_;
    column = static_cast<uint32_t>(at - std::min(at, line_begin_)) + 1;
  }

 private:
  // Starts the value of the current event. The event comes after its token has been read, so the
  // token begins after the white space and punctuation that follow the previous token.
  Json start() {
    begin_ = std::min(text_.find_first_not_of(" \t\r\n,:", last_end_), text_.size());
    Json v;
    place(begin_, v.line_, v.column_);
    return v;
  }
  bool count(const Json& v) {
    if (++values_ <= limits_.values) return true;
    failure_ = resource_exhausted("line ", v.line_, ", column ", v.column_, ": more than ",
                                  static_cast<uint64_t>(limits_.values), " values");
    return false;
  }
  bool add(Json v) {
    if (!count(v)) return false;
    last_end_ = stream_.Tell();
    put(std::move(v));
    return true;
  }
  void put(Json v) {
    if (open_.empty()) {
      root_ = std::move(v);
    } else if (auto* array = std::get_if<Json::Array>(&open_.back().value_)) {
      array->items.push_back(std::move(v));
    } else {
      std::get<Json::Object>(open_.back().value_).items.push_back(std::move(v));
    }
  }
  template <class Container>
  bool open(Container container) {
    Json v = start();
    if (!count(v)) return false;
    if (open_.size() >= limits_.depth) {
      failure_ = resource_exhausted("line ", v.line_, ", column ", v.column_, ": nested deeper than ",
                                    static_cast<uint64_t>(limits_.depth));
      return false;
    }
    v.value_ = std::move(container);
    open_.push_back(std::move(v));
    last_end_ = begin_ + 1;  // brackets are consumed after their event
    return true;
  }
  bool close() {
    Json v = std::move(open_.back());
    open_.pop_back();
    put(std::move(v));
    last_end_ = stream_.Tell() + 1;
    return true;
  }
  bool check_keys() {
    const auto& object = std::get<Json::Object>(open_.back().value_);
    std::vector<size_t> order(object.keys.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return object.keys[a] < object.keys[b]; });
    for (size_t i = 1; i < order.size(); ++i) {
      if (object.keys[order[i]] != object.keys[order[i - 1]]) continue;
      const Json& second = object.items[std::max(order[i], order[i - 1])];
      failure_ = second.error(object.keys[order[i]], "the key occurs twice in one object");
      return false;
    }
    return true;
  }

  std::string_view text_;
  JsonLimits limits_;
  const JsonTextStream& stream_;
  std::vector<Json> open_;
  Json root_;
  std::optional<Status> failure_;
  size_t values_ = 0, begin_ = 0, last_end_ = 0;
  size_t placed_ = 0, line_begin_ = 0;
  uint32_t line_ = 1;
};

Result<Json> Json::parse(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return resource_exhausted("JSON of ", static_cast<uint64_t>(text.size()), " bytes, the limit is ",
                              static_cast<uint64_t>(limits.bytes));
  }
  JsonTextStream stream(text);
  JsonBuilder builder(text, limits, stream);
  ThrowingAllocator allocator;
  rapidjson::GenericReader<rapidjson::UTF8<>, rapidjson::UTF8<>, ThrowingAllocator> reader(&allocator);
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (builder.failure().has_value()) return *builder.failure();
  uint32_t line = 0, column = 0;
  if (result.IsError()) {
    builder.place(result.Offset(), line, column);
    return invalid_argument("line ", line, ", column ", column, ": ", rapidjson::GetParseError_En(result.Code()));
  }
  // The reader stops at a NUL as if the text ended there.
  if (stream.Tell() < text.size()) {
    builder.place(stream.Tell(), line, column);
    return invalid_argument("line ", line, ", column ", column, ": a NUL byte");
  }
  return std::move(builder.root());
}

size_t Json::size() const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->items.size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->items.size();
  return 0;
}

const Json& Json::item(size_t i) const {
  if (const auto* array = std::get_if<Array>(&value_)) return array->items[i];
  return std::get_if<Object>(&value_)->items[i];
}

const std::string& Json::key(size_t i) const { return std::get_if<Object>(&value_)->keys[i]; }

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::find(object->keys.begin(), object->keys.end(), key);
  return found == object->keys.end() ? nullptr : &object->items[static_cast<size_t>(found - object->keys.begin())];
}

std::string_view json_kind_name(Json::Kind kind) {
  static constexpr std::string_view kNames[] = {"null",     "true or false", "an integer", "a number",
                                                "a string", "an array",      "an object"};
  return kNames[static_cast<size_t>(kind)];
}

Status Json::expect(Kind wanted, std::string_view what) const {
  if (kind() == wanted) return {};
  return error(what, "wanted ", json_kind_name(wanted), ", got ", json_kind_name(kind()));
}

Result<bool> Json::as_bool(std::string_view what) const {
  PERCALE_RETURN_IF_ERROR(expect(Kind::kBool, what));
  return *std::get_if<bool>(&value_);
}

Result<int64_t> Json::as_int(std::string_view what) const {
  PERCALE_RETURN_IF_ERROR(expect(Kind::kInt, what));
  return *std::get_if<int64_t>(&value_);
}

Result<double> Json::as_double(std::string_view what) const {
  if (const auto* whole = std::get_if<int64_t>(&value_)) return static_cast<double>(*whole);
  PERCALE_RETURN_IF_ERROR(expect(Kind::kDouble, what));
  return *std::get_if<double>(&value_);
}

Result<std::string> Json::as_string(std::string_view what) const {
  PERCALE_RETURN_IF_ERROR(expect(Kind::kString, what));
  return *std::get_if<std::string>(&value_);
}

Result<std::vector<int64_t>> Json::as_ints(std::string_view what) const {
  PERCALE_RETURN_IF_ERROR(expect(Kind::kArray, what));
  std::vector<int64_t> out;
  out.reserve(size());
  for (const Json& element : std::get_if<Array>(&value_)->items) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t number, element.as_int(what));
    out.push_back(number);
  }
  return out;
}

void JsonWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += '{';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  text_ += '}';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += '[';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  text_ += ']';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

namespace {}

JsonWriter& JsonWriter::value(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  separate();
  text_ += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0) {
      text_ += kReplacementCharacter;
    } else if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      text_ += "\\u00";
      text_ += kDigits[c >> 4];
      text_ += kDigits[c & 15];
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  separate();
  text_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::value(int64_t number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  text_.append(digits, end.ptr);
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

}  // namespace percale
