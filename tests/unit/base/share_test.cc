#include "core/base/share.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace percale {
namespace {

TEST_CASE("shares of large numbers are those of a product of 128 bits") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto total = static_cast<int64_t>(random() >> (1 + i % 60));
    const auto parts = static_cast<int64_t>(1 + random() % INT32_MAX);
    const auto part = static_cast<int64_t>(random() % static_cast<uint64_t>(parts + 1));
    const auto exact = static_cast<int64_t>(static_cast<__int128>(total) * part / parts);
    CHECK(share_of(total, part, parts) == exact);
  }
  CHECK(share_of(INT64_MAX, 7, 7) == INT64_MAX);
  CHECK(share_of(10, 0, 3) == 0);
}

}  // namespace
}  // namespace percale
