// Sums over the shards of a batch: a balanced binary tree over shard numbers, so that the bits do not depend on who computed
// which shard when.
#ifndef PERCALE_CORE_TRAIN_SHARDS_AVERAGING_H_
#define PERCALE_CORE_TRAIN_SHARDS_AVERAGING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/registry/shape_context.h"
#include "core/tensor/tensor.h"
#include "core/train/shards/replicas.h"
#include "core/train/shards/run_facts.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// The rows of shard `shard` of `shards` in a batch of `rows`: floor(shard * rows / shards) to the next. May be empty.
struct ShardRows {
  int64_t begin, end;
};
ShardRows shard_rows(int64_t rows, int64_t shards, int64_t shard);

// a[i] += b[i] for all tensors, in tiles that do not depend on the number of threads. All are f32 or f64; a and b agree.
void add_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const ParallelFor& parallel);

Result<std::vector<Tensor>> allocate_tensors(const std::vector<ValueType>& types,
                                             const std::shared_ptr<MemoryPool>& pool);

// When a batch has enough.
struct EnoughShards {
  int64_t shards = INT64_MAX;  // of those with rows, whichever come first; 1 at least
  // Ends calls of compute() under way: what they give is not wanted any more, or an error has ended the batch. They are waited
  // for. Called once at most, by any replica, under a lock of ShardSums::reduce().
  std::function<void()> stop = {};
};

// Adds what shards give. Thread-compatible; its buffers are kept for the next batch.
class ShardSums {
 public:
  struct Sizes {
    int64_t shards = 1;
    size_t replicas = 1;   // that compute at once, at most `shards`
    size_t lanes = 1;      // shards that a replica computes at once
    bool several = false;  // a step has several batches
    // All shards of a batch are computed at the same time, since they wait for each other; a replica has a lane for each.
    bool together = false;
  };
  // Buffers of these types, made by the first reduce(): one per level of the tree, for each further shard under way as many as the shards
  // that it overtakes can leave behind, and one more for `several` batches.
  static Result<ShardSums> create(std::vector<ValueType> types, const Sizes& sizes, std::shared_ptr<MemoryPool> pool);

  // Who computes.
  Replicas& replicas() { return *replicas_; }
  const Replicas& replicas() const { return *replicas_; }

  // Replica `replica` computes shard `shard` into `out`. Called by replicas at once, each for as many shards at once
  // as it has lanes.
  using Compute = std::function<Status(size_t replica, int64_t shard, const ShardRows& rows, std::vector<Tensor>& out)>;
  // Whether an error of compute() means that the replica can compute no more, while others can. Called by one at a time, for a
  // replica perhaps once per lane.
  using IsLoss = std::function<bool(size_t replica, const Status& status)>;
  // Calls `compute` for each shard that has rows, handed out in order to whichever replica is free, and adds; then batch() holds
  // the sums. A shard whose replica is lost is handed out again. Any other error ends it, the first one is returned; with no replica
  // left it is that of the last loss. Precondition: rows > 0.
  Status reduce(int64_t rows, const ParallelFor& parallel, const Compute& compute, const IsLoss& is_loss = {},
                const EnoughShards& enough = {});
  // After reduce(): the rows of the shards that were added, and the shards with rows that were not.
  int64_t accepted_rows() const { return accepted_rows_; }
  const std::vector<int64_t>& left_out() const { return left_out_; }
  const std::vector<Tensor>& total() const { return several_.empty() ? batch() : several_; }
  // The sums of the last batch, after reduce() and before add_batch().
  const std::vector<Tensor>& batch() const { return buffers_[batch_]; }
  // Of several batches: after reduce(), takes its sums (`first`) or adds them, in the order of the calls; total() holds theirs.
  // Precondition: made for several.
  void add_batch(bool first, const ParallelFor& parallel);
  // What adding costs is told there from now on. Must outlive this.
  void set_facts(RunFacts* facts) { facts_ = facts; }
  int64_t shards() const { return sizes_.shards; }
  const std::vector<ValueType>& types() const { return types_; }

 private:
  class Reduction;
  ShardSums() = default;
  Status make_buffers();
  Sizes sizes_;
  std::vector<ValueType> types_;
  std::shared_ptr<MemoryPool> pool_;
  std::unique_ptr<Replicas> replicas_;
  std::vector<std::vector<Tensor>> buffers_;
  size_t batch_ = 0;  // the buffer with the sums
  int64_t accepted_rows_ = 0;
  std::vector<int64_t> left_out_;
  RunFacts* facts_ = nullptr;
  std::vector<Tensor> several_;  // empty unless made for several batches
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_AVERAGING_H_
