#include "core/text/byte_size.h"

#include <doctest/doctest.h>

namespace percale {

TEST_CASE("sizes are numbers with units of 1000 or 1024") {
  CHECK(*parse_byte_size("0") == 0);
  CHECK(*parse_byte_size("4096") == 4096);
  CHECK(*parse_byte_size("4096B") == 4096);
  CHECK(*parse_byte_size("1kB") == 1000);
  CHECK(*parse_byte_size("2GB") == 2000000000);
  CHECK(*parse_byte_size("1.5gb") == 1500000000);
  CHECK(*parse_byte_size("512 MiB") == int64_t{512} << 20);
  CHECK(*parse_byte_size("2G") == int64_t{2} << 30);
  CHECK(*parse_byte_size("1TiB") == int64_t{1} << 40);
  CHECK(*parse_byte_size("9007199254740993") == 9007199254740993);
}

TEST_CASE("what is no size is refused by name") {
  for (const char* text : {"", "GB", "-1", "1e3", "1XB", "1 G B", "nan", "inf", "0x10", " 1", "1.2.3", "2GBs"}) {
    CAPTURE(text);
    const auto size = parse_byte_size(text);
    REQUIRE_FALSE(size.ok());
    CHECK(size.status().code() == Code::kInvalidArgument);
    CHECK(size.status().message().find("500MB") != std::string_view::npos);
  }
  for (const char* text : {"5000000TB", "4611686018427387904", "99999999999999999999999999"}) {
    CHECK(parse_byte_size(text).status().code() == Code::kOutOfRange);
  }
}

}  // namespace percale
