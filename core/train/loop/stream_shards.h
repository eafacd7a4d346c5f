// The shards of several batches at once, computed on copies of the working set.
#ifndef PERCALE_CORE_TRAIN_LOOP_STREAM_SHARDS_H_
#define PERCALE_CORE_TRAIN_LOOP_STREAM_SHARDS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/train/shards/shard_stream.h"
#include "core/train/step/step_runner.h"

namespace percale {

// The collaborators that compute the shards of a stream. Borrowed, except for the memory.
struct StreamParts {
  std::shared_ptr<MemoryPool> memory;
  const TrainGraph& graph;
  const WorkingSet& working;
  ShardPlanner& planner;
  BatchShards& shards;
  const ShardComputer& computer;
  const StepRunner& runner;
  RunFacts& facts;
  LossCheck& loss;
};

// Keeps the open batches, and per loop of a replica a lane: the copy of the variables that it
// computes on. Thread-safe within the rules of ShardStream::Calls.
class StreamShards {
 public:
  // Precondition: the BatchShards are prepared. `names`: of the columns of batches.
  StreamShards(const StreamParts& parts, std::vector<std::string> names);

  // True if a batch is committed as a whole (mode `bounded`); else each shard is a commit
  // (`async`).
  bool whole_batches() const { return bounded_; }
  // True if variables change while shards are computed, so that each lane needs a copy.
  bool copies() const { return !bounded_ || parts_.shards.mode().count > 0; }

  // The calls of ShardStream. take() gives the rows of the batch.
  Result<int64_t> take(int64_t batch, const std::vector<Tensor>& tensors);
  void forget(int64_t batch);
  Status pull(size_t loop);
  Status look_up(const ShardStream::Task& task);
  // `step`: the counter of random operations.
  Status compute(const ShardStream::Task& task, int64_t step, const CancelToken& cancel, std::vector<Tensor>& out);

  // The parts of a commit besides its sums.
  struct Update {
    PlanPtr plan;
    const RowGradients* by_rows = nullptr;  // of the open batch, or of the loop's lane
    int64_t rows = 0;                       // that the sums are of
  };
  Update update_of(const ShardStream::Commit& commit);
  // Statistics come as what a shard adds to those that it saw: turns such sums into next values.
  void complete_statistics(const std::vector<Tensor>& sums) const;

  // No shard is under way: the batches that were taken but not committed are dropped.
  void drop_batches();

 private:
  struct OpenBatch {
    BoundBatch bound;
    std::shared_ptr<const ShardPlans> plans;
    RowGradients by_rows;  // of a whole batch
    PlanPtr commit;
  };
  struct Lane {
    std::vector<Tensor> state;  // empty: computes on the working set itself
    int64_t state_version = 0;
    std::vector<int64_t> versions;
    std::vector<Tensor> looked_up;  // rows of tables of which `state` has no copy
    RowGradients by_rows;           // of a shard that is committed by itself
    PlanPtr commit;
  };
  bool is_looked_up(size_t variable) const;
  bool has_rows() const { return !parts_.shards.by_rows().empty(); }
  std::shared_ptr<OpenBatch> open(int64_t batch);
  RunValues view_of(const Lane& lane) const;
  Status prepare_rows(Lane& lane, const OpenBatch& batch, int64_t shard);

  const StreamParts parts_;
  const std::vector<std::string> names_;
  const bool bounded_;
  const bool deltas_;  // statistics come as what they add
  std::vector<Lane> lanes_;
  PlanPtr commit_;    // of the batch that was taken last
  std::mutex mutex_;  // guards open_
  std::map<int64_t, std::shared_ptr<OpenBatch>> open_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_STREAM_SHARDS_H_
