#include "core/train/loop/synchronous_loop.h"

#include <algorithm>
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
  if (status.ok() && go_) {
    steps_.runner.end_fit();
  } else {
    steps_.runner.tell_ranks(go_ ? status : Status(Code::kCancelled, "it has ended the fit"));
  }
  return status;
}

Status SynchronousLoop::train() {
  EpochLog& log = parts_.log;
  PERCALE_RETURN_IF_ERROR(open());
  course_ = log.begin_fit(request_.epochs, steps_of(batches_), steps_of(log.position().batch));
  while (goes_on()) {
    // A validation that was cancelled left the epoch without its end.
    if (log.position().batch >= batches_) {
      PERCALE_RETURN_IF_ERROR(parts_.closer.close(request_.validation, request_.cancel));
    } else {
      PERCALE_RETURN_IF_ERROR(run_step());
    }
  }
  return go_ ? finish(parts_) : publish_unless_by_hand();
}

// In a group the rows of the own shards; where parameters train by rows all rows, because they tell
// how many rows of a table the other shards look up.
Result<std::shared_ptr<Dataset>> SynchronousLoop::own_data() const {
  if (!steps_.shards.in_group()) return request_.data;
  if (request_.data->is_part()) {
    return failed_precondition(
        "the data set is a replica's part; a group trains on the whole one, of which each rank "
        "reads its rows");
  }
  PERCALE_RETURN_IF_ERROR(steps_.shards.prepare(request_.data->batch_rows(0).all));
  if (!steps_.shards.by_rows().empty()) return request_.data;
  return request_.data->part(steps_.shards.sums().own(), steps_.shards.shards());
}

Status SynchronousLoop::open() {
  PERCALE_ASSIGN_OR_RETURN(data_, own_data());
  PERCALE_ASSIGN_OR_RETURN(source_, open_source(data_));
  return {};
}

Result<StepRunner::Outcome> SynchronousLoop::make_step(int64_t batches, double learning_rate) {
  const ComputePeriod period(steps_.facts, steps_.shards.devices(), parts_.threads);
  std::vector<StepBatch> taken;
  for (int64_t i = 0; i < batches; ++i) {
    PERCALE_ASSIGN_OR_RETURN(taken.emplace_back().tensors, source_->next());
    if (!steps_.shards.in_group()) continue;
    const Dataset::BatchRows rows = data_->batch_rows(parts_.log.position().batch + i);
    taken.back().rows = rows.all;
    taken.back().first_row = rows.first;
  }
  return steps_.runner.run(names_, taken, {parts_.log.steps() + 1, learning_rate, request_.cancel});
}

Status SynchronousLoop::run_step() {
  EpochLog& log = parts_.log;
  StepRecord record;
  record.step = log.steps() + 1;
  record.learning_rate = parts_.rate.at(log.steps(), course_.total_steps);
  record.totals.assign(log.totals_count(), 0);
  log.make_room(1);  // nothing between the step and its record may fail
  const int64_t count = std::min(per_step_, batches_ - log.position().batch);
  const auto outcome = make_step(count, record.learning_rate);
  if (!outcome.ok()) {
    steps_.facts.drop_all_but(0);
    Status lasting = steps_.runner.recover(outcome.status());
    return lasting.ok() ? open() : publish_before(std::move(lasting));
  }
  parts_.publisher.note_step();
  record.rows = outcome->rows;
  record.loss = outcome->loss;
  record.seconds = course_.seconds_now();
  steps_.runner.add_totals_to(record.totals);
  record.step_in_epoch = steps_of(log.position().batch + count);
  log.add(record);
  log.advance(count);
  if (steps_.runner.share_anew()) PERCALE_RETURN_IF_ERROR(open());
  return tell(record);
}

// Ends the epoch where the step does; then the caller is told, and may save.
Status SynchronousLoop::tell(const StepRecord& record) {
  EpochLog& log = parts_.log;
  const bool epoch_ended = log.position().batch >= batches_;
  if (epoch_ended) {
    Status ended = parts_.closer.close(request_.validation, request_.cancel);
    if (!ended.ok()) return publish_before(std::move(ended));
  }
  PERCALE_RETURN_IF_ERROR(
      parts_.publisher.publish_if(parts_.publishing.after_fit_step(record.step, epoch_ended), record.step));
  if (request_.progress) go_ = request_.progress(log.progress(record, course_));
  if (!go_ || !request_.cancel.cancelled()) return {};
  return publish_before(StepCall{record.step + 1, 0, request_.cancel}.cancelled());
}

}  // namespace percale
