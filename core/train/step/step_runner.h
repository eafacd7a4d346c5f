// Runs one training step on batches of data: sums over the shards, then the commit.
#ifndef PERCALE_CORE_TRAIN_STEP_STEP_RUNNER_H_
#define PERCALE_CORE_TRAIN_STEP_STEP_RUNNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/context/cancel.h"
#include "core/train/group/sum_exchange.h"
#include "core/train/step/batch_binding.h"
#include "core/train/step/batch_shards.h"
#include "core/train/step/shard_computer.h"

namespace percale {

// Warns of the first loss that is not finite; or ends the training at such a step.
class LossCheck {
 public:
  // `terminate`: OUT_OF_RANGE instead of a warning.
  LossCheck(const LogSink& log, bool terminate) : log_(log), terminate_(terminate) {}
  // Before the update of the step. One caller at a time.
  Status check(double loss, int64_t step);

 private:
  const LogSink& log_;
  const bool terminate_;
  bool warned_ = false;
};

// The step under way.
struct StepCall {
  int64_t step = 1;  // its number
  double learning_rate = 0;
  const CancelToken& cancel;
  StepFetches* fetches = nullptr;  // values to hand out; null: none

  // CANCELLED, with the step that the state is of.
  Status cancelled() const;
};

// The rows of a batch, of which a rank of a group may have some alone.
struct BatchRows {
  int64_t all = -1;                    // -1: those of the tensors
  int64_t first = 0;                   // that the own tensors begin with
  std::vector<int64_t> of_ranks = {};  // where each rank has a part of the data; else empty
};

struct StepBatch {
  std::vector<Tensor> tensors;
  BatchRows rows = {};
};

// The place of a batch in its step.
struct BatchOfStep {
  BatchRows rows;
  int64_t rows_before = 0, rows_of_step = 0;  // of the step's batches before it, and of all
  bool first = true;                          // of the step
};

// Thread-compatible.
class StepRunner {
 public:
  struct Outcome {
    int64_t rows = 0;
    double loss = 0;
  };
  // Borrows all but the engine and the memory. `exchange`: with the other ranks of a group; null:
  // the trainer trains alone.
  StepRunner(std::shared_ptr<Engine> engine, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
             const WorkingSet& working, ParameterStore& store, ShardPlanner& planner, BatchShards& shards,
             const ShardComputer& computer, RunFacts& facts, LossCheck& loss, SumExchange* exchange);

  // The inputs of a shard's function from the columns of a batch. INVALID_ARGUMENT without rows.
  Result<BoundBatch> bind(const std::vector<std::string>& names, const std::vector<Tensor>& batch) const;
  // The same for a rank's part of a batch, which may have no rows.
  Result<BoundBatch> bind_part(const std::vector<std::string>& names, const std::vector<Tensor>& batch) const;
  // Where each rank of a group has a part of the data: tells the other ranks how many batches of an
  // epoch this one has (-1: unknown), or its rows of the next batch. Returns the numbers of all
  // ranks, or the first error of one. `status`: of reading the rows.
  Result<std::vector<int64_t>> share_batches(int64_t own);
  Result<BatchRows> share_rows(const Status& status, const std::vector<Tensor>& tensors);
  // A whole step on these batches, which have columns called `names`.
  Result<Outcome> run(const std::vector<std::string>& names, const std::vector<StepBatch>& batches,
                      const StepCall& call);

  // The same in parts, between begin_step() and end_step(). reduce() leaves the sums of a batch in
  // BatchShards::sums().batch().
  void begin_step();
  Status reduce(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const StepCall& call);
  // Adds them to those of the step's batches so far.
  void keep_batch(bool first);
  // Commits the sums of all batches.
  Status commit(const StepCall& call);
  void end_step();
  // The mean loss of the step's batches so far.
  double loss();
  // Adds the elements of the step's totals to `sums`.
  void add_totals_to(std::vector<double>& sums);
  // After an error of a step. OK if an exchange has failed, and the ranks that are left share the
  // shards anew: the step may begin again. Else the error.
  Status recover(const Status& error);
  // A fit has ended here. Waits for the other ranks of a group, and helps those whose last step is
  // not complete. Fails only if the group goes on without this rank.
  Status end_fit();
  // True if an exchange has failed since the last call, also in a step that was completed then.
  // The next step makes shards and sums anew.
  bool share_anew();
  // The number of ranks that the group has lost so far.
  size_t lost() const { return exchange_ == nullptr ? 0 : exchange_->lost(); }
  // The other ranks of a group end their step with this error. Does nothing if it is theirs, or OK.
  void tell_ranks(const Status& error) {
    if (exchange_ != nullptr) exchange_->refuse(error);
  }
  // Leaves devices that keep the updates of a step, because these cannot hand out fetches.
  Status prepare_fetches(int64_t step);

 private:
  Status leave_devices(std::string_view why, int64_t step);
  Status reduce_on_host(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const StepCall& call,
                        std::string_view why);
  bool host_may_take_over(const Status& status) const;
  Status commit_sums(const StepCall& call);
  Status reduce_shards(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const StepCall& call);
  Status plan(const std::vector<Tensor>& feeds, bool first, const BatchCut& cut, const StepCall& call);
  Status plan_shards(const std::vector<Tensor>& feeds, const BatchCut& cut, const StepCall& call);
  Status sum_shards(const std::vector<Tensor>& feeds, const BatchOfStep& batch, const BatchCut& cut,
                    const StepCall& call);
  Status complete_sums(const BatchCut& cut);
  void scale_statistics(int64_t rows);

  const std::shared_ptr<Engine> engine_;
  const std::shared_ptr<MemoryPool> memory_;
  const TrainGraph& graph_;
  const WorkingSet& working_;
  ParameterStore& store_;
  ShardPlanner& planner_;
  BatchShards& shards_;
  const ShardComputer& computer_;
  RunFacts& facts_;
  LossCheck& loss_;
  SumExchange* const exchange_;
  std::shared_ptr<const ShardPlans> plans_;
  PlanPtr commit_;
  // The batch whose updates lie on several devices, until it is committed.
  struct ResidentBatch {
    std::vector<Tensor> feeds;
    BatchOfStep place;
  };
  std::optional<ResidentBatch> resident_batch_;
  size_t reforms_ = 0;  // of the group, when the shards were shared
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_STEP_RUNNER_H_
