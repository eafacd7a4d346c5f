#include "json.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

#define RAPIDJSON_ASSERT(x)               \
  do {                                    \
    if (!(x)) throw std::logic_error(#x); \
  } while (false)
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace percale_cli {

struct Json::Document {
  rapidjson::Document root;
};

namespace {
const rapidjson::Value& as(const void* value) { return *static_cast<const rapidjson::Value*>(value); }
}  // namespace

Json Json::parse(const std::string& text) {
  auto document = std::make_shared<Document>();
  document->root.Parse<rapidjson::kParseFullPrecisionFlag | rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document->root.HasParseError()) return {};
  const rapidjson::Value* root = &document->root;
  return {std::move(document), root};
}

Json Json::operator[](std::string_view key) const {
  if (value_ == nullptr || !as(value_).IsObject()) return {};
  const auto found = as(value_).FindMember(
      rapidjson::Value(rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size()))));
  return found == as(value_).MemberEnd() ? Json() : Json(document_, &found->value);
}

bool Json::given() const { return value_ != nullptr && !as(value_).IsNull(); }

std::vector<Json> Json::items() const {
  std::vector<Json> out;
  if (value_ == nullptr || !as(value_).IsArray()) return out;
  for (const auto& item : as(value_).GetArray()) out.push_back(Json(document_, &item));
  return out;
}

std::vector<std::pair<std::string, Json>> Json::members() const {
  std::vector<std::pair<std::string, Json>> out;
  if (value_ == nullptr || !as(value_).IsObject()) return out;
  for (const auto& member : as(value_).GetObject()) {
    out.emplace_back(std::string(member.name.GetString(), member.name.GetStringLength()),
                     Json(document_, &member.value));
  }
  return out;
}

std::string Json::text() const {
  if (value_ == nullptr) return {};
  if (as(value_).IsString()) return {as(value_).GetString(), as(value_).GetStringLength()};
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  as(value_).Accept(writer);
  return buffer.GetString();
}

int64_t Json::integer() const {
  if (value_ == nullptr) return 0;
  if (as(value_).IsInt64()) return as(value_).GetInt64();
  return as(value_).IsNumber() ? static_cast<int64_t>(as(value_).GetDouble()) : 0;
}

double Json::number() const { return value_ != nullptr && as(value_).IsNumber() ? as(value_).GetDouble() : 0; }

bool Json::flag() const { return value_ != nullptr && as(value_).IsBool() && as(value_).GetBool(); }

std::string json_string(std::string_view text) {
  std::string out = "\"";
  rapidjson::MemoryStream in(text.data(), text.size());
  while (in.Tell() < text.size()) {
    const size_t begin = in.Tell();
    unsigned code = 0;
    const bool whole = rapidjson::UTF8<>::Decode(in, &code) && in.Tell() <= text.size();
    const char c = text[begin];
    if (!whole) {  // an invalid UTF-8 byte, as in some file names
      out += "\\ufffd";
      in.src_ = in.begin_ + begin + 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7F) {
      constexpr std::string_view kHex = "0123456789abcdef";
      out += "\\u00";
      out += kHex[code >> 4];
      out += kHex[code & 15];
    } else {
      out += text.substr(begin, in.Tell() - begin);
    }
  }
  return out + '"';
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace percale_cli
