#include "core/train/epoch/evaluator.h"

#include <algorithm>
#include <utility>

#include "core/train/epoch/batch_totals.h"
#include "core/train/method/metrics.h"
#include "core/train/step/batch_binding.h"

namespace percale {

Evaluator::Evaluator(std::shared_ptr<Session> session, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
                     const ObjectiveTotals& totals, const WorkingSet& working, ParameterStore& store,
                     ShardPlanner& planner, const RunFacts& facts, int64_t seed, Group* group, bool parts)
    : session_(std::move(session)),
      memory_(std::move(memory)),
      graph_(graph),
      totals_(totals),
      working_(working),
      store_(store),
      planner_(planner),
      facts_(facts),
      seed_(seed),
      group_(group),
      parts_(parts) {}

Result<std::vector<double>> Evaluator::evaluate_batch(const Dataset& dataset, int64_t batch, const RunValues& served,
                                                      int64_t steps, const CancelToken& cancel) {
  PERCALE_ASSIGN_OR_RETURN(const auto tensors, dataset.batch({0, batch}, session_->engine()->threads().parallel()));
  PERCALE_ASSIGN_OR_RETURN(const BoundBatch bound,
                           bind_batch(graph_.graph->main(), graph_.inputs, column_names(dataset), tensors, memory_));
  if (bound.rows < 1) return invalid_argument("the batch has no rows");
  std::vector<ValueType> types;
  for (const Tensor& t : bound.feeds) types.push_back({t.dtype(), t.shape()});
  PERCALE_ASSIGN_OR_RETURN(const auto plan, planner_.evaluation(totals_.values(), types));
  std::vector<Tensor> results(totals_.values().size());
  PERCALE_RETURN_IF_ERROR(
      session_->run(*plan, bound.feeds, results, evaluation_options(served, seed_, steps, &cancel, facts_.trace())));
  std::vector<double> out;
  add_totals(results, out);
  return out;
}

// Batch by batch, in their order.
Result<std::vector<double>> Evaluator::add_up(const Dataset& dataset, const EvaluateOne& evaluate) const {
  std::vector<double> sum(totals_.count(), 0);
  for (int64_t batch = 0;; ++batch) {
    PERCALE_ASSIGN_OR_RETURN(const bool there, dataset.has_batch({0, batch}));
    if (!there) return sum;
    PERCALE_ASSIGN_OR_RETURN(const std::vector<double> numbers, evaluate(batch));
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += numbers[i];
  }
}

// The sums of the ranks, in their order.
Result<std::vector<double>> Evaluator::add_up_parts(const Dataset& dataset, const EvaluateOne& evaluate) {
  auto own = add_up(dataset, evaluate);
  const size_t lost = group_->lost();
  std::vector<std::vector<double>> all(group_->size(), std::vector<double>(totals_.count(), 0));
  if (own.ok()) all[group_->rank()] = *std::move(own);
  PERCALE_ASSIGN_OR_RETURN(const bool exchanged, store_.pass([&] {
    if (group_->lost() == lost) return group_->exchange_numbers("the evaluation", own.status(), all);
    return Status(Code::kUnavailable, "a rank was lost with its part of the data that is evaluated");
  }));
  if (!exchanged) {
    return Status(Code::kUnavailable, "an exchange of the evaluation has failed on this rank alone; evaluate again");
  }
  std::vector<double> sum(totals_.count(), 0);
  for (const std::vector<double>& numbers : all) {
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += numbers[i];
  }
  return sum;
}

// One rank of a group evaluates a batch, and tells the others.
Result<std::vector<double>> Evaluator::add_up_shared(const Dataset& dataset, const EvaluateOne& evaluate) {
  if (dataset.is_stream()) {
    return failed_precondition(
        "the rows of the data set come in a stream; in a group that is a rank's part of the data: set "
        "'collective_data' to 'parts'");
  }
  BatchTotals all(*group_, dataset.batches(), totals_.count());
  const Status own = all.fill_own(evaluate);
  const size_t lost = group_->lost();
  const auto exchange = [&] { return group_->lost() == lost ? all.exchange(own) : own; };
  PERCALE_ASSIGN_OR_RETURN(const bool exchanged, store_.pass(exchange));
  if (!exchanged || group_->lost() != lost) PERCALE_RETURN_IF_ERROR(all.fill_others(evaluate));
  return all.sum();
}

Result<NamedNumbers> Evaluator::evaluate(const Dataset& dataset, int64_t steps, const CancelToken& cancel) {
  PERCALE_RETURN_IF_ERROR(store_.synchronize());
  const Dataset::Use use(dataset);
  std::vector<Tensor> state;
  std::vector<int64_t> versions;
  for (size_t i = 0; i < working_.size(); ++i) {
    state.push_back(working_.values()[working_.served_at(i, steps)]);
    versions.push_back(working_.versions()[working_.served_at(i, steps)]);
  }
  const auto served = RunValues::of_caller(state, {.all = working_.state_version(), .each = &versions});
  const auto evaluate_one = [&](int64_t batch) { return evaluate_batch(dataset, batch, served, steps, cancel); };
  const auto sum = group_ == nullptr ? add_up(dataset, evaluate_one)
                   : parts_          ? add_up_parts(dataset, evaluate_one)
                                     : add_up_shared(dataset, evaluate_one);
  PERCALE_RETURN_IF_ERROR(sum.status());
  return totals_.finish(*sum);
}

Status EpochCloser::close(const Dataset* validation, const CancelToken& cancel) {
  NamedNumbers numbers = totals_.finish(log_.epoch_totals());
  if (validation != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(const NamedNumbers own, evaluator_.evaluate(*validation, log_.steps(), cancel));
    for (const auto& [name, value] : own) numbers.emplace_back("val_" + name, value);
  }
  const EpochEnd end{log_.position().epoch, numbers};
  std::vector<double> metrics;
  for (const std::string& name : log_.history().metric_names) metrics.push_back(end.value(name));
  if (std::ranges::any_of(observers_, [](const EpochObserver* o) { return o->reads_weights(); })) {
    PERCALE_RETURN_IF_ERROR(store_.synchronize());
  }
  // From here on nothing fails.
  for (EpochObserver* observer : observers_) observer->epoch_ended(end);
  log_.end_epoch(std::move(metrics));
  return {};
}

}  // namespace percale
