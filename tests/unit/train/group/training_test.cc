// Trainers of a group compute the bits of one trainer alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "tests/unit/train/group/group_jobs.h"

namespace percale {
namespace {

// All ranks have the same outcome, which is returned.
Outcome in_group(const GroupJob& job, int32_t ranks, const std::string& devices = "cpu:0") {
  std::vector<Outcome> all(static_cast<size_t>(ranks));
  run_ranks(ranks, [&](const std::shared_ptr<ThreadCollective>& collective) {
    const auto trainer = trainer_of(job, devices);
    REQUIRE_OK(trainer->join(collective));
    REQUIRE_OK(trainer->fit(nullptr, 3, {}));
    all[static_cast<size_t>(collective->rank())] = outcome_of(*trainer);
  });
  for (const Outcome& other : all) CHECK(other == all[0]);
  return all[0];
}

void check_all(const std::vector<GroupJob>& jobs) {
  for (const GroupJob& job : jobs) {
    CAPTURE(job.model);
    CAPTURE(job.keys);
    const Outcome one = alone(job);
    for (const int32_t ranks : {1, 2, 3, 4}) {
      CAPTURE(ranks);
      CHECK(in_group(job, ranks) == one);
    }
  }
}

TEST_CASE("any number of ranks gives the bits of one process") {
  const std::vector<GroupJob> jobs = {
      {"mlp", R"(, "optimizer": "adam", "shards": 8)"},
      {"cnn", R"(, "optimizer": {"name": "sgd", "learning_rate": 0.05, "momentum": 0.9}, "shards": 8)"},
      {"dropout", R"(, "optimizer": {"name": "adamw", "weight_decay": 0.01}, "shards": 8, "ema": 0.9)"},
      {"batchnorm", R"(, "optimizer": "rmsprop", "shards": 8)"},
      {"mlp", R"(, "optimizer": "adam", "shards": 5, "accumulation": 2)"},
      {"mlp", R"(, "optimizer": "lamb", "shards": 8)"},
      {"mlp", R"(, "optimizer": "adam", "shards": 8, "clip": {"norm": 0.1})"},
      {"mlp", R"(, "optimizer": "adam", "shards": 8, "clip": 0.01)"},
      {"mlp", R"(, "optimizer": "adam", "shards": 8)", 35, 16}};  // a last batch of 3 rows
  check_all(jobs);
}

TEST_CASE("any number of buckets of gradients gives the bits of one process") {
  check_all(
      {{"mlp", R"(, "optimizer": "adam", "shards": 8, "collective_bucket": 1)"},
       {"cnn", R"(, "optimizer": "adam", "shards": 4, "collective_bucket": 2000, "accumulation": 2)"},
       {"mlp", R"(, "optimizer": "adam", "shards": 8, "clip": 0.01, "collective_bucket": 1)"},
       {"mlp", R"(, "optimizer": "adam", "shards": 8, "collective_bucket": 1)", 35, 16},
       {"table", R"("optimizer": {"name": "adam", "sparse": true}, "shards": 4, "collective_bucket": 1)", 40, 8}});
}

TEST_CASE("a rank that ends the fit ends it for all at the same step, and they go on together") {
  const GroupJob job{"mlp", R"(, "optimizer": "adam", "shards": 8, "collective_bucket": 1)"};
  const std::string whole = alone(job).digest;
  run_ranks(3, [&](const std::shared_ptr<ThreadCollective>& collective) {
    const auto trainer = trainer_of(job);
    REQUIRE_OK(trainer->join(collective));
    const bool leaves = collective->rank() == 1;
    const auto progress = [&](const Progress& now) { return !leaves || now.step < 2; };
    const Status status = trainer->fit(nullptr, 3, progress);
    if (!leaves) {
      CHECK(status.code() == Code::kCancelled);
      CHECK(status.message().find("rank 1") != std::string::npos);
    }
    CHECK(trainer->steps() == 2);
    REQUIRE_OK(trainer->fit(nullptr, 3, {}));
    CHECK(trainer->variables()->digest() == whole);
  });
}

TEST_CASE("tables that train by rows, and means over a whole batch, are those of one process too") {
  check_all(
      {{"table", R"("optimizer": {"name": "adam", "sparse": true}, "shards": 4)", 40, 8},
       {"bag", R"("optimizer": {"name": "adagrad", "sparse": true}, "shards": 4, "clip": 0.1)", 40, 16},
       {"table", R"("optimizer": {"name": "sgd", "momentum": 0.9, "sparse": true}, "shards": 4, "accumulation": 2)", 40,
        8},
       {"batchnorm", R"(, "optimizer": "adam", "shards": 4, "synchronized_batch_norm": true)"},
       {"batchnorm", R"(, "optimizer": "adam", "shards": 8, "synchronized_batch_norm": true)", 35, 16}});
}

// The digest of one process that goes on from the last checkpoint, which is that of the end.
std::string resumed(const GroupJob& job, const std::string& folder) {
  const auto trainer = trainer_of(job);
  REQUIRE_OK(trainer->restore(folder));
  REQUIRE_OK(trainer->fit(nullptr, 3, {}));
  return trainer->variables()->digest();
}

// The digest of the ranks that are left when others are lost; "" if they end with DATA_LOSS.
std::string after_losses(const GroupJob& job, int32_t ranks, const std::vector<LossPoint>& losses, int64_t* exchanges) {
  const TempFolder folder;
  std::mutex mutex;
  std::vector<std::string> digests;
  run_ranks(
      ranks,
      [&](const std::shared_ptr<ThreadCollective>& collective) {
        const auto trainer = trainer_of(job);
        Status status = trainer->join(collective), saved;
        const auto save = [&](const Progress&) {
          if (job.saves) saved = trainer->save(folder.path());
          return saved.ok();
        };
        if (status.ok()) status = trainer->fit(nullptr, 3, save);
        if (status.ok()) status = saved;
        const std::lock_guard lock(mutex);
        const auto is_own = [&](const LossPoint& loss) { return loss.rank == collective->rank(); };
        if (std::ranges::any_of(losses, is_own)) {
          CHECK((status.ok() || status.code() == Code::kAborted));
          return;
        }
        if (exchanges != nullptr) *exchanges = collective->exchanges();
        CHECK_MESSAGE((status.ok() || status.code() == Code::kDataLoss), status.to_string());
        digests.push_back(status.ok() ? trainer->variables()->digest() : "");
      },
      true, losses);
  for (const std::string& other : digests) CHECK(other == digests[0]);
  if (job.saves && !digests[0].empty()) CHECK(resumed(job, folder.path()) == digests[0]);
  return digests[0];
}

// `step`: of the exchanges, every which is one of the points.
void check_losses(const GroupJob& job, int64_t step) {
  const std::string whole = alone(job).digest;
  int64_t all = 0;
  CHECK(after_losses(job, 3, {}, &all) == whole);
  const int64_t of_start = 5;  // a rank that is lost while the group is formed ends it for all
  for (int64_t exchange = of_start; exchange < all; exchange += points_every(step)) {
    for (const int32_t sent : {0, 1, 2}) {
      for (const int32_t rank : {0, 2}) {
        CAPTURE(exchange);
        CAPTURE(sent);
        CAPTURE(rank);
        CHECK(after_losses(job, 3, {{rank, exchange, sent}}, nullptr) == whole);
      }
    }
  }
}

TEST_CASE("a rank that is lost at any point changes no bits") {
  check_losses({"batchnorm", R"(, "optimizer": "adam", "shards": 8)"}, 1);
  check_losses({"mlp", R"(, "optimizer": "adam", "shards": 8, "collective_bucket": 1)"}, 7);
  check_losses({"table", R"("optimizer": {"name": "adam", "sparse": true}, "shards": 4)", 40, 8}, 3);
  check_losses({"batchnorm", R"(, "optimizer": "adam", "shards": 4, "synchronized_batch_norm": true)"}, 5);
  check_losses({"mlp", R"(, "optimizer": "adam", "shards": 8, "clip": 0.01, "accumulation": 2)"}, 3);
  check_losses({"mlp", R"(, "optimizer": "adam", "shards": 8)", 32, 16, true}, 2);
}

// Rank 0 is lost first, and another rank in one of its next exchanges: within the recovery of the
// others, or soon after it. Ranks 0 and 1 hold segment 0, so that both may be too many.
TEST_CASE("ranks that are lost one after the other change no bits, or the loss of the data is told") {
  const GroupJob job{"batchnorm", R"(, "optimizer": "adam", "shards": 8)"};
  const std::string whole = alone(job).digest;
  int64_t told = 0;
  for (const int64_t exchange : {7, 9, 12, 14, 17}) {
    for (int64_t after = 1; after <= 8; ++after) {
      for (const int32_t second : {1, 2}) {
        CAPTURE(exchange);
        CAPTURE(after);
        CAPTURE(second);
        const std::string digest = after_losses(job, 4, {{0, exchange, 1}, {second, exchange + after, 1}}, nullptr);
        if (digest.empty()) ++told;
        CHECK((digest == whole || (digest.empty() && second == 1)));
      }
    }
  }
  CHECK(told > 0);
}

TEST_CASE("an error of one rank before a fit ends it on all, and a step of several batches is fed again after a loss") {
  const GroupJob job{"mlp", R"(, "optimizer": "adam", "shards": 8)"};
  run_ranks(2, [&](const std::shared_ptr<ThreadCollective>& collective) {
    const auto trainer = trainer_of(job);
    REQUIRE_OK(trainer->join(collective));
    const bool own = collective->rank() == 1;
    if (own) trainer->set_data(nullptr, nullptr);
    const Status status = trainer->fit(nullptr, 1, {});
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(status.message() == (own ? "there is no data to train on" : "rank 1: there is no data to train on"));
  });
  const GroupJob several{"mlp", R"(, "optimizer": "adam", "shards": 8, "accumulation": 2)"};
  const auto one = trainer_of(several);
  const auto batches = trainer_of(several)->train_data();
  const auto step = [&](Trainer& trainer, int64_t batch) {
    const auto rows = batches->batch({0, batch});
    REQUIRE_OK(rows.status());
    return trainer.step({"x", "y"}, *rows);
  };
  for (const int64_t batch : {0, 1}) REQUIRE_OK(step(*one, batch).status());
  int64_t exchanges = 0;  // until the second batch
  run_ranks(
      3,
      [&](const std::shared_ptr<ThreadCollective>& collective) {
        const auto trainer = trainer_of(several);
        REQUIRE_OK(trainer->join(collective));
        REQUIRE_OK(step(*trainer, 0).status());
        if (collective->rank() == 2) exchanges = collective->exchanges();
      },
      true);
  run_ranks(3,
            [&](const std::shared_ptr<ThreadCollective>& collective) {
              const auto trainer = trainer_of(several);
              REQUIRE_OK(trainer->join(collective));
              REQUIRE_OK(step(*trainer, 0).status());
              const auto second = step(*trainer, 1);
              if (collective->rank() == 2) return;
              CHECK(second.status().code() == Code::kUnavailable);
              CHECK(second.status().message().find("feed them again") != std::string::npos);
              for (const int64_t batch : {0, 1}) REQUIRE_OK(step(*trainer, batch).status());
              CHECK(trainer->variables()->digest() == one->variables()->digest());
            },
            true, {{2, exchanges + 1, 0}});
}

}  // namespace
}  // namespace percale
