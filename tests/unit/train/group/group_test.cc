#include "core/train/group/group.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <set>

#include "core/train/group/bucket_exchange.h"
#include "core/train/group/segments.h"
#include "tests/unit/train/group/threads.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

TEST_CASE("a range of shards is the fewest sub-trees that cover it") {
  CHECK(subtrees(8, {0, 8}) == std::vector<ShardRange>{{0, 8}});
  CHECK(subtrees(8, {4, 8}) == std::vector<ShardRange>{{4, 8}});
  CHECK(subtrees(8, {2, 5}) == std::vector<ShardRange>{{2, 4}, {4, 5}});
  CHECK(subtrees(5, {0, 3}) == std::vector<ShardRange>{{0, 3}});
  CHECK(subtrees(5, {1, 5}) == std::vector<ShardRange>{{1, 2}, {2, 3}, {3, 5}});
  CHECK(subtrees(1, {0, 1}) == std::vector<ShardRange>{{0, 1}});
}

std::vector<Variable> parameters_of(const std::vector<Shape>& shapes) {
  std::vector<Variable> out;
  for (const Shape& shape : shapes) {
    Variable& v = out.emplace_back();
    v.name = str_cat("v", out.size());
    v.dtype = DType::kF32;
    v.shape = shape;
  }
  return out;
}

TEST_CASE("segments cover all parameters in their order, and are of about the same size") {
  const auto parameters = parameters_of({{512, 64}, {64}, {64, 640}, {10}, {}, {1000, 16}});
  for (const size_t ranks : std::vector<size_t>{1, 2, 3, 7}) {
    std::vector<int64_t> bytes(ranks, 0);
    size_t parameter = 0, rank = 0;
    int64_t row = 0, all = 0;
    for (const ParameterPart& part : cut_segments(parameters, {{}, Optimizer{}, ranks})) {
      if (row == 0 && part.parameter != parameter) ++parameter;
      CHECK(part.parameter == parameter);
      CHECK(part.begin == row);
      CHECK(part.device >= rank);
      rank = part.device;
      bytes[rank] += part.bytes;
      all += part.bytes;
      const Shape& shape = parameters[parameter].shape;
      const bool ends = part.whole() || part.end == shape[0];
      CHECK(part.begin * 4 * (shape.rank() > 1 ? shape[1] : 1) % 64 == 0);
      row = ends ? 0 : part.end;
    }
    CHECK(parameter + 1 == parameters.size());
    for (const int64_t size : bytes) CHECK(std::abs(size - all / static_cast<int64_t>(ranks)) <= 64 * 640 * 4 / 16);
  }
}

TEST_CASE("where norms are needed, and where a table trains by rows, parameters stay whole") {
  const auto parameters = parameters_of({{512, 64}, {64}, {64, 640}});
  Optimizer clipping;
  clipping.clip_norm = 1;
  for (const ParameterPart& part : cut_segments(parameters, {{}, clipping, 3, 1024})) CHECK(part.whole());
  CHECK(cut_buckets(parameters, {{}, clipping, 3, 1024}).size() == 1);
  const SegmentRules rules{{0}, Optimizer{}, 4};
  CHECK(cut_segments(parameters, rules).front().whole());
  const auto dense = gradient_parts(parameters, rules);
  CHECK(dense.front().gradient == 0);
  CHECK(dense.back().gradient == 1);
}

TEST_CASE("buckets begin with the last parameters, and each rank has a segment of every bucket") {
  const auto parameters = parameters_of({{512, 64}, {64}, {64, 640}, {1000, 16}, {10}});
  const SegmentRules rules{{3}, Optimizer{}, 4, 64 * 1024};
  const auto buckets = cut_buckets(parameters, rules);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].parameters == std::vector<size_t>{2, 4});
  CHECK(buckets[1].parameters == std::vector<size_t>{0, 1});
  CHECK(buckets[2].parameters == std::vector<size_t>{3});  // it trains by rows
  std::set<std::pair<size_t, size_t>> seen;                // bucket, segment
  std::vector<int64_t> rows(4, 0);                         // by gradient
  for (const GradientPart& part : gradient_parts(parameters, rules)) {
    seen.insert({part.bucket, part.segment});
    if (part.end >= 0) rows[part.gradient] += part.end - part.begin;
  }
  CHECK(seen.size() == 8);
  CHECK(rows == std::vector<int64_t>{512, 0, 64, 0});
}

