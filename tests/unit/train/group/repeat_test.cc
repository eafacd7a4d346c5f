// Exchanges that fail although no rank is lost.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "tests/unit/train/group/group_jobs.h"

namespace percale {
namespace {

// The outcome of all ranks when exchange number `at` fails on those for which `stumbles(rank)`.
// Returns the number of exchanges of rank 0.
template <class F>
int64_t check_stumbles(const GroupJob& job, const Outcome& whole, int64_t at, int64_t count, F&& stumbles) {
  const TempFolder folder;
  int64_t exchanges = 0;
  run_ranks(
      3,
      [&](const std::shared_ptr<ThreadCollective>& collective) {
        const auto trainer = trainer_of(job);
        const bool own = stumbles(collective->rank());
        REQUIRE_OK(trainer->join(std::make_shared<Stumbling>(collective, at, own ? count : 0)));
        Status saved;
        const auto save = [&](const Progress&) {
          if (job.saves) saved = trainer->save(folder.path());
          return saved.ok();
        };
        const Status status = trainer->fit(nullptr, 3, save);
        CHECK_MESSAGE(status.ok(), status.to_string());
        CHECK_MESSAGE(saved.ok(), saved.to_string());
        if (status.ok()) CHECK(outcome_of(*trainer) == whole);
        if (collective->rank() == 0) exchanges = collective->exchanges();
      },
      true);
  return exchanges;
}

TEST_CASE("an exchange that fails without a loss is repeated by all ranks, and changes no bits") {
  const std::vector<std::pair<GroupJob, int64_t>> jobs = {
      {{"batchnorm", R"(, "optimizer": "adam", "shards": 8)"}, 1},
      {{"table", R"("optimizer": {"name": "adam", "sparse": true}, "shards": 4)", 40, 8}, 3},
      {{"batchnorm", R"(, "optimizer": "adam", "shards": 4, "synchronized_batch_norm": true)"}, 5},
      {{"mlp", R"(, "optimizer": "adam", "shards": 8, "clip": 0.01, "accumulation": 2)"}, 3},
      {{"mlp", R"(, "optimizer": "adam", "shards": 8)", 32, 16, true}, 1}};
  for (const auto& [job, step] : jobs) {
    CAPTURE(job.keys);
    const Outcome whole = alone(job);
    const int64_t all = check_stumbles(job, whole, 0, 0, [](int32_t) { return false; });
    const int64_t of_start = 5;  // a failure while the group is formed ends it for all
    // After the last exchange no other rank is there.
    for (int64_t at = of_start; at < all - 1; at += points_every(step)) {
      CAPTURE(at);
      check_stumbles(job, whole, at, 1, [](int32_t) { return true; });
      for (const int32_t one : {0, 2}) check_stumbles(job, whole, at, 1, [&](int32_t rank) { return rank == one; });
    }
  }
}

TEST_CASE("several exchanges that fail in a row are repeated, up to a limit") {
  const GroupJob job{"mlp", R"(, "optimizer": "adam", "shards": 8)"};
  const Outcome whole = alone(job);
  for (const int64_t at : {7, 8, 9, 12}) {
    CAPTURE(at);
    check_stumbles(job, whole, at, 8, [](int32_t rank) { return rank == 1; });
  }
  run_ranks(
      3,
      [&](const std::shared_ptr<ThreadCollective>& collective) {
        const auto trainer = trainer_of(job);
        const bool own = collective->rank() == 2;
        REQUIRE_OK(trainer->join(std::make_shared<Stumbling>(collective, 9, own ? 1000 : 0)));
        const Status status = trainer->fit(nullptr, 3, {});
        // The rank that ends first is lost to the others, which go on.
        if (status.ok()) CHECK(trainer->variables()->digest() == whole.digest);
        if (own) CHECK(status.code() == Code::kUnavailable);
        if (own)
          CHECK(status.message().find("9 exchanges in a row have failed, though no rank is lost") != std::string::npos);
      },
      true);
}

// A rank that is asked a second time without an exchange gives rank 2 up.
class Referee final : public Collective {
 public:
  Referee(std::shared_ptr<Collective> inner, std::shared_ptr<Mailboxes> mail)
      : inner_(std::move(inner)), mail_(std::move(mail)) {}
  int32_t rank() const override { return inner_->rank(); }
  int32_t size() const override { return inner_->size(); }
  uint64_t generation() const override { return inner_->generation(); }
  bool reports_losses() const override { return true; }
  Result<std::vector<int32_t>> lost() override {
    if (std::exchange(asked_, true)) {
      const std::lock_guard lock(mail_->mutex);
      mail_->lost.insert(2);
      mail_->changed.notify_all();
    }
    return inner_->lost();
  }
  Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                  int64_t timeout_ns) override {
    asked_ = false;
    return inner_->exchange(tag, sends, recvs, timeout_ns);
  }

 private:
  const std::shared_ptr<Collective> inner_;
  const std::shared_ptr<Mailboxes> mail_;
  bool asked_ = false;
};

TEST_CASE("a rank that is given up after too many failures says so, and the others go on") {
  const GroupJob job{"mlp", R"(, "optimizer": "adam", "shards": 8)"};
  const std::string whole = alone(job).digest;
  run_ranks(
      3,
      [&](const std::shared_ptr<ThreadCollective>& collective) {
        const auto trainer = trainer_of(job);
        const bool own = collective->rank() == 2;
        const auto stumbling = std::make_shared<Stumbling>(collective, 9, own ? 1000 : 0);
        REQUIRE_OK(trainer->join(std::make_shared<Referee>(stumbling, collective->mail())));
        const Status status = trainer->fit(nullptr, 3, {});
        CHECK(status.code() == (own ? Code::kAborted : Code::kOk));
        if (own) CHECK(status.message().find("the group goes on without rank 2") != std::string::npos);
        if (!own) CHECK(trainer->variables()->digest() == whole);
      },
      true);
}

TEST_CASE("only UNAVAILABLE is repeated") {
  class Broken final : public Collective {
   public:
    explicit Broken(std::shared_ptr<ThreadCollective> inner) : inner_(std::move(inner)) {}
    int32_t rank() const override { return inner_->rank(); }
    int32_t size() const override { return inner_->size(); }
    uint64_t generation() const override { return inner_->generation(); }
    bool reports_losses() const override { return true; }
    Result<std::vector<int32_t>> lost() override { return inner_->lost(); }
    Status exchange(uint64_t tag, std::span<const ByteSpan> sends, std::span<const ByteSpan> recvs,
                    int64_t timeout_ns) override {
      if (rank() == 1 && inner_->exchanges() == 9) return internal_error("a mistake of the host");
      return inner_->exchange(tag, sends, recvs, timeout_ns);
    }

   private:
    const std::shared_ptr<ThreadCollective> inner_;
  };
  const GroupJob job{"mlp", R"(, "optimizer": "adam", "shards": 8)"};
  const std::string whole = alone(job).digest;
  run_ranks(
      3,
      [&](const std::shared_ptr<ThreadCollective>& collective) {
        const auto trainer = trainer_of(job);
        REQUIRE_OK(trainer->join(std::make_shared<Broken>(collective)));
        const Status status = trainer->fit(nullptr, 3, {});
        CHECK(status.code() == (collective->rank() == 1 ? Code::kInternal : Code::kOk));
        if (status.ok()) CHECK(trainer->variables()->digest() == whole);
      },
      true);
}

}  // namespace
}  // namespace percale
