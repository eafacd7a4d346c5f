#include "core/train/loop/synchronous_loop.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/train/method/metrics.h"

namespace percale {

SynchronousLoop::SynchronousLoop(const FitParts& parts, const SynchronousSteps& steps, FitRequest request)
    : TrainLoop(parts, std::move(request)),
      steps_(steps),
      names_(column_names(*request_.data)),
      per_step_(steps.shards.accumulation()) {}

// A fit that ends early here ends on the other ranks of a group, too.
Status SynchronousLoop::fit() {
  const Status status = train();
  if (status.ok() && go_) return steps_.runner.end_fit();
  if (!all_end_) {
    steps_.runner.tell_ranks(go_ ? status : Status(Code::kCancelled, "it has ended the fit"));
  }
  return status;
}

Status SynchronousLoop::train() {
  EpochLog& log = parts_.log;
  steps_.runner.share_anew();
  lost_ = steps_.runner.lost();
  PERCALE_RETURN_IF_ERROR(open());
  if (source_->batches() < 0 && parts_.rate.needs_total()) {
    return failed_precondition(
        "the schedule needs the run's number of steps, which data in a stream does not tell: give it a length");
  }
  course_ = log.begin_fit(request_.epochs, steps_of(source_->batches()), steps_of(log.position().batch));
  while (goes_on()) PERCALE_RETURN_IF_ERROR(run_step());
  return go_ ? finish(parts_) : publish_unless_by_hand();
}

Status SynchronousLoop::open() {
  BatchSource source{request_.data, parts_.threads, steps_.shards, steps_.runner, request_.epochs};
  if (steps_.shards.has_parts() || request_.data->batches() < 0) {
    source_ = part_batches(std::move(source));
  } else {
    PERCALE_ASSIGN_OR_RETURN(source_, whole_batches(std::move(source)));
  }
  return source_->open(parts_.log.position());
}

Result<StepRunner::Outcome> SynchronousLoop::make_step(const StepBatches& taken, double learning_rate) {
  return steps_.runner.run(names_, taken.batches, {parts_.log.steps() + 1, learning_rate, request_.cancel});
}

Status SynchronousLoop::run_step() {
  EpochLog& log = parts_.log;
  std::optional<ComputePeriod> period;  // devices may wait for rows
  period.emplace(steps_.facts, steps_.shards.devices(), parts_.threads);
  const auto taken = source_->take(per_step_);
  if (!taken.ok()) return recover(taken.status());
  // A validation that was cancelled left the epoch without its end.
  if (taken->batches.empty()) {
    period.reset();
    return end_epoch();
  }
  StepRecord record;
  record.step = log.steps() + 1;
  record.learning_rate = parts_.rate.at(log.steps(), course_.total_steps);
  record.totals.assign(log.totals_count(), 0);
  record.ends_epoch = taken->end_epoch;
  log.make_room(1);  // nothing between the step and its record may fail
  const auto outcome = make_step(*taken, record.learning_rate);
  period.reset();
  if (!outcome.ok()) {
    steps_.facts.drop_all_but(0);
    return recover(outcome.status());
  }
  parts_.publisher.note_step();
  record.rows = outcome->rows;
  record.loss = outcome->loss;
  return add_step(*taken, std::move(record));
}

// The state is that of the last step.
Status SynchronousLoop::recover(const Status& error) {
  Status lasting = steps_.runner.recover(error);
  if (lasting.ok()) lasting = go_on_anew();
  return lasting.ok() ? Status() : publish_before(std::move(lasting));
}

Status SynchronousLoop::go_on_anew() {
  const bool is_smaller = steps_.runner.lost() != lost_;
  if (!is_smaller || source_->survives_losses()) return source_->open(parts_.log.position());
  all_end_ = true;
  return Status(Code::kUnavailable,
                "a rank was lost with its part of the data; the ranks that are left go on from the last step when they "
                "train on data sets that have its rows, too");
}

Status SynchronousLoop::add_step(const StepBatches& taken, StepRecord record) {
  EpochLog& log = parts_.log;
  const auto count = static_cast<int64_t>(taken.batches.size());
  record.seconds = course_.seconds_now();
  steps_.runner.add_totals_to(record.totals);
  record.step_in_epoch = steps_of(log.position().batch + count);
  log.add(record);
  log.advance(count);
  const bool anew_before = steps_.runner.share_anew();
  PERCALE_RETURN_IF_ERROR(tell(record));
  const bool anew_while_saving = steps_.runner.share_anew();
  const Status shared = anew_before || anew_while_saving ? go_on_anew() : Status();
  return shared.ok() ? Status() : publish_before(shared);
}

Status SynchronousLoop::end_epoch() { return parts_.closer.close(request_.validation, request_.cancel); }

// Ends the epoch where the step does; then the caller is told, and may save.
Status SynchronousLoop::tell(const StepRecord& record) {
  if (record.ends_epoch) {
    Status ended = end_epoch();
    if (!ended.ok()) return publish_before(std::move(ended));
  }
  PERCALE_RETURN_IF_ERROR(
      parts_.publisher.publish_if(parts_.publishing.after_fit_step(record.step, record.ends_epoch), record.step));
  if (request_.progress) go_ = request_.progress(parts_.log.progress(record, course_));
  if (!go_ || !request_.cancel.cancelled()) return {};
  return publish_before(StepCall{record.step + 1, 0, request_.cancel}.cancelled());
}

}  // namespace percale
