#include "core/text/json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace percale {
namespace {

std::string message(std::string_view text, const JsonLimits& limits = {}) {
  const auto parsed = Json::parse(text, limits);
  REQUIRE_FALSE(parsed.ok());
  return std::string(parsed.status().message());
}

TEST_CASE("every kind of value is read, objects in the order of the text") {
  const auto parsed = Json::parse(R"( {"b": [1, -2, 2.5, 1e3], "a": {"t": true, "n": null}, "s": "x\u00e9\n"} )");
  REQUIRE(parsed.ok());
  const Json& root = *parsed;
  REQUIRE(root.size() == 3);
  CHECK(root.key(0) == "b");
  const Json& list = root.item(0);
  CHECK(*list.item(0).as_int("b") == 1);
  CHECK(*list.item(1).as_int("b") == -2);
  CHECK(*list.item(2).as_double("b") == 2.5);
  CHECK(list.item(3).kind() == Json::Kind::kDouble);
  CHECK(*list.item(3).as_double("b") == 1000);
  CHECK(*root.find("a")->find("t")->as_bool("t"));
  CHECK(root.find("a")->find("n")->is_null());
  CHECK(*root.find("s")->as_string("s") == "x\xC3\xA9\n");
  CHECK(root.find("q") == nullptr);
}

TEST_CASE("numbers keep all their bits") {
  const auto parsed = Json::parse(
      "[9223372036854775807,-9223372036854775808,0.1,1.7976931348623157e308,5e-324,-0.0,0e5,"
      "12345678901234567890]");
  REQUIRE(parsed.ok());
  CHECK(*parsed->item(0).as_int("") == INT64_MAX);
  CHECK(*parsed->item(1).as_int("") == INT64_MIN);
  CHECK(*parsed->item(2).as_double("") == 0.1);
  CHECK(*parsed->item(3).as_double("") == std::numeric_limits<double>::max());
  CHECK(*parsed->item(4).as_double("") == std::numeric_limits<double>::denorm_min());
  CHECK(std::signbit(*parsed->item(5).as_double("")));
  CHECK(*parsed->item(6).as_double("") == 0);
  CHECK_FALSE(parsed->item(7).as_int("big").ok());
  CHECK(*parsed->item(7).as_double("") == 12345678901234567890.0);
}

TEST_CASE("a value knows where it stands") {
  const auto parsed = Json::parse("{\n  \"units\" : \"ten\",\n  \"list\": [1,\n 2]}");
  REQUIRE(parsed.ok());
  const Json* units = parsed->find("units");
  CHECK(units->line() == 2);
  CHECK(units->column() == 13);
  CHECK(units->as_int("units").status().message() == "line 2, column 13: 'units': wanted an integer, got a string");
  CHECK(parsed->find("list")->item(1).line() == 4);
  CHECK(parsed->find("list")->item(1).column() == 2);
}

TEST_CASE("what is not JSON is refused with its place") {
  CHECK(message("{\"a\": 1,\n \"b\" 2}").starts_with("line 2, column 6: "));
  for (const char* text :
       {"",      " ",          "{",       "[",       "[1",        "[1,",         "[1,]",   "{\"a\"}", "{\"a\":}",
        "{a:1}", "{\"a\":1,}", "1 2",     "tru",     "nul",       "+1",          "01",     "1.",      ".5",
        "1e",    "--1",        "\"",      "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\n\"", "[1}",     "{]",
        "NaN",   "Infinity",   "// c\n1", "'a'",     "[1]]",      "1e400",       "-1e999"}) {
    CAPTURE(text);
    CHECK_FALSE(Json::parse(text).ok());
  }
  CHECK_FALSE(Json::parse("\"\xFF\"").ok());
  CHECK_FALSE(Json::parse("\"\xC0\xAF\"").ok());
  CHECK_FALSE(Json::parse(std::string_view("{}\0", 3)).ok());
  CHECK_FALSE(Json::parse(std::string_view("{}\0{}", 5)).ok());
}

TEST_CASE("a key that stands twice is refused by name") {
  CHECK(message("{\"a\":1,\n\"b\":2,\n\"a\":3}") == "line 3, column 5: 'a': the key occurs twice in one object");
}

TEST_CASE("depth, number of values and bytes are limited, whatever the text") {
  CHECK(message(std::string(1000000, '[')).find("nested deeper than 64") != std::string::npos);
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += "{\"a\":";
  CHECK(message(nested).find("nested deeper") != std::string::npos);
  CHECK(Json::parse(std::string(64, '[') + std::string(64, ']')).ok());
  std::string many = "[0";
  for (int i = 0; i < 100; ++i) many += ",0";
  CHECK(message(many + "]", {.values = 50}).find("more than 50 values") != std::string::npos);
  CHECK(Json::parse("[1,2,3]", {.bytes = 6}).status().code() == Code::kResourceExhausted);
}

TEST_CASE("what the writer writes, the reader reads back") {
  JsonWriter writer;
  writer.begin_object().key("a\"\\\n\x01").begin_array().value(1).value(-0.1).value(true).null().end_array();
  writer.key("empty").begin_object().end_object().key("text").value("\xC3\xA9\x7F").key("nan").value(std::nan(""));
  writer.key("big").value(INT64_MIN).end_object();
  CHECK(writer.text() ==
        "{\"a\\\"\\\\\\n\\u0001\":[1,-0.1,true,null],\"empty\":{},\"text\":\"\xC3\xA9\\u007f\","
        "\"nan\":null,\"big\":-9223372036854775808}");
  const auto parsed = Json::parse(writer.text());
  REQUIRE(parsed.ok());
  CHECK(parsed->key(0) == "a\"\\\n\x01");
  CHECK(*parsed->item(0).item(1).as_double("") == -0.1);
}

TEST_CASE("bytes that are no UTF-8 are written as the replacement character") {
  for (const char* bad : {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    JsonWriter writer;
    writer.value(bad);
    CAPTURE(bad);
    REQUIRE(Json::parse(writer.text()).ok());
    CHECK(writer.text().find("\xEF\xBF\xBD") != std::string::npos);
  }
}

}  // namespace
}  // namespace percale
