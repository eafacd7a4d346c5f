// Both loops, and steps that are fed by hand, without a trainer.
#include "tests/unit/train/parts.h"

namespace percale {
namespace {

struct Told {
  std::vector<Progress> all;
  ProgressFunction function(int64_t until = INT64_MAX) {
    return [this, until](const Progress& p) {
      all.push_back(p);
      return p.step < until;
    };
  }
};

TrainMode bounded(int64_t count) { return {TrainMode::Kind::kBounded, count}; }

Status fit(LoopFixture& parts, int64_t batches, int64_t epochs, const ProgressFunction& progress,
           const CancelToken& cancel = {}) {
  FitRequest request{parts.data(batches), nullptr, epochs, progress, cancel};
  if (!parts.batch.mode().streams()) {
    return SynchronousLoop(parts.fit_parts(), parts.steps(), std::move(request)).fit();
  }
  return StreamingLoop(parts.fit_parts(), parts.stream_parts(), std::move(request)).fit();
}

}  // namespace

TEST_CASE("the loops tell each step once, and the same of it") {
  for (const TrainMode mode : {TrainMode{}, bounded(0), bounded(2), TrainMode{TrainMode::Kind::kAsync, 0}}) {
    CAPTURE(static_cast<int>(mode.kind));
    const bool async = mode.kind == TrainMode::Kind::kAsync;
    const int64_t shards = 2, per_epoch = async ? 3 * shards : 3;
    LoopFixture parts(shards, mode);
    Told told;
    REQUIRE_OK(fit(parts, 3, 2, told.function()));
    REQUIRE(told.all.size() == static_cast<size_t>(2 * per_epoch));
    for (size_t i = 0; i < told.all.size(); ++i) {
      const Progress& p = told.all[i];
      const auto step = static_cast<int64_t>(i) + 1;
      CHECK(p.step == step);
      CHECK(p.steps == 2 * per_epoch);
      CHECK(p.epoch == (step - 1) / per_epoch + 1);
      CHECK(p.step_in_epoch == (step - 1) % per_epoch + 1);
      CHECK(p.epoch_ended == (step % per_epoch == 0));
      CHECK(p.learning_rate == 0.1);
    }
    CHECK(parts.log.steps() == 2 * per_epoch);
    CHECK(parts.log.position() == DatasetPosition{2, 0});
    CHECK(parts.log.history().rows.size() == told.all.size());
    CHECK(!parts.publisher.ahead());
  }
}

TEST_CASE("a stream without a lag makes the steps of the synchronous loop") {
  LoopFixture synchronous(2), stream(2, bounded(0));
  REQUIRE_OK(fit(synchronous, 4, 2, nullptr));
  REQUIRE_OK(fit(stream, 4, 2, nullptr));
  CHECK(synchronous.digest() == stream.digest());
}

TEST_CASE("a fit that the caller ends goes on with the same bits") {
  for (const TrainMode mode : {TrainMode{}, bounded(0)}) {
    LoopFixture whole(2, mode), cut(2, mode);
    REQUIRE_OK(fit(whole, 3, 2, nullptr));
    Told told;
    REQUIRE_OK(fit(cut, 3, 2, told.function(2)));
    CHECK(cut.log.steps() >= 2);
    CHECK(cut.log.steps() < 6);
    CHECK(!cut.publisher.ahead());
    REQUIRE_OK(fit(cut, 3, 2, nullptr));
    CHECK(cut.log.steps() == 6);
    CHECK(cut.digest() == whole.digest());
  }
}

TEST_CASE("a cancelled fit keeps the steps that are complete") {
  LoopFixture parts(1);
  CancelToken cancel;
  const Status status = fit(
      parts, 3, 2,
      [&](const Progress& p) {
        if (p.step == 4) cancel.cancel();
        return true;
      },
      cancel);
  CHECK(status.code() == Code::kCancelled);
  CHECK(status.message() == "training was cancelled; the state is that of step 4");
  CHECK(parts.log.position() == DatasetPosition{1, 1});
  CHECK(!parts.publisher.ahead());
}

TEST_CASE("early stopping ends both loops, and the best weights come back") {
  for (const TrainMode mode : {TrainMode{}, bounded(0)}) {
    EarlyStopping stopping;
    stopping.on = true;
    stopping.min_delta = 100;  // which no epoch improves by
    stopping.restore_best_weights = true;
    LoopFixture parts(1, mode, 1, stopping);
    REQUIRE_OK(parts.early.make_room(parts.small.engine->memory()));
    REQUIRE_OK(fit(parts, 2, 5, nullptr));
    CHECK(parts.early.stopped());
    CHECK(parts.log.position().epoch < 5);
    CHECK(!parts.early.brings_back());
  }
}

TEST_CASE("an epoch evaluates the validation data and tells the observers") {
  LoopFixture parts(1);
  parts.log.set_metric_names({}, true);
  const auto validation = parts.data(2);
  const ProgressFunction nothing;
  const CancelToken cancel;
  FitRequest request{parts.data(2), validation.get(), 1, nothing, cancel};
  REQUIRE_OK(SynchronousLoop(parts.fit_parts(), parts.steps(), std::move(request)).fit());
  const auto again = parts.evaluator.evaluate(*validation, parts.log.steps(), cancel);
  REQUIRE_OK(again.status());
  REQUIRE(parts.log.history().rows.back().metrics.size() == 1);
  CHECK(parts.log.history().rows.back().metrics[0] == again->at(0).second);
}

TEST_CASE("batches that are fed by hand make a step when there are enough") {
  LoopFixture fed(2, {}, 2), whole(2, {}, 2);
  FedSteps steps(
      {fed.small.engine, fed.log, fed.rate, fed.publisher, fed.store, fed.runner, fed.batch, fed.facts, {}, false});
  const CancelToken cancel;
  REQUIRE_OK(steps.check_complete("save"));
  const std::string before = fed.digest();
  const auto first = steps.add({"x", "y"}, fed.rows(), cancel, nullptr);
  REQUIRE_OK(first.status());
  CHECK(fed.digest() == before);
  CHECK(fed.log.steps() == 0);
  CHECK(steps.check_complete("save").code() == Code::kFailedPrecondition);
  REQUIRE_OK(steps.add({"x", "y"}, fed.rows(), cancel, nullptr).status());
  CHECK(fed.log.steps() == 1);
  CHECK(!fed.publisher.ahead());
  REQUIRE_OK(
      whole.runner.run({"x", "y"}, {StepBatch{whole.rows()}, StepBatch{whole.rows()}}, {1, 0.1, cancel}).status());
  CHECK(fed.digest() == whole.digest());
}

TEST_CASE("batches of one step have the same number of rows where statistics are averaged") {
  LoopFixture fed(1, {}, 2);
  FedSteps steps(
      {fed.small.engine, fed.log, fed.rate, fed.publisher, fed.store, fed.runner, fed.batch, fed.facts, {}, true});
  const CancelToken cancel;
  REQUIRE_OK(steps.add({"x", "y"}, fed.rows(), cancel, nullptr).status());
  std::vector<Tensor> fewer;
  for (const Tensor& t : fed.rows()) {
    const auto some = rows_of(t, {0, 6}, fed.small.engine->memory());
    REQUIRE_OK(some.status());
    fewer.push_back(*some);
  }
  CHECK(steps.add({"x", "y"}, fewer, cancel, nullptr).status().code() == Code::kInvalidArgument);
  steps.forget();
  REQUIRE_OK(steps.check_complete("save"));
}

}  // namespace percale
