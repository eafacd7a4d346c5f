#include "core/train/data/dataset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace percale {
namespace {

const auto kPool = std::make_shared<MemoryPool>();

std::shared_ptr<Dataset> numbers(int64_t rows) {
  std::vector<int64_t> y(static_cast<size_t>(rows));
  std::iota(y.begin(), y.end(), 0);
  std::vector<uint8_t> x;
  for (int64_t v : y) x.insert(x.end(), {static_cast<uint8_t>(v), static_cast<uint8_t>(2 * v)});
  auto out = Dataset::create({{"x", Tensor::of(Shape{rows, 2}, std::span<const uint8_t>(x)), DType::kF32, 0.5},
                              {"y", Tensor::vector(std::span<const int64_t>(y))}},
                             kPool);
  REQUIRE(out.ok());
  return *out;
}

std::vector<int64_t> labels_of_epoch(Dataset& d) {
  std::vector<int64_t> out;
  for (;;) {
    const auto batch = d.next();
    if (!batch.ok()) {
      CHECK(batch.status().code() == Code::kOutOfRange);
      return out;
    }
    const auto y = (*batch)[1].span<int64_t>();
    const auto x = (*batch)[0].span<float>();
    for (size_t i = 0; i < y.size(); ++i) {
      CHECK(x[2 * i] == 0.5F * static_cast<float>(y[i]));
      CHECK(x[2 * i + 1] == static_cast<float>(y[i]));
    }
    out.insert(out.end(), y.begin(), y.end());
  }
}

}  // namespace

TEST_CASE("without shuffling batches are consecutive rows, converted and scaled") {
  const auto d = numbers(10);
  REQUIRE(d->configure({.batch_size = 4}).ok());
  CHECK(d->batches() == 3);
  std::vector<int64_t> all(10);
  std::iota(all.begin(), all.end(), 0);
  CHECK(labels_of_epoch(*d) == all);
  CHECK(d->position() == DatasetPosition{1, 0});
  CHECK(labels_of_epoch(*d) == all);
}

TEST_CASE("the parts of replicas give each row of an epoch once, batch by batch") {
  for (const int64_t seed : {-1, 5}) {
    for (const int64_t replicas : {1, 2, 3, 7}) {
      CAPTURE(seed);
      CAPTURE(replicas);
      const auto d = numbers(23);
      REQUIRE(d->configure({.batch_size = 5, .shuffle_seed = seed}).ok());
      std::vector<std::shared_ptr<Dataset>> parts;
      int64_t rows = 0;
      for (int64_t r = 0; r < replicas; ++r) {
        auto part = d->part({r, r + 1}, replicas);
        REQUIRE(part.ok());
        CHECK((*part)->batches() == 5);
        rows += (*part)->epoch_rows();
        parts.push_back(*part);
      }
      CHECK(rows == 23);
      for (int epoch = 0; epoch < 2; ++epoch) {
        for (int64_t b = 0; b < 5; ++b) {
          const auto whole = d->batch({epoch, b});
          REQUIRE(whole.ok());
          const auto all = (*whole)[1].span<int64_t>();
          std::vector<int64_t> joined;
          for (int64_t r = 0; r < replicas; ++r) {
            const auto batch = parts[static_cast<size_t>(r)]->batch({epoch, b});
            REQUIRE(batch.ok());
            const auto y = (*batch)[1].span<int64_t>();
            CHECK((*batch)[0].shape()[0] == static_cast<int64_t>(y.size()));
            const auto count = static_cast<int64_t>(all.size());
            CHECK(static_cast<int64_t>(y.size()) == (r + 1) * count / replicas - r * count / replicas);
            joined.insert(joined.end(), y.begin(), y.end());
          }
          CHECK(std::equal(joined.begin(), joined.end(), all.begin(), all.end()));
        }
      }
      CHECK(parts[0]->configure({.batch_size = 2}).code() == Code::kFailedPrecondition);
    }
  }
}

TEST_CASE("drop_remainder leaves out the short last batch") {
  const auto d = numbers(10);
  REQUIRE(d->configure({.batch_size = 4, .drop_remainder = true}).ok());
  CHECK(d->batches() == 2);
  CHECK(labels_of_epoch(*d).size() == 8);
  CHECK_FALSE(d->configure({.batch_size = 11, .drop_remainder = true}).ok());
}

TEST_CASE("a seed shuffles every epoch otherwise, and the same way each time") {
  const auto a = numbers(100), b = numbers(100);
  REQUIRE(a->configure({.batch_size = 7, .shuffle_seed = 3}).ok());
  REQUIRE(b->configure({.batch_size = 7, .shuffle_seed = 3}).ok());
  const auto first = labels_of_epoch(*a), second = labels_of_epoch(*a);
  CHECK(std::set<int64_t>(first.begin(), first.end()).size() == 100);
  CHECK(first != second);
  CHECK(labels_of_epoch(*b) == first);
  REQUIRE(b->seek({1, 0}).ok());
  CHECK(labels_of_epoch(*b) == second);
  REQUIRE(b->configure({.batch_size = 7, .shuffle_seed = 4}).ok());
  CHECK(labels_of_epoch(*b) != first);
}

TEST_CASE("a position gives the same batch whatever was read before") {
  const auto d = numbers(50);
  REQUIRE(d->configure({.batch_size = 8, .shuffle_seed = 1}).ok());
  const auto direct = d->batch({2, 3});
  REQUIRE(direct.ok());
  labels_of_epoch(*d);
  REQUIRE(d->seek({2, 3}).ok());
  const auto next = d->next();
  REQUIRE(next.ok());
  CHECK(std::ranges::equal((*direct)[1].span<int64_t>(), (*next)[1].span<int64_t>()));
  CHECK(d->batch({0, 7}).status().code() == Code::kOutOfRange);
}

TEST_CASE("shuffling draws each order about equally often") {
  std::map<std::vector<int64_t>, int> counts;
  for (int64_t seed = 0; seed < 6000; ++seed) ++counts[shuffled_rows(3, seed, 0)];
  CHECK(counts.size() == 6);
  for (const auto& [order, count] : counts) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE("columns that do not belong together are refused") {
  const auto two = Tensor::vector(std::span<const float>(std::vector<float>{1, 2}));
  const auto three = Tensor::vector(std::span<const float>(std::vector<float>{1, 2, 3}));
  CHECK(Dataset::create({{"x", two}, {"y", three}}, kPool).status().message() ==
        "data set: 'y' has 3 rows, but 'x' has 2");
  CHECK_FALSE(Dataset::create({{"x", two}, {"x", two}}, kPool).ok());
  CHECK_FALSE(Dataset::create({}, kPool).ok());
  CHECK_FALSE(Dataset::create({{"x", Tensor::scalar(1.0F)}}, kPool).ok());
  CHECK_FALSE(Dataset::create({{"x", two, DType::kI64}}, kPool).ok());
}

}  // namespace percale
