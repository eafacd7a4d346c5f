// Train modes: a step takes all shards, the first ones, or each as it arrives.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>
#include <thread>

#include "core/base/thread_pool.h"
#include "core/train/shards/averaging.h"
#include "core/train/trainer.h"
#include "tests/unit/temp_folder.h"
#include "tests/unit/train/jobs.h"

namespace percale {
namespace {

constexpr const char* kKeys =
    R"(, "loss": "sparse_categorical_crossentropy", "from_logits": true, "metrics": ["accuracy"],
       "optimizer": "adam", "seed": 4, "epochs": 2)";

const auto kPool = std::make_shared<MemoryPool>();

float value_of(int64_t shard) { return 1.0F / static_cast<float>(shard + 3); }

// Returns the sum over the shards [from, to) that are not in `holes`; nothing if all are.
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
        // The last replica is slow if there are several.
        const int64_t most = replica + 1 == sums->replicas().size() && replica > 0 ? 4'000 : (shard * 7 + seed) % 40;
        for (int64_t us = 0; us < most && !stopped; us += 20)
          std::this_thread::sleep_for(std::chrono::microseconds(20));
        out[0].mutable_span<float>()[0] = value_of(shard);
        ++computed;
        --running;
        return stopped ? Status(Code::kCancelled, "stopped") : Status();
      };
      REQUIRE_OK(sums->reduce({rows, shards}, (*pool)->parallel(), compute, {}, {wanted, [&] { stopped = true; }}));
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

TEST_CASE("bounded:0 is sync, bit for bit, on any devices and any number of threads") {
  for (const std::string model : {"mlp", "cnn", "dropout", "normalised"}) {
    CAPTURE(model);
    const auto train = [&](const std::shared_ptr<Engine>& engine, const char* mode) {
      auto trainer = make_job(engine, model, str_cat(kKeys, R"(, "shards": 5, "mode": ")", mode, "\""), DType::kF32,
                              {.batch_size = 24, .shuffle_seed = 4}, 100);
      REQUIRE_OK(trainer->fit(nullptr, 0, nullptr));
      return trainer;
    };
    const auto sync = train(engine_of(1), "sync");
    const std::string digest = sync->variables()->digest();
    for (const char* devices : {"cpu:0", "cpu=3", "cpu=5x1"}) {
      for (int32_t threads : {1, 2, 4}) {
        CAPTURE(devices);
        CAPTURE(threads);
        const auto bounded = train(engine_of(threads, devices), "bounded:0");
        CHECK(bounded->variables()->digest() == digest);
        REQUIRE(bounded->history().rows.size() == sync->history().rows.size());
        for (size_t i = 0; i < sync->history().rows.size(); ++i) {
          CHECK(bounded->history().rows[i].loss == sync->history().rows[i].loss);
          CHECK(bounded->history().rows[i].metrics == sync->history().rows[i].metrics);
        }
      }
    }
  }
}

TEST_CASE("async on one device is sync with batches of a shard's rows") {
  for (const std::string model : {"mlp", "cnn", "normalised"}) {
    CAPTURE(model);
    const auto async = make_job(engine_of(1), model, str_cat(kKeys, R"(, "shards": 4, "mode": "async")"), DType::kF64,
                                {.batch_size = 24}, 90);
    const auto small =
        make_job(engine_of(1), model, str_cat(kKeys, R"(, "shards": 1)"), DType::kF64, {.batch_size = 6}, 90);
    std::vector<int64_t> steps;
    REQUIRE_OK(async->fit(nullptr, 1, [&](const Progress& p) {
      steps.push_back(p.step);
      CHECK(p.step_in_epoch == p.step);
      CHECK(p.steps_in_epoch == 16);
      CHECK(p.epoch_ended == (p.step == 16));
      return true;
    }));
    CHECK(steps.size() == 16);
    CHECK(async->steps() == 16);  // the last batch has 18 rows: 4, 5, 4 and 5 of them
    REQUIRE_OK(small->fit(nullptr, 1, [](const Progress& p) { return p.step < 12; }));
    CHECK(small->steps() == 12);
    for (size_t i = 0; i < 12; ++i) {
      CHECK(async->history().rows[i].loss == doctest::Approx(small->history().rows[i].loss).epsilon(1e-12));
    }
    CHECK(async->describe().find(
              R"("shards":{"handed_out":16,"accepted":16,"dropped":0},"staleness":[{"commits":0,"shards":16}])") !=
          std::string::npos);
  }
}

TEST_CASE("modes that stream learn on several devices, and apply each gradient once") {
  for (const std::string model : {"mlp", "dropout", "normalised"}) {
    for (const std::string mode : {"async", "bounded:1", "bounded:3"}) {
      CAPTURE(model);
      CAPTURE(mode);
      const auto trainer =
          make_job(engine_of(3, "cpu=3"), model, str_cat(kKeys, R"(, "shards": 6, "mode": ")", mode, "\""), DType::kF32,
                   {.batch_size = 24, .shuffle_seed = 4}, 96);
      int64_t last = 0;
      const auto caller = std::this_thread::get_id();
      REQUIRE_OK(trainer->fit(nullptr, 30, [&](const Progress& p) {
        CHECK(p.step == ++last);
        CHECK(std::this_thread::get_id() == caller);
        CHECK(p.metrics->empty() != p.epoch_ended);
        return true;
      }));
      const int64_t steps = 30 * 4 * (mode == "async" ? 6 : 1);
      CHECK(last == steps);
      CHECK(trainer->steps() == steps);
      REQUIRE(trainer->history().rows.size() == static_cast<size_t>(steps));
      const auto mean_loss = [&](size_t from, size_t to) {
        double sum = 0;
        for (size_t i = from; i < to; ++i) sum += trainer->history().rows[i].loss;
        return sum / static_cast<double>(to - from);
      };
      const size_t part = static_cast<size_t>(steps) / 10;
      CHECK(mean_loss(static_cast<size_t>(steps) - part, static_cast<size_t>(steps)) < 0.97 * mean_loss(0, part));
      CHECK(trainer->describe().find(R"("handed_out":720,"accepted":720,"dropped":0)") != std::string::npos);
      const auto numbers = trainer->evaluate(nullptr);
      REQUIRE_OK(numbers.status());
      CHECK(std::isfinite((*numbers)[0].second));
    }
  }
}

