// The shards of a job's batches: their number, and the memory of their sums. The first batch
// decides.
#ifndef PERCALE_CORE_TRAIN_STEP_BATCH_SHARDS_H_
#define PERCALE_CORE_TRAIN_STEP_BATCH_SHARDS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/train/group/group.h"
#include "core/train/method/train_mode.h"
#include "core/train/shards/averaging.h"
#include "core/train/shards/batch_barrier.h"
#include "core/train/step/shard_choice.h"
#include "core/train/step/shard_planner.h"

namespace percale {

// Thread-compatible.
class BatchShards {
 public:
  struct Settings {
    int64_t shards = 0;        // 0: the first batch decides
    int64_t accumulation = 1;  // batches of a step
    TrainMode mode = {};
    std::string mode_text = {};
    Group* group = nullptr;  // borrowed; null: the trainer trains alone
    bool parts = false;      // each rank of the group has a part of the data
  };
  // Borrows all but the engine and the memory.
  BatchShards(std::shared_ptr<Engine> engine, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
              ReplicaDevices& devices, ParameterStore& store, RunFacts& facts, Settings settings);

  // Decides shards and replicas by the rows of the first batch. Does nothing when that is done.
  Status prepare(int64_t rows);
  bool prepared() const { return sums_ != nullptr; }
  bool in_group() const { return settings_.group != nullptr; }
  bool has_parts() const { return in_group() && settings_.parts; }
  // The store has left the devices: the sums of the next batch have updates, too.
  void forget() { sums_ = nullptr; }

  int64_t shards() const { return settings_.shards; }  // 0: not decided yet
  // Precondition: !prepared().
  void set_shards(int64_t shards) { settings_.shards = shards; }
  size_t lanes() const { return lanes_; }
  const TrainMode& mode() const { return settings_.mode; }
  int64_t accumulation() const { return settings_.accumulation; }
  ReplicaDevices& devices() { return devices_; }
  // The number of replicas that are not lost.
  size_t replicas() const;
  // True if all shards of a batch are under way at the same time, each on a thread of its own.
  bool together() const;
  // Puts spare devices in the place of lost ones; logs losses.
  Result<bool> replace_lost() { return devices_.replace_lost(sums_->replicas(), together()); }
  void report_losses(int64_t step);
  // The barrier of a batch's shards; null where they do not wait for each other.
  std::unique_ptr<BatchBarrier> barrier(const BatchCut& cut) const;

  // Preconditions of the following: prepared().
  // A batch of `rows` rows. `of_ranks`: the rows of each rank of the group, if these have parts of
  // the data.
  BatchCut cut(int64_t rows, const std::vector<int64_t>& of_ranks = {}) const;
  ShardSums& sums() { return *sums_; }
  RowGradients& by_rows() { return row_gradients_; }

 private:
  Result<ShardChoice> choose(int64_t rows, size_t candidates) const;
  Status make_sums(const ShardChoice& choice, std::vector<DeviceGroup> candidates);
  void log_spare(size_t replicas) const;

  const std::shared_ptr<Engine> engine_;
  const std::shared_ptr<MemoryPool> memory_;
  const TrainGraph& graph_;
  ReplicaDevices& devices_;
  ParameterStore& store_;
  RunFacts& facts_;
  Settings settings_;
  size_t lanes_ = 1;
  std::unique_ptr<ShardSums> sums_;
  RowGradients row_gradients_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_BATCH_SHARDS_H_