// One tensor per bucket, the last one first; the sums of two sub-trees.
BucketExchange::Batch two_buckets() { return {0, {BucketExchange::kNone, 1, 0}, {1, 1}, {true, true}}; }

TEST_CASE("a bucket is exchanged as soon as all sums of it are final, while others are computed") {
  std::mutex mutex;
  std::condition_variable changed;
  size_t exchanged = 0;
  const std::vector<Tensor> left, right;
  const auto exchange = [&](size_t bucket, const SubtreeSums& own) {
    const std::lock_guard lock(mutex);
    CHECK(bucket == exchanged);
    CHECK(own == SubtreeSums{&left, &right});
    ++exchanged;
    changed.notify_all();
    return Status();
  };
  const auto buckets = BucketExchange::begin(two_buckets(), exchange, [] {});
  REQUIRE_OK(buckets.status());
  (*buckets)->ready(0, 0, left);  // no gradient
  (*buckets)->ready(0, 2, left);
  (*buckets)->ready(1, 1, right);
  (*buckets)->ready(1, 2, right);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return exchanged == 1; });
  lock.unlock();
  REQUIRE_OK((*buckets)->finish({}));
  CHECK((*buckets)->next_bucket() == 1);  // sub-tree 0 is missing
}

TEST_CASE("an exchange that fails ends the shards, and its error counts more than their being stopped") {
  std::atomic<bool> stopped = false;
  const auto exchange = [](size_t, const SubtreeSums&) { return Status(Code::kUnavailable, "rank 1 is lost"); };
  const auto buckets = BucketExchange::begin(two_buckets(), exchange, [&] { stopped = true; });
  REQUIRE_OK(buckets.status());
  const std::vector<Tensor> sums;
  for (const size_t subtree : {size_t{0}, size_t{1}}) (*buckets)->ready(subtree, 2, sums);
  while (!stopped) std::this_thread::yield();
  const Status status = (*buckets)->finish(Status(Code::kCancelled, "stopped"));
  CHECK(status.code() == Code::kUnavailable);
  CHECK((*buckets)->failed());
  CHECK((*buckets)->next_bucket() == 0);
}

TEST_CASE("ranks gather texts of different sizes, and count their devices") {
  run_ranks(3, [](const std::shared_ptr<ThreadCollective>& collective) {
    const auto group = Group::create(collective, -1, -1);
    REQUIRE_OK(group.status());
    const std::string own(static_cast<size_t>(collective->rank() * 5), 'x');
    const auto texts = (*group)->gather("texts", own);
    REQUIRE_OK(texts.status());
    for (size_t r = 0; r < 3; ++r) CHECK((*texts)[r].size() == 5 * r);
    REQUIRE_OK((*group)->count_devices(collective->rank() + 1));
    CHECK((*group)->devices() == 6);
  });
}

TEST_CASE("a rank that differs from rank 0 is named with what differs") {
  run_ranks(3, [](const std::shared_ptr<ThreadCollective>& collective) {
    const auto group = Group::create(collective, -1, -1);
    REQUIRE_OK(group.status());
    const Status status = (*group)->agree({{"shards", "8"}, {"seed", collective->rank() == 2 ? "7" : "1"}});
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find("the ranks differ in seed: rank 2 has '7', rank 0 '1'") != std::string::npos);
  });
}

TEST_CASE("a rank that has other facts, or lists them in another order, is named") {
  using Facts = std::vector<GroupFact>;
  struct Row {
    Facts of_first, of_second;
    const char *told_by_first, *told_by_second;
  };
  const Row rows[] = {
      {{{"x", "f32"}}, {{"z", "f32"}}, "rank 1 has no x, which rank 0 has", "rank 0 has no z, which rank 1 has"},
      {{{"x", "1"}, {"y", "2"}}, {{"y", "2"}, {"x", "1"}}, "in another order", "in another order"}};
  for (const Row& row : rows) {
    run_ranks(2, [&](const std::shared_ptr<ThreadCollective>& collective) {
      const auto group = Group::create(collective, -1, -1);
      REQUIRE_OK(group.status());
      const bool is_first = collective->rank() == 0;
      const Status status = (*group)->agree(is_first ? row.of_first : row.of_second);
      CHECK(status.code() == Code::kFailedPrecondition);
      CHECK_MESSAGE(status.message().find(is_first ? row.told_by_first : row.told_by_second) != std::string::npos,
                    status.to_string());
    });
  }
}

