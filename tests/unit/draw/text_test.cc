#include "core/draw/layout/text.h"

#include <doctest/doctest.h>

namespace percale {

TEST_CASE("a text that is too wide keeps its end, which fits") {
  const std::string name = "encoder/layer/11/attention/self/query/MatMul";
  const std::string cut = shortened(name, 120, kTextSize);
  CHECK(cut.starts_with("\xE2\x80\xA6"));
  CHECK(cut.ends_with("query/MatMul"));
  CHECK(text_width(cut, kTextSize) <= 120);
  CHECK(shortened("MatMul", 120, kTextSize) == "MatMul");
  CHECK(shortened("MatMul", 1, kTextSize) == "\xE2\x80\xA6");
}

TEST_CASE("code points are never cut, and bytes that are no UTF-8 have a width") {
  const std::string umlauts = "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\xC3\xBC";
  const std::string cut = shortened(umlauts, 40, kTextSize);
  CHECK(cut.size() % 2 == 1);  // the ellipsis has three bytes, each umlaut two
  CHECK(text_width("\xff\xfe", kTextSize) == text_width("ab", kTextSize));
  CHECK(text_width("mmmm", kTextSize) > text_width("iiii", kTextSize));
  CHECK(text_width("name", kTitleSize) > text_width("name", kTextSize));
}

}  // namespace percale
