// A step in parts: plans, sums over the shards, the commit.
#include "tests/unit/train/parts.h"

namespace percale {

TEST_CASE("steps lower the loss of their batch") {
  StepFixture parts(3);
  double last = 1e9;
  for (int64_t step = 1; step <= 5; ++step) {
    const auto outcome = parts.step(step);
    REQUIRE_OK(outcome.status());
    CHECK(outcome->rows == StepFixture::kRows);
    CHECK(outcome->loss < last);
    last = outcome->loss;
  }
  std::vector<double> totals(2, 0);
  parts.runner.add_totals_to(totals);
  CHECK(totals[StepLayout::kLoss] / totals[StepLayout::kWeight] == last);
}

TEST_CASE("the first batch decides the number of shards") {
  StepFixture parts(0);
  CHECK(parts.batch.shards() == 0);
  CHECK(parts.batch.replicas() == 0);
  REQUIRE_OK(parts.batch.prepare(StepFixture::kRows));
  CHECK(parts.batch.shards() == 1);
  CHECK(parts.batch.replicas() == 1);
  CHECK(parts.batch.barrier(parts.batch.cut(StepFixture::kRows)) == nullptr);
}

TEST_CASE("a cancelled step changes nothing and says which step the state is of") {
  StepFixture parts(2);
  REQUIRE_OK(parts.step(1).status());
  const std::string before = digest_of(parts.small, *parts.working);
  CancelToken cancel;
  cancel.cancel();
  const auto outcome = parts.step(2, cancel);
  CHECK(outcome.status().code() == Code::kCancelled);
  CHECK(outcome.status().message() == "training was cancelled; the state is that of step 1");
  CHECK(digest_of(parts.small, *parts.working) == before);
}

TEST_CASE("batches of the same shapes share their plans; others are planned anew") {
  StepFixture parts(2);
  REQUIRE_OK(parts.batch.prepare(StepFixture::kRows));
  const auto bound = parts.runner.bind({"x", "y"}, parts.rows());
  REQUIRE_OK(bound.status());
  const auto plans = parts.planner.plan_shards(bound->feeds, {{StepFixture::kRows, 2}, 1});
  REQUIRE_OK(plans.status());
  REQUIRE((*plans)->size() == 1);  // both shards have 6 rows
  CHECK((*plans)->at(6).size() == 1);
  CHECK(parts.planner.facts().planned_bytes == (*plans)->at(6)[0]->peak_bytes);
  CHECK(*parts.planner.plan_shards(bound->feeds, {{StepFixture::kRows, 2}, 1}) == *plans);
  CHECK(*parts.planner.plan_shards(bound->feeds, {{StepFixture::kRows, 3}, 1}) != *plans);
  parts.planner.forget();
  CHECK(*parts.planner.plan_shards(bound->feeds, {{StepFixture::kRows, 2}, 1}) != *plans);
}

TEST_CASE("a step that plans more than 'recompute' allows is refused") {
  Recompute recompute;
  recompute.when = Recompute::When::kAboveBytes;
  recompute.bytes = 1;
  StepFixture parts(1, "mlp", recompute);
  CHECK(parts.step(1).status().code() == Code::kResourceExhausted);
}

TEST_CASE("a loss that is not finite is a warning, or ends the training") {
  std::vector<std::string> messages;
  LogSink log;
  log.user = &messages;
  log.write = [](void* user, LogLevel, std::string_view message) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(message);
  };
  LossCheck warns(log, false), ends(log, true);
  REQUIRE_OK(warns.check(1, 1));
  CHECK(messages.empty());
  REQUIRE_OK(warns.check(std::nan(""), 2));
  REQUIRE_OK(warns.check(std::nan(""), 3));
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].find("trainer, step 2: the loss is") == 0);
  CHECK(ends.check(std::nan(""), 4).code() == Code::kOutOfRange);
}

}  // namespace percale
