// How shards become steps: all of them, the first ones, or each when it comes.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "core/base/thread_pool.h"
#include "core/train/averaging.h"
#include "core/train/trainer.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
       "optimizer": "adam", "seed": 4, "epochs": 2)";

const auto kPool = std::make_shared<MemoryPool>();

float value_of(int64_t shard) { return 1.0F / static_cast<float>(shard + 3); }

// The sum over shards [from, to) that are not left out; nothing when all are.
std::optional<float> tree_with_holes(int64_t from, int64_t to, const std::vector<int64_t>& holes) {
  if (to - from == 1) {
    if (std::find(holes.begin(), holes.end(), from) != holes.end()) return std::nullopt;
    return value_of(from);
  }
  const int64_t middle = from + (to - from + 1) / 2;
  const auto left = tree_with_holes(from, middle, holes), right = tree_with_holes(middle, to, holes);
  if (left && right) return *left + *right;
  return left ? left : right;
}

Tensor first_rows(const Tensor& t, int64_t rows) {
  Shape shape = t.shape();
  shape[0] = rows;
  auto out = Tensor::allocate(kPool, t.dtype(), shape);
  REQUIRE(out.ok());
  std::memcpy(out->data(), t.data(), static_cast<size_t>(out->bytes()));
  return *out;
}

}  // namespace

TEST_CASE("modes are read strictly") {
  for (const char* good : {"sync", "async", "backup:1", "backup:65536", "bounded:0", "bounded:12"}) {
    CAPTURE(good);
    CHECK(parse_train_mode(good).ok());
  }
  for (const std::string bad : {"", "Sync", "backup", "backup:", "backup:0", "backup:-1", "backup:2x",
                                "backup:99999999999999", "bounded:-1", "bounded: 1", "async:1"}) {
    CAPTURE(bad);
    const auto mode = parse_train_mode(bad);
    CHECK(mode.status().code() == Code::kInvalidArgument);
    CHECK(mode.status().message().find("'" + bad + "'") != std::string::npos);
    CHECK(mode.status().message().find("bounded:K") != std::string::npos);
  }
}

TEST_CASE(
    "the first m shards are added by the tree with holes for the others, which are stopped at once and waited for") {
  const auto pool = ThreadPool::create(4);
  REQUIRE(pool.ok());
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const int64_t shards = 2 + seed % 12, rows = seed % 5 == 0 ? shards - 1 : 100, wanted = 1 + seed / 12 % shards;
    const size_t replicas = 1 + seed % 4;
    auto sums =
        ShardSums::create({{DType::kF32, Shape{}}}, {shards, std::min(replicas, static_cast<size_t>(shards))}, kPool);
    REQUIRE(sums.ok());
    for (size_t r = 0; r < sums->replicas().size(); ++r) REQUIRE(sums->replicas().place(r, (seed + r) % 3 == 0).ok());
    for (int round = 0; round < 3; ++round) {
      std::atomic<bool> stopped{false};
      std::atomic<int64_t> running{0}, computed{0};
      const auto compute = [&](size_t replica, int64_t shard, const ShardRows&, std::vector<Tensor>& out) {
        ++running;
        // The last replica is slow whenever there is another.
        const int64_t most = replica + 1 == sums->replicas().size() && replica > 0 ? 100'000 : (shard * 7 + seed) % 40;
        for (int64_t us = 0; us < most && !stopped; us += 20)
          std::this_thread::sleep_for(std::chrono::microseconds(20));
        out[0].mutable_span<float>()[0] = value_of(shard);
        ++computed;
        --running;
        return stopped ? Status(Code::kCancelled, "stopped") : Status();
      };
      REQUIRE_OK(sums->reduce(rows, (*pool)->parallel(), compute, {}, {wanted, [&] { stopped = true; }}));
      CHECK(running == 0);
      std::vector<int64_t> holes = sums->left_out();
      int64_t with_rows = 0, accepted_rows = 0;
      for (int64_t s = 0; s < shards; ++s) {
        const ShardRows range = shard_rows(rows, shards, s);
        const bool left_out = std::find(sums->left_out().begin(), sums->left_out().end(), s) != sums->left_out().end();
        if (range.begin == range.end) {
          CHECK(!left_out);
          holes.push_back(s);
        } else {
          ++with_rows;
          if (!left_out) accepted_rows += range.end - range.begin;
        }
      }
      CHECK(static_cast<int64_t>(sums->left_out().size()) == with_rows - std::min(wanted, with_rows));
      CHECK(sums->accepted_rows() == accepted_rows);
      CHECK(sums->batch()[0].span<float>()[0] == *tree_with_holes(0, shards, holes));
    }
  }
}

TEST_CASE("on one device backup:m trains on the first m shards of each batch, bit for bit") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    CAPTURE(model);
    const auto engine = engine_of(2);
    const auto backup = make_job(engine, model, str_cat(kKeys, R"(, "shards": 4, "mode": "backup:2")"), DType::kF32,
                                 {.batch_size = 24}, 96);
    const auto halves =
        make_job(engine, model, str_cat(kKeys, R"(, "shards": 2)"), DType::kF32, {.batch_size = 24}, 96);
    for (int64_t i = 0; i < 4; ++i) {
      auto batch = halves->train_data()->batch({0, i});
      REQUIRE(batch.ok());
      const auto loss = backup->step({"x", "y"}, *batch);
      REQUIRE_OK(loss.status());
      for (Tensor& t : *batch) t = first_rows(t, 12);
      const auto half = halves->step({"x", "y"}, *batch);
      REQUIRE_OK(half.status());
      CHECK(*loss == *half);
    }
    CHECK(backup->variables()->digest() == halves->variables()->digest());
    CHECK(backup->describe().find(R"("shards":{"handed_out":8,"accepted":8,"dropped":0})") != std::string::npos);
  }
}

TEST_CASE("backup:m that waits for all shards is sync") {
  for (const std::string model : {"mlp", "normalised"}) {
    CAPTURE(model);
    std::string digest;
    for (const char* mode : {"sync", "backup:5"}) {
      const auto trainer =
          make_job(engine_of(2, "cpu=3"), model, str_cat(kKeys, R"(, "shards": 5, "mode": ")", mode, "\""), DType::kF32,
                   {.batch_size = 24, .shuffle_seed = 4}, 100);
      REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
      if (digest.empty()) digest = trainer->variables()->digest();
      CHECK(trainer->variables()->digest() == digest);
    }
  }
}

TEST_CASE("a backup of more shards than a batch has is an error that names both") {
  const auto trainer = make_job(engine_of(1), "mlp", str_cat(kKeys, R"(, "shards": 4, "mode": "backup:5")"),
                                DType::kF32, {.batch_size = 24}, 96);
  const Status status = trainer->fit(nullptr, 0, nullptr);
  CHECK(status.code() == Code::kInvalidArgument);
  CHECK(status.message().find("waits for 5 shards of a batch, which has 4") != std::string::npos);
  CHECK(trainer->steps() == 0);
}

}  // namespace percale
