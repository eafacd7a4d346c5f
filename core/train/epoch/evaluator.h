// Evaluates a data set, and ends epochs with what that gives.
#ifndef PERCALE_CORE_TRAIN_EPOCH_EVALUATOR_H_
#define PERCALE_CORE_TRAIN_EPOCH_EVALUATOR_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/train/epoch/epoch_log.h"
#include "core/train/epoch/epoch_observer.h"
#include "core/train/epoch/objective_totals.h"
#include "core/train/group/group.h"
#include "core/train/shards/run_facts.h"
#include "core/train/step/shard_planner.h"

namespace percale {

// Thread-compatible.
class Evaluator {
 public:
  // Borrows all but the session and the memory. `group`: its ranks share the batches, or each has a
  // part of the data; null: none.
  Evaluator(std::shared_ptr<Session> session, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
            const ObjectiveTotals& totals, const WorkingSet& working, ParameterStore& store, ShardPlanner& planner,
            const RunFacts& facts, int64_t seed, Group* group, bool parts);

  // Means over one pass through the data. `steps`: completed so far.
  Result<NamedNumbers> evaluate(const Dataset& dataset, int64_t steps, const CancelToken& cancel);

 private:
  using EvaluateOne = std::function<Result<std::vector<double>>(int64_t batch)>;
  Result<std::vector<double>> add_up(const Dataset& dataset, const EvaluateOne& evaluate) const;
  Result<std::vector<double>> add_up_parts(const Dataset& dataset, const EvaluateOne& evaluate);
  Result<std::vector<double>> add_up_shared(const Dataset& dataset, const EvaluateOne& evaluate);
  Result<std::vector<double>> evaluate_batch(const Dataset& dataset, int64_t batch, const RunValues& served,
                                             int64_t steps, const CancelToken& cancel);
  const std::shared_ptr<Session> session_;
  const std::shared_ptr<MemoryPool> memory_;
  const TrainGraph& graph_;
  const ObjectiveTotals& totals_;
  const WorkingSet& working_;
  ParameterStore& store_;
  ShardPlanner& planner_;
  const RunFacts& facts_;
  const int64_t seed_;
  Group* const group_;
  const bool parts_;
};

// Ends an epoch: its numbers go to the observers and into the log.
class EpochCloser {
 public:
  // Borrows all. `observers`: in the order in which they are told.
  EpochCloser(EpochLog& log, Evaluator& evaluator, const ObjectiveTotals& totals, ParameterStore& store,
              std::vector<EpochObserver*> observers)
      : log_(log), evaluator_(evaluator), totals_(totals), store_(store), observers_(std::move(observers)) {}

  // Evaluates `validation` unless it is null. Nothing has changed after an error.
  Status close(const Dataset* validation, const CancelToken& cancel);

 private:
  EpochLog& log_;
  Evaluator& evaluator_;
  const ObjectiveTotals& totals_;
  ParameterStore& store_;
  const std::vector<EpochObserver*> observers_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_EVALUATOR_H_
