#include "core/train/data/prefetch.h"

#include <doctest/doctest.h>

#include <numeric>

namespace percale {

TEST_CASE("batches are the same with and without a thread, from any position to the end of the last epoch") {
  std::vector<int64_t> y(25);
  std::iota(y.begin(), y.end(), 0);
  auto data = Dataset::create({{"y", Tensor::vector(std::span<const int64_t>(y))}}, std::make_shared<MemoryPool>());
  REQUIRE(data.ok());
  REQUIRE((*data)->configure({.batch_size = 4, .shuffle_seed = 1}).ok());
  const auto all_from = [&](DatasetPosition first, size_t ahead) {
    const auto source = Prefetcher::create(*data, first, 3, ahead, {});
    REQUIRE(source.ok());
    std::vector<int64_t> out;
    for (;;) {
      const auto batch = (*source)->next();
      if (!batch.ok()) {
        CHECK(batch.status().code() == Code::kOutOfRange);
        CHECK((*source)->next().status().code() == Code::kOutOfRange);
        return out;
      }
      const auto rows = (*batch)[0].span<int64_t>();
      out.insert(out.end(), rows.begin(), rows.end());
    }
  };
  const auto whole = all_from({0, 0}, 0);
  CHECK(whole.size() == 75);
  CHECK(all_from({0, 0}, 2) == whole);
  const auto rest = all_from({1, 3}, 2);
  CHECK(rest == std::vector<int64_t>(whole.begin() + 25 + 12, whole.end()));
  CHECK(all_from({3, 0}, 1).empty());
}

TEST_CASE("a source that is given up in the middle ends its thread") {
  auto data = Dataset::create({{"y", Tensor::vector(std::span<const int64_t>(std::vector<int64_t>(1000)))}},
                              std::make_shared<MemoryPool>());
  REQUIRE(data.ok());
  for (int i = 0; i < 50; ++i) {
    const auto source = Prefetcher::create(*data, {}, 100, 2, {});
    REQUIRE(source.ok());
    if (i % 2 == 0) CHECK((*source)->next().ok());
  }
}

}  // namespace percale
