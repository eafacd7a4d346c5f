#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "devices/cpu/simd/simd.h"

namespace {

using namespace percale::simd;  // NOLINT

// Empty on other systems, and on processors whose flags have another name.
std::set<std::string> flags_of_processor() {
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
  }
  return {};
}

TEST_CASE("the option isa names a cap and refuses other words") {
  CHECK(parse_isa_cap("auto") == kHighestIsa);
  CHECK(parse_isa_cap("sse4") == Isa::kSse4);
  CHECK(parse_isa_cap("avx2") == Isa::kAvx2);
  CHECK(parse_isa_cap("avx512") == Isa::kAvx512);
  CHECK(parse_isa_cap("neon") == Isa::kNeon);
  CHECK_FALSE(parse_isa_cap("AVX2").has_value());
  CHECK_FALSE(parse_isa_cap("").has_value());
}

TEST_CASE("a cap gives the lower of two sets that are built") {
  const auto is_built = [](int isa) { return (PERCALE_ISAS >> isa & 1) != 0; };
  for (int low = 0; low < kIsaCount; ++low) {
    for (int high = low; high < kIsaCount; ++high) {
      if (!is_built(low) || !is_built(high)) continue;
      CHECK(capped(static_cast<Isa>(low), static_cast<Isa>(high)) == static_cast<Isa>(low));
      CHECK(capped(static_cast<Isa>(high), static_cast<Isa>(low)) == static_cast<Isa>(low));
    }
    CHECK(capped(Isa::kNone, static_cast<Isa>(low)) == Isa::kNone);
  }
}

TEST_CASE("each table says which instruction set it is for") {
  for (int i = 0; i < kIsaCount; ++i) {
    const Isa isa = static_cast<Isa>(i);
    REQUIRE(simd_table(isa));
    CHECK(simd_table(isa)->isa == isa);
    CHECK(parse_isa_cap(isa_name(isa)) == isa);
  }
  CHECK(simd_table(Isa::kNone) == nullptr);
}

TEST_CASE("the processor's instruction set agrees with what Linux says of it") {
  const std::set<std::string> flags = flags_of_processor();
  if (flags.empty()) return;
  const bool avx2 = flags.contains("avx2") && flags.contains("fma");
  const bool avx512 = avx2 && flags.contains("avx512bw") && flags.contains("avx512vl");
  CHECK((detect_isa() >= Isa::kAvx2) == avx2);
  CHECK((detect_isa() >= Isa::kAvx512) == avx512);
}

}  // namespace