TEST_CASE("an error of a rank is that of all") {
  run_ranks(3, [](const std::shared_ptr<ThreadCollective>& collective) {
    const auto group = Group::create(collective, -1, -1);
    REQUIRE_OK(group.status());
    const bool own = collective->rank() == 1;
    const Status status = (*group)->agree({{"seed", "1"}}, own ? data_loss("a torn page") : Status());
    CHECK(status.code() == Code::kDataLoss);
    CHECK(status.message() == (own ? "a torn page" : "rank 1: a torn page"));
    std::vector<std::vector<double>> all = {{0}, {0, 0}, {}};
    for (double& number : all[(*group)->rank()]) number = collective->rank() + 5;
    REQUIRE_OK((*group)->exchange_numbers("numbers", {}, all));
    CHECK(all == std::vector<std::vector<double>>{{5}, {6, 6}, {}});
    CHECK((*group)->exchange_numbers("numbers", own ? data_loss("no") : Status(), all).code() == Code::kDataLoss);
  });
}

TEST_CASE("a rank that no one hears of ends an exchange in time") {
  const auto mail = std::make_shared<Mailboxes>();
  const auto group = Group::create(std::make_shared<ThreadCollective>(mail, 0, 2, false, LossPoint{}), 1000000, -1);
  REQUIRE_OK(group.status());
  const Status status = (*group)->count_devices(1);
  CHECK(status.code() == Code::kUnavailable);
  CHECK(status.message().find("rank 0 of 2, exchange of devices: rank 1") != std::string::npos);
}

TEST_CASE("a group has at least one rank, and a rank is one of them") {
  const auto mail = std::make_shared<Mailboxes>();
  for (const auto& [rank, size] : std::vector<std::pair<int32_t, int32_t>>{{0, 0}, {2, 2}, {-1, 2}}) {
    const auto group = Group::create(std::make_shared<ThreadCollective>(mail, rank, size, false, LossPoint{}), -1, -1);
    CHECK(group.status().code() == Code::kInvalidArgument);
  }
}

std::vector<std::vector<bool>> all_of(const SegmentHolders& holders) {
  std::vector<std::vector<bool>> out(holders.segments());
  for (size_t rank = 0; rank < out.size(); ++rank) {
    for (size_t segment = 0; segment < out.size(); ++segment) out[rank].push_back(holders.holds(rank, segment));
  }
  return out;
}

TEST_CASE("after a loss the second holder of a segment sends its values, and another rank becomes the second") {
  SegmentHolders holders(4, true);
  CHECK(holders.held_by(1) == std::vector<size_t>{0, 1});
  const auto transfers = holders.keep({0, 1, 3}, all_of(holders), true);
  REQUIRE_OK(transfers.status());
  CHECK(holders.led_by(3) == std::vector<size_t>{2, 3});
  CHECK(holders.first(1) == 1);
  CHECK(holders.holds(3, 1));  // instead of rank 2
  CHECK(holders.holds(0, 2));
  REQUIRE(transfers->size() == 2);
  CHECK(transfers->front().segment == 1);
  CHECK(transfers->front().to == 3);
}

TEST_CASE("a segment whose holders are lost is lost, unless it has no state") {
  SegmentHolders holders(4, true);
  const auto have = all_of(holders);
  CHECK(holders.keep({0, 3}, have, true).status().code() == Code::kDataLoss);
  CHECK(holders.first(1) == 1);  // nothing has changed
  REQUIRE_OK(holders.keep({0, 3}, have, false).status());
  CHECK(holders.first(1) == 3);
}

}  // namespace
}  // namespace percale
