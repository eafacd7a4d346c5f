#include "core/train/loop/fed_steps.h"

#include <utility>

#include "core/train/method/metrics.h"

namespace percale {

Status FedSteps::check_complete(std::string_view what) const {
  if (batches_ == 0) return {};
  return failed_precondition(what, ": a step has ", batches_, " of its ", parts_.shards.accumulation(),
                             " batches; step() must complete it first");
}

Status FedSteps::check_batch(const BoundBatch& batch) const {
  if (!parts_.equal_batches || batches_ == 0 || batch.rows * batches_ == rows_) return {};
  return invalid_argument("the step's batches so far have ", rows_ / batches_, " rows each, this one ", batch.rows,
                          ": moving statistics are averaged over batches of one size");
}

// The feeds of this rank, and the rows of the whole batch.
Result<BoundBatch> FedSteps::bind(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                                  BatchRows* rows) const {
  StepRunner& runner = parts_.runner;
  if (!parts_.shards.has_parts()) return runner.bind(names, batch);
  auto own = runner.bind_part(names, batch);
  PERCALE_ASSIGN_OR_RETURN(*rows, runner.share_rows(own.status(), own.ok() ? own->feeds : std::vector<Tensor>()));
  if (rows->all < 1) return invalid_argument("the batch has no rows on any rank");
  own->rows = rows->all;
  return own;
}

// The sums of the batch, added to those of the step.
Result<double> FedSteps::reduce(const BoundBatch& batch, BatchRows rows, const StepCall& call) {
  const int64_t several = parts_.shards.accumulation();
  const bool first = batches_ == 0, last = batches_ + 1 == several;
  rows.all = batch.rows;
  PERCALE_RETURN_IF_ERROR(
      parts_.runner.reduce(batch.feeds, {std::move(rows), rows_, batch.rows * several, first}, call));
  ShardSums& sums = parts_.shards.sums();
  const double weight = scalar_value(sums.batch()[StepLayout::kWeight]);
  const double loss = scalar_value(sums.batch()[StepLayout::kLoss]) / weight;
  const double before = first ? 0 : scalar_value(sums.total()[StepLayout::kWeight]);
  if (last && !(before + weight > 0)) {
    return invalid_argument("step ", call.step, ": the weights of the batch add up to ", before + weight);
  }
  if (call.fetches != nullptr) {
    PERCALE_RETURN_IF_ERROR(call.fetches->join(parts_.shards.cut(batch.rows), parts_.engine->memory()));
  }
  if (call.cancel.cancelled()) return call.cancelled();
  parts_.runner.keep_batch(first);
  return loss;
}

Result<double> FedSteps::add(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                             const CancelToken& cancel, StepFetches* fetches) {
  EpochLog& log = parts_.log;
  const ComputePeriod period(parts_.facts, parts_.shards.devices(), parts_.engine->threads());
  const int64_t started = now_ns();
  const StepCall call{log.steps() + 1, parts_.rate.at(log.steps(), 0), cancel, fetches};
  const bool last = batches_ + 1 == parts_.shards.accumulation();
  // Nothing after the step may fail, because a step that ends with an error has not happened:
  // memory is taken before.
  std::optional<Publisher::Draft> draft;
  if (last && parts_.publishing.after_fed_step(call.step)) {
    PERCALE_ASSIGN_OR_RETURN(draft, parts_.publisher.draft());
  }
  log.make_room_for_fed_step();
  BatchRows rows;
  PERCALE_ASSIGN_OR_RETURN(const BoundBatch bound, bind(names, batch, &rows));
  parts_.runner.begin_step();
  PERCALE_RETURN_IF_ERROR(check_batch(bound));
  PERCALE_ASSIGN_OR_RETURN(const double loss, reduce(bound, std::move(rows), call));
  ++batches_;
  rows_ += bound.rows;
  const auto seconds = [&] { return static_cast<double>(now_ns() - started) * 1e-9; };
  if (!last) {
    parts_.runner.end_step();
    log.add_seconds(seconds());
    return loss;
  }
  forget();
  PERCALE_RETURN_IF_ERROR(parts_.runner.commit(call));
  parts_.runner.end_step();
  parts_.publisher.note_step();
  log.add_seconds(seconds());
  log.add_fed_step(call.step, parts_.runner.loss(), call.learning_rate);
  if (draft) {
    PERCALE_RETURN_IF_ERROR(parts_.store.synchronize());
    parts_.publisher.publish(*std::move(draft), log.steps());
  }
  return loss;
}

}  // namespace percale