TEST_CASE("a callback saves while devices go on, and a trainer that takes it up does what is left, each shard once") {
  for (const std::string mode : {"async", "bounded:2"}) {
    for (const std::string model : {"mlp", "normalised"}) {
      CAPTURE(mode);
      CAPTURE(model);
      const TempFolder folder;
      const std::string keys = str_cat(kKeys, R"(, "shards": 5, "mode": ")", mode, "\"");
      const DatasetOptions batches{.batch_size = 25, .shuffle_seed = 4};
      const auto first = make_job(engine_of(3, "cpu=3"), model, keys, DType::kF32, batches, 110);
      int64_t saved = 0;
      REQUIRE_OK(first->fit(nullptr, 2, [&](const Progress& p) {
        if (p.step % 7 == 3) {
          REQUIRE_OK(first->save(folder.path()));
          CHECK(first->steps() >= p.step);
          CHECK(first->history().rows.size() == static_cast<size_t>(first->steps()));
          saved = first->steps();
          REQUIRE_OK(first->publish());
          CHECK(first->describe().find("\"run\"") != std::string::npos);
        }
        return p.step < (mode == "async" ? 33 : 8);
      }));
      CHECK(first->steps() >= saved);
      const int64_t per_epoch = mode == "async" ? 25 : 5;
      const auto second = make_job(engine_of(2, "cpu=2"), model, keys, DType::kF32, batches, 110);
      REQUIRE_OK(second->restore(folder.path()));
      CHECK(second->steps() == saved);
      int64_t told = 0;
      REQUIRE_OK(second->fit(nullptr, 2, [&](const Progress& p) {
        CHECK(p.step == saved + ++told);
        CHECK(p.steps == 2 * per_epoch);
        return true;
      }));
      CHECK(second->steps() == 2 * per_epoch);
      REQUIRE(second->history().rows.size() == static_cast<size_t>(2 * per_epoch));
      for (int64_t i = 0; i < 2 * per_epoch; ++i) CHECK(second->history().rows[static_cast<size_t>(i)].step == i + 1);
      CHECK(second->history().rows[static_cast<size_t>(per_epoch) - 1].metrics.size() == 1);
      // The interrupted trainer can continue, too.
      REQUIRE_OK(first->fit(nullptr, 2, nullptr));
      CHECK(first->steps() == 2 * per_epoch);
    }
  }
}

TEST_CASE("what was applied in part is no checkpoint for other modes") {
  const TempFolder folder;
  const auto job = [&](const char* mode) {
    return make_job(engine_of(1), "mlp", str_cat(kKeys, R"(, "shards": 4, "mode": ")", mode, "\""), DType::kF32,
                    {.batch_size = 24}, 96);
  };
  const auto async = job("async");
  REQUIRE_OK(async->fit(nullptr, 1, [](const Progress& p) { return p.step < 6; }));
  CHECK(async->steps() == 6);
  REQUIRE_OK(async->save(folder.path()));
  for (const char* mode : {"sync", "bounded:1", "backup:2"}) {
    const Status status = job(mode)->restore(folder.path());
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message().find("'async' has applied in part") != std::string::npos);
  }
  const auto again = job("async");
  REQUIRE_OK(again->restore(folder.path()));
  REQUIRE_OK(async->fit(nullptr, 1, nullptr));
  REQUIRE_OK(again->fit(nullptr, 1, nullptr));
  CHECK(again->steps() == 16);
  CHECK(again->variables()->digest() == async->variables()->digest());
}

TEST_CASE("what a mode that streams cannot do is said") {
  const auto engine = engine_of(1);
  const auto trainer =
      make_job(engine, "mlp", str_cat(kKeys, R"(, "mode": "async", "shards": 2)"), DType::kF32, {.batch_size = 24}, 48);
  auto batch = trainer->train_data()->batch({0, 0});
  REQUIRE_OK(batch.status());
  const auto step = trainer->step({"x", "y"}, *batch);
  CHECK(step.status().code() == Code::kFailedPrecondition);
  CHECK(step.status().message().find("'async'") != std::string::npos);
  const auto spec = parse_spec(
      str_cat(R"({"model": [{"layer": "Dense", "units": 3}])", kKeys, R"(, "mode": "bounded:1", "accumulation": 2})"));
  REQUIRE_OK(spec.status());
  const auto model =
      build_model(*spec, engine->registry(), Shape{kUnknownDim, 5}, ValueType{DType::kI64, Shape{kUnknownDim}});
  REQUIRE_OK(model.status());
  const auto refused = Trainer::create(engine, *model, nullptr, spec->trainer);
  CHECK(refused.status().code() == Code::kUnimplemented);
  CHECK(refused.status().message().find("'bounded:1' with 'accumulation': 2") != std::string::npos);
  Status inside;
  REQUIRE_OK(trainer->fit(nullptr, 1, [&](const Progress& p) {
    if (p.step == 1) inside = trainer->fit(nullptr, 1, nullptr);
    return true;
  }));
  CHECK(inside.code() == Code::kFailedPrecondition);
}

}  // namespace percale
