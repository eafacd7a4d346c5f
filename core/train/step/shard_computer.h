// Computes one shard of a batch on one replica.
#ifndef PERCALE_CORE_TRAIN_STEP_SHARD_COMPUTER_H_
#define PERCALE_CORE_TRAIN_STEP_SHARD_COMPUTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/train/shards/run_facts.h"
#include "core/train/shards/step_fetches.h"
#include "core/train/step/shard_planner.h"

namespace percale {

// A shard's part in a step. Borrowed.
struct ShardRun {
  const std::vector<Tensor>& feeds;  // of its batch
  const ShardPlans& plans;
  // Rows of the step's batches before this one, and of all.
  int64_t rows_before = 0, rows_of_step = 0;
  RunValues values;
  int64_t step = 0;  // counter of random operations
  const CancelToken& cancel;
  const RowGradients& by_rows;
  int64_t part = 0;                 // of `by_rows` and `fetches` that the shard writes
  ShardBarrier* barrier = nullptr;  // shared with the other shards of the batch; null: none
  StepFetches* fetches = nullptr;   // null: none
  int64_t first_row = 0;            // of the batch, which the feeds begin with
  FetchWatcher* watcher = nullptr;  // of its outputs; null: none
  // The result of look_up(), where `values` have changed since; null: none.
  const std::vector<Tensor>* looked_up = nullptr;
};

// Thread-safe: shards of different lanes are computed at once.
class ShardComputer {
 public:
  // Borrows all but the session and the memory.
  ShardComputer(std::shared_ptr<Session> session, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
                const ReplicaDevices& devices, ParameterStore& store, RunFacts& facts, int64_t seed);

  // Writes the sums of these rows into `out`, in the order of StepLayout::sums().
  Status compute(size_t replica, const ShardRows& rows, const ShardRun& run, std::vector<Tensor>& out) const;
  // The rows of tables that the shard looks up in `variables`; see RowLookups. `feeds`: of its
  // batch.
  Result<std::vector<Tensor>> look_up(const std::vector<Tensor>& feeds, const ShardRows& rows,
                                      const std::vector<Tensor>& variables) const;
  // Calls `compute` and records what became of the shard. Out of memory becomes a Status.
  Status watch(size_t replica, const ShardRows& rows, const std::function<Status()>& compute) const;

 private:
  Result<std::vector<Tensor>> rows_of_feeds(const std::vector<Tensor>& feeds, const ShardRows& rows) const;
  Result<std::vector<Tensor>> feeds_of(const ShardRows& rows, const ShardRun& run) const;

  const std::shared_ptr<Session> session_;
  const std::shared_ptr<MemoryPool> memory_;
  const TrainGraph& graph_;
  const ReplicaDevices& devices_;
  ParameterStore& store_;
  RunFacts& facts_;
  const int64_t seed_;
  const RowLookups lookups_;
};

// While it lives, the devices of all replicas are there to compute; its end adds the time to the
// facts.
class ComputePeriod {
 public:
  ComputePeriod(RunFacts& facts, const ReplicaDevices& devices, ThreadPool& threads)
      : facts_(facts), devices_(devices), busy_(threads), begin_(now_ns()) {}
  ~ComputePeriod();
  ComputePeriod(const ComputePeriod&) = delete;
  ComputePeriod& operator=(const ComputePeriod&) = delete;

 private:
  RunFacts& facts_;
  const ReplicaDevices& devices_;
  const ThreadPool::Busy busy_;
  const int64_t begin_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_SHARD_COMPUTER_H_
