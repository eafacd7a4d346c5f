#include "core/train/step/step_runner.h"

#include <cmath>
#include <utility>

#include "core/train/method/metrics.h"

namespace percale {
namespace {

template <class T>
void scale(const Tensor& t, double factor) {
  for (T& x : t.mutable_span<T>()) x = static_cast<T>(static_cast<double>(x) * factor);
}

double loss_of(const std::vector<Tensor>& sums) {
  return scalar_value(sums[StepLayout::kLoss]) / scalar_value(sums[StepLayout::kWeight]);
}

}  // namespace

Status StepCall::cancelled() const {
  return Status(Code::kCancelled, str_cat("training was cancelled; the state is that of step ", step - 1));
}

Status LossCheck::check(double loss, int64_t step) {
  if (std::isfinite(loss)) return {};
  constexpr std::string_view kRemedy = "a smaller learning rate or 'clip' may help, and the data may hold a NaN";
  if (terminate_) {
    return out_of_range("the loss of step ", step, " is ", loss,
                        "; 'terminate_on_nan' ends the training before this step's update; ", kRemedy);
  }
  if (warned_) return {};
  warned_ = true;
  log_.log(LogLevel::kWarning, "trainer, step ", step, ": the loss is ", loss, "; ", kRemedy,
           "; 'terminate_on_nan' ends the training at such a step");
  return {};
}

StepRunner::StepRunner(std::shared_ptr<Engine> engine, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
                       const WorkingSet& working, ParameterStore& store, ShardPlanner& planner, BatchShards& shards,
                       const ShardComputer& computer, RunFacts& facts, LossCheck& loss, SumExchange* exchange)
    : engine_(std::move(engine)),
      memory_(std::move(memory)),
      graph_(graph),
      working_(working),
      store_(store),
      planner_(planner),
      shards_(shards),
      computer_(computer),
      facts_(facts),
      loss_(loss),
      exchange_(exchange) {}

void StepRunner::begin_step() {
  if (exchange_ != nullptr) exchange_->begin_step();
}

void StepRunner::end_step() {
  if (exchange_ != nullptr) exchange_->end_step();
}

double StepRunner::loss() { return loss_of(shards_.sums().total()); }

void StepRunner::add_totals_to(std::vector<double>& sums) {
  add_totals(graph_.layout.totals().of(shards_.sums().total()), sums);
}

// When devices that have the parameters cannot go on together, the host takes them and goes on with
// the devices that are left.
Status StepRunner::reduce(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const StepCall& call) {
  PERCALE_RETURN_IF_ERROR(shards_.prepare(batch.rows.all));
  ResidentSteps* const resident = store_.resident();
  if (resident == nullptr) return reduce_shards(feeds, batch, call);
  Status status = resident->begin_step(batch.rows.all, call.learning_rate);
  if (status.ok()) status = reduce_shards(feeds, batch, call);
  if (host_may_take_over(status)) return reduce_on_host(feeds, batch, call, status.message());
  if (status.ok() && resident->several()) resident_batch_ = {feeds, batch};
  return status;
}

// True after an error of devices that have the parameters, where one of them may be lost.
bool StepRunner::host_may_take_over(const Status& status) const {
  const bool apart = status.code() == Code::kUnavailable || status.code() == Code::kFailedPrecondition;
  return apart && store_.resident() != nullptr && store_.resident()->several();
}

Status StepRunner::reduce_on_host(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const StepCall& call,
                                  std::string_view why) {
  PERCALE_RETURN_IF_ERROR(leave_devices(why, call.step));
  PERCALE_RETURN_IF_ERROR(shards_.prepare(batch.rows.all));
  return reduce_shards(feeds, batch, call);
}

Status StepRunner::leave_devices(std::string_view why, int64_t step) {
  PERCALE_RETURN_IF_ERROR(store_.resident()->leave_devices(why, step));
  shards_.forget();
  planner_.forget();
  return {};
}

Status StepRunner::prepare_fetches(int64_t step) {
  return store_.resident() == nullptr ? Status() : leave_devices("steps with fetches are the host's", step);
}

Status StepRunner::plan_shards(const std::vector<Tensor>& feeds, const BatchCut& cut, const StepCall& call) {
  ShardPlanner::Batch batch{cut, shards_.lanes()};
  if (call.fetches != nullptr) call.fetches->append_names(batch.fetches);
  PERCALE_ASSIGN_OR_RETURN(plans_, planner_.plan_shards(feeds, batch));
  return {};
}

// The plans of the shards, room for the rows that they look up, and the commit that takes them.
Status StepRunner::plan(const std::vector<Tensor>& feeds, bool first, const BatchCut& cut, const StepCall& call) {
  PERCALE_RETURN_IF_ERROR(plan_shards(feeds, cut, call));
  if (store_.resident() != nullptr) return {};
  RowGradients& by_rows = shards_.by_rows();
  if (by_rows.empty() && commit_ != nullptr) return {};
  if (!by_rows.empty()) {
    PERCALE_ASSIGN_OR_RETURN(const auto counts, planner_.row_counts(*plans_, cut));
    PERCALE_RETURN_IF_ERROR(by_rows.begin_batch(first, counts));
  }
  PERCALE_ASSIGN_OR_RETURN(commit_, planner_.commit(by_rows, commit_));
  return {};
}

Status StepRunner::reduce_shards(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const StepCall& call) {
  const BatchCut cut = shards_.cut(batch.rows.all, batch.rows.of_ranks);
  PERCALE_RETURN_IF_ERROR(plan(feeds, batch.first, cut, call));
  if (call.fetches != nullptr) call.fetches->begin_batch(shards_.shards());
  const int64_t waiting = facts_.waiting();
  while (true) {
    const Status status = sum_shards(feeds, batch, cut, call);
    if (!status.ok()) facts_.drop_all_but(waiting);
    shards_.report_losses(call.step);
    PERCALE_ASSIGN_OR_RETURN(const bool replaced, shards_.replace_lost());
    // With spare devices in the place of the last ones the batch begins again; otherwise they take
    // part in the next batch.
    if (status.code() == Code::kUnavailable && replaced) {
      PERCALE_RETURN_IF_ERROR(plan_shards(feeds, cut, call));
      continue;
    }
    if (status.code() == Code::kUnavailable && shards_.replicas() == 0) {
      return status.with_context("no device is left to compute the batch");
    }
    if (status.ok()) return complete_sums(cut);
    return status.code() == Code::kCancelled && call.cancel.cancelled() ? call.cancelled() : status;
  }
}

Status StepRunner::sum_shards(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const BatchCut& cut,
                              const StepCall& call) {
  CancelToken cancel(&call.cancel);
  const std::unique_ptr<BatchBarrier> barrier = shards_.barrier(cut);
  const auto compute = [&](size_t replica, int64_t shard, const ShardRows& rows, std::vector<Tensor>& out) {
    const ShardRun run{feeds,
                       *plans_,
                       batch.rows_before,
                       batch.rows_of_step,
                       working_.view(),
                       call.step - 1,
                       cancel,
                       shards_.by_rows(),
                       shard,
                       barrier.get(),
                       call.fetches,
                       batch.rows.first,
                       shards_.devices().may_be_lost(replica) ? nullptr : shards_.sums().results_of(shard)};
    return computer_.watch(replica, rows, [&] { return computer_.compute(replica, rows, run, out); });
  };
  // A device that has parameters does not take another's shard.
  ResidentSteps* const resident = store_.resident();
  const bool bound = resident != nullptr && resident->several();
  const auto is_loss = [&](size_t replica, const Status& error) {
    return shards_.devices().note_loss(replica, error) && !bound;
  };
  const TrainMode& mode = shards_.mode();
  const int64_t enough = mode.kind == TrainMode::Kind::kBackup ? mode.count : INT64_MAX;
  const auto stop = [&] { cancel.cancel(); };
  const auto reduce = [&](SumWatcher* watcher) {
    return shards_.sums().reduce(cut, engine_->threads().parallel(), compute, is_loss, {enough, stop}, watcher);
  };
  if (exchange_ == nullptr) return reduce(nullptr);
  const SumExchange::Batch exchanged{shards_.sums(), cut, barrier.get(), stop};
  return exchange_->reduce(exchanged, reduce);
}

// Makes the sums those of the whole batch: other ranks have shards of it, or shards were left out.
Status StepRunner::complete_sums(const BatchCut& cut) {
  if (exchange_ != nullptr) {
    return exchange_->complete(shards_.sums(), shards_.by_rows(), cut, engine_->threads().parallel());
  }
  scale_statistics(cut.rows());
  return {};
}

// Where shards were left out, gradients need no correction, because the weight is that of the
// others. Statistics came as parts of the batch.
void StepRunner::scale_statistics(int64_t rows) {
  ShardSums& sums = shards_.sums();
  for (const int64_t shard : sums.left_out()) shards_.by_rows().leave_out(shard);
  if (sums.accepted_rows() == rows || graph_.statistics.empty()) return;
  const double factor = static_cast<double>(rows) / static_cast<double>(sums.accepted_rows());
  for (const Tensor& sum : graph_.layout.statistics().of(sums.batch())) {
    sum.dtype() == DType::kF64 ? scale<double>(sum, factor) : scale<float>(sum, factor);
  }
}

void StepRunner::keep_batch(bool first) {
  shards_.by_rows().keep_batch();
  if (shards_.accumulation() > 1) shards_.sums().add_batch(first, engine_->threads().parallel());
}

Status StepRunner::commit(const StepCall& call) {
  const std::optional<ResidentBatch> batch = std::exchange(resident_batch_, std::nullopt);
  Status status = commit_sums(call);
  if (!batch || !host_may_take_over(status)) return status;
  PERCALE_RETURN_IF_ERROR(reduce_on_host(batch->feeds, batch->place, call, status.message()));
  return commit_sums(call);
}

Status StepRunner::commit_sums(const StepCall& call) {
  const std::vector<Tensor>& total = shards_.sums().total();
  const double weight = scalar_value(total[StepLayout::kWeight]);
  if (!(weight > 0)) {
    return invalid_argument("step ", call.step, ": the weights of the batch add up to ", weight);
  }
  if (call.cancel.cancelled()) return call.cancelled();
  PERCALE_RETURN_IF_ERROR(loss_.check(loss(), call.step));
  const StepCommit step{commit_.get(), total, shards_.by_rows(), call.learning_rate, call.step, facts_.trace()};
  if (store_.resident() != nullptr) {
    PERCALE_RETURN_IF_ERROR(store_.commit(step));
  } else {
    const RunFacts::Span span(&facts_, RunFacts::Work::kCommit);
    PERCALE_RETURN_IF_ERROR(store_.commit(step));
  }
  facts_.accept_all();
  shards_.report_losses(call.step);
  return {};
}

Result<BoundBatch> StepRunner::bind(const std::vector<std::string>& names, const std::vector<Tensor>& batch) const {
  PERCALE_ASSIGN_OR_RETURN(BoundBatch out, bind_part(names, batch));
  if (out.rows < 1) return invalid_argument("the batch has no rows");
  return out;
}

Result<BoundBatch> StepRunner::bind_part(const std::vector<std::string>& names,
                                         const std::vector<Tensor>& batch) const {
  return bind_batch(*graph_.graph->find_function(kComputeFunction), graph_.inputs, names, batch, memory_);
}

Result<StepRunner::Outcome> StepRunner::run(const std::vector<std::string>& names,
                                            const std::vector<StepBatch>& batches, const StepCall& call) {
  begin_step();
  std::vector<BoundBatch> bound;
  Outcome out;
  for (const StepBatch& batch : batches) {
    PERCALE_ASSIGN_OR_RETURN(bound.emplace_back(), bind_part(names, batch.tensors));
    if (batch.rows.all >= 0) bound.back().rows = batch.rows.all;
    out.rows += bound.back().rows;
  }
  int64_t before = 0;
  for (size_t i = 0; i < bound.size(); ++i) {
    BatchOfStep place{batches[i].rows, before, out.rows, i == 0};
    place.rows.all = bound[i].rows;
    PERCALE_RETURN_IF_ERROR(reduce(bound[i].feeds, place, call));
    keep_batch(i == 0);
    before += bound[i].rows;
  }
  out.loss = loss();
  PERCALE_RETURN_IF_ERROR(commit(call));
  end_step();
  return out;
}

Result<std::vector<int64_t>> StepRunner::share_batches(int64_t own) {
  if (exchange_ == nullptr) return std::vector<int64_t>{own};
  PERCALE_ASSIGN_OR_RETURN(const auto parts, exchange_->share("numbers of batches", {}, {own, 0}));
  std::vector<int64_t> out;
  for (const auto& part : parts) out.push_back(part.count);
  return out;
}

Result<BatchRows> StepRunner::share_rows(const Status& status, const std::vector<Tensor>& tensors) {
  SumExchange::RankPart own;
  for (const Tensor& t : tensors) {
    own.count = t.shape()[0];
    own.row_elements += t.shape().product(1, t.shape().rank());
  }
  if (exchange_ == nullptr) {
    PERCALE_RETURN_IF_ERROR(status);
    return BatchRows{own.count};
  }
  PERCALE_ASSIGN_OR_RETURN(const auto parts, exchange_->share("rows", status, own));
  BatchRows out{0};
  for (size_t rank = 0; rank < parts.size(); ++rank) {
    if (rank == exchange_->rank()) out.first = out.all;
    out.all += parts[rank].count;
    out.of_ranks.push_back(parts[rank].count);
    if (graph_.by_rows.empty() || parts[rank].row_elements == parts[0].row_elements) continue;
    return invalid_argument("a row of the batch has ", parts[rank].row_elements, " elements on rank ", rank, ", ",
                            parts[0].row_elements,
                            " on rank 0; where tables train by rows, batches of all ranks have "
                            "one shape but for their rows");
  }
  return out;
}

Status StepRunner::recover(const Status& error) {
  if (exchange_ == nullptr) return error;
  if (exchange_->group_broken()) PERCALE_RETURN_IF_ERROR(store_.recover());
  return share_anew() ? Status() : error;
}

Status StepRunner::end_fit() {
  if (exchange_ == nullptr || exchange_->group_broken()) return {};
  const auto passed = store_.pass([this] {
    share_anew();
    (void)exchange_->wait_for_all();
    return Status();
  });
  share_anew();
  return passed.status().code() == Code::kAborted ? passed.status() : Status();
}

bool StepRunner::share_anew() {
  if (exchange_ == nullptr || exchange_->reforms() == reforms_) return false;
  reforms_ = exchange_->reforms();
  shards_.forget();
  planner_.forget();
  exchange_->forget();
  return true;
}

}  // namespace percale
