// Where a run stands: steps, epochs, history, and the same after a checkpoint.
#include "core/train/epoch/epoch_log.h"

#include "tests/unit/train/parts.h"

namespace percale {
namespace {

StepRecord record_of(int64_t step, double loss, double weight) {
  StepRecord out;
  out.step = step;
  out.rows = static_cast<int64_t>(weight);
  out.loss = loss / weight;
  out.learning_rate = 0.5;
  out.seconds = static_cast<double>(step);
  out.totals = {loss, weight};
  out.step_in_epoch = step;
  out.ends_epoch = step == 2;
  return out;
}

}  // namespace

TEST_CASE("steps add up to epochs") {
  EpochLog log({"accuracy"}, 2);
  const FitCourse course = log.begin_fit(3, 2, 0);
  CHECK(course.total_steps == 6);
  log.make_room(2);
  StepRecord first = record_of(1, 8, 4), second = record_of(2, 2, 1);
  log.add(first);
  log.advance(1);
  log.add(second);
  log.advance(1);
  CHECK(log.steps() == 2);
  CHECK(second.epoch == 1);
  CHECK(second.rows_done == 5);
  CHECK(second.epoch_loss == 2);
  CHECK(log.epoch_totals() == std::vector<double>{10, 5});

  log.end_epoch({0.25});
  CHECK(log.position() == DatasetPosition{1, 0});
  CHECK(log.epoch_totals().empty());
  REQUIRE(log.history().rows.size() == 2);
  CHECK(log.history().rows[0].metrics.empty());
  CHECK(log.history().rows[1].metrics == std::vector<double>{0.25});

  const Progress p = log.progress(second, course);
  CHECK(p.epoch_ended);
  CHECK(p.steps == 6);
  CHECK(p.epoch_loss == 2);
  CHECK(p.rows_per_second == doctest::Approx(2.5));
  CHECK(p.eta_seconds == doctest::Approx(4));
  CHECK(p.metrics->at(0) == 0.25);
}

TEST_CASE("a fit that goes on counts the steps that are done") {
  EpochLog log({}, 2);
  log.make_room(1);
  StepRecord first = record_of(1, 8, 4);
  log.add(first);
  log.advance(1);
  CHECK(log.begin_fit(2, 4, 1).total_steps == 8);
  log.add_fed_step(2, 1.5, 0.1);  // counts for no epoch
  CHECK(log.begin_fit(2, 4, 1).total_steps == 9);
  CHECK(log.history().rows.back().loss == 1.5);
}

TEST_CASE("columns of the history stay, once there are steps") {
  EpochLog log({"accuracy"}, 2);
  const auto& names = log.history().metric_names;
  log.set_metric_names({"accuracy"}, true);
  CHECK(names == std::vector<std::string>{"accuracy", "val_loss", "val_accuracy"});
  log.set_metric_names({"accuracy"}, false);
  CHECK(names == std::vector<std::string>{"accuracy"});
  log.set_metric_names({"accuracy"}, true);
  log.make_room_for_fed_step();
  log.add_fed_step(1, 1, 1);
  log.set_metric_names({"accuracy"}, false);
  CHECK(names.size() == 3);
}

TEST_CASE("the position moves past a batch when all of its shards are applied") {
  EpochLog log({}, 2);
  const auto apply = [&](int64_t batch, int64_t shard) {
    AppliedShards one = {{batch, shard}};
    log.apply(one, 2, [](int64_t) { return 2; });
  };
  apply(1, 0);
  apply(0, 1);
  CHECK(log.position().batch == 0);
  CHECK(log.applied().size() == 2);
  apply(0, 0);
  CHECK(log.position().batch == 1);
  CHECK(log.applied() == AppliedShards{{1, 0}});
  apply(1, 1);
  CHECK(log.position().batch == 2);
  CHECK(log.applied().empty());
}

TEST_CASE("a checkpoint brings the log back") {
  EpochLog log({"accuracy"}, 2), other({"accuracy"}, 2);
  log.make_room(1);
  StepRecord first = record_of(1, 8, 4);
  log.add(first);
  AppliedShards one = {{0, 1}};
  log.apply(one, 2, [](int64_t) { return 3; });
  Checkpoint saved;
  saved.shards = 3;
  log.save(saved);
  CHECK(has_applied_shards(saved));
  auto state = other.read(saved, "here");
  REQUIRE_OK(state.status());
  other.adopt(*std::move(state), saved);
  CHECK(other.steps() == 1);
  CHECK(other.position() == log.position());
  CHECK(other.applied() == log.applied());
  CHECK(other.epoch_totals() == log.epoch_totals());
  CHECK(other.history().rows.size() == 1);
  saved.shards = 1;  // there is no shard 1
  CHECK(other.read(saved, "here").status().code() == Code::kDataLoss);
}

}  // namespace percale
