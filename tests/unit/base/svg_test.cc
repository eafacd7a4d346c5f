#include "core/text/svg.h"

#include <doctest/doctest.h>

namespace percale {

TEST_CASE("text for a drawing is escaped, valid UTF-8, and cut between letters") {
  CHECK(svg_escaped("a<b>&\"c\"") == "a&lt;b&gt;&amp;&quot;c&quot;");
  CHECK(svg_escaped("a\nb\x1b") == "a b ");
  CHECK(svg_escaped("\xff\xc3") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(svg_escaped("\xC3\xA4\xC3\xB6\xC3\xBC", 2) == "\xC3\xA4\xC3\xB6\xE2\x80\xA6");
  CHECK(svg_escaped("abc", 3) == "abc");
}

}  // namespace percale
