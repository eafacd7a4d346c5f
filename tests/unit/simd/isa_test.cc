#include <doctest/doctest.h>

#include "devices/cpu/simd/simd.h"

namespace {

using namespace percale::simd;  // NOLINT

TEST_CASE("the option isa names a cap and refuses other words") {
  CHECK(parse_isa_cap("auto") == kHighestIsa);
  CHECK(parse_isa_cap("sse4") == Isa::kSse4);
  CHECK(parse_isa_cap("avx2") == Isa::kAvx2);
  CHECK(parse_isa_cap("avx512") == Isa::kAvx512);
  CHECK(parse_isa_cap("neon") == Isa::kNeon);
  CHECK_FALSE(parse_isa_cap("AVX2").has_value());
  CHECK_FALSE(parse_isa_cap("").has_value());
  CHECK(capped(Isa::kAvx512, Isa::kAvx2) == Isa::kAvx2);
  CHECK(capped(Isa::kSse4, Isa::kAvx512) == Isa::kSse4);
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

#if defined(__x86_64__)
TEST_CASE("the processor's instruction set agrees with the compiler's own detection") {
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  CHECK((detect_isa() >= Isa::kAvx2) == avx2);
  CHECK((detect_isa() >= Isa::kAvx512) == avx512);
}
#endif

}  // namespace
