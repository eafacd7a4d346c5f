// Adds what the shards of a batch give, along a balanced binary tree over shard numbers, so that
// the bits do not depend on which replica computed which shard when.
#ifndef PERCALE_CORE_TRAIN_SHARDS_AVERAGING_H_
#define PERCALE_CORE_TRAIN_SHARDS_AVERAGING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/registry/shape_context.h"
#include "core/session/context/fetch_watcher.h"
#include "core/tensor/tensor.h"
#include "core/train/shards/batch_cut.h"
#include "core/train/shards/replicas.h"
#include "core/train/shards/run_facts.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// a[i] += b[i] for all tensors, in tiles that do not depend on the number of threads. All are f32
// or f64; a and b agree. The second form allocates nothing.
void add_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const ParallelFor& parallel);
void add_tensors(const Tensor& a, const Tensor& b, const ParallelFor& parallel);

// The tensors lie behind each other in one piece of memory, each at an aligned address.
Result<std::vector<Tensor>> allocate_tensors(const std::vector<ValueType>& types,
                                             const std::shared_ptr<MemoryPool>& pool);

// When a batch has enough shards.
struct EnoughShards {
  int64_t shards = INT64_MAX;  // with rows, in the order in which they are computed; 1 at least
  // Stops calls of compute() under way: their results are not wanted any more, or an error has
  // ended the batch. reduce() waits for them. Called at most once, by any replica, under a lock of
  // reduce().
  std::function<void()> stop = {};
};

// Told of tensors whose sums over an own sub-tree are final before reduce() returns.
class SumWatcher {
 public:
  virtual ~SumWatcher() = default;
  // The sums of tensor number `tensor` of sub-tree number `subtree` lie in `sums` for good. Called
  // at most once for each, perhaps by several threads at once; what is not told of is final when
  // reduce() returns.
  virtual void ready(size_t subtree, size_t tensor, const std::vector<Tensor>& sums) noexcept = 0;
};

// Adds the results of shards. Thread-compatible; its buffers are reused by the next batch.
class ShardSums {
 public:
  struct Sizes {
    int64_t shards = 1;
    size_t replicas = 1;   // computing at once, at most as many as own shards
    size_t lanes = 1;      // shards that a replica computes at once
    bool several = false;  // a step has several batches
    // All own shards of a batch are computed at the same time, because they wait for each other. A
    // replica has a lane for each.
    bool together = false;
    ShardRange own = {0, -1};  // the shards that are computed here; end -1: all
  };
  // Buffers of these types are made by the first reduce(): one per level of the tree, for each
  // further shard under way as many as the shards that it overtakes can leave behind, and one more
  // for `several` batches.
  static Result<ShardSums> create(std::vector<ValueType> types, const Sizes& sizes, std::shared_ptr<MemoryPool> pool);

  // The replicas that compute shards.
  Replicas& replicas() { return *replicas_; }
  const Replicas& replicas() const { return *replicas_; }

  // Replica `replica` computes shard `shard` into `out`. Called for all replicas at once, and for
  // as many shards of a replica at once as it has lanes.
  using Compute = std::function<Status(size_t replica, int64_t shard, const ShardRows& rows, std::vector<Tensor>& out)>;
  // Returns true if an error of compute() means that the replica can compute no more, while others
  // can. One call at a time; perhaps one per lane of a replica.
  using IsLoss = std::function<bool(size_t replica, const Status& status)>;
  // Calls `compute` for each own shard that has rows and adds the results; then batch() holds the
  // sums, or of_subtree() where other processes compute shards of the batch.
  // Shards are handed out in order to the replicas that are free. A shard whose replica is lost is
  // handed out again. The first other error is returned; with no replica left, that of the last
  // loss. Precondition: `cut` has rows, and as many shards as the sums.
  // `watcher`: null: none.
  Status reduce(const BatchCut& cut, const ParallelFor& parallel, const Compute& compute, const IsLoss& is_loss = {},
                const EnoughShards& enough = {}, SumWatcher* watcher = nullptr);
  // For compute() of a shard whose replica cannot be lost: tells reduce() which of the shard's
  // results are there, so that they are added at once if the shard is the last one of its sub-tree.
  // Null where nothing watches the sums.
  FetchWatcher* results_of(int64_t shard);
  // After reduce(): the rows of the shards that were added, and the shards with rows that were not.
  int64_t accepted_rows() const { return accepted_rows_; }
  const std::vector<int64_t>& left_out() const { return left_out_; }
  const std::vector<Tensor>& total() const { return several_.empty() ? batch() : several_; }
  // The sums of the last batch, after reduce() and before add_batch().
  const std::vector<Tensor>& batch() const { return buffers_[batch_]; }
  // The sub-trees of the own shards. After reduce(), of_subtree(i) has the sums of number `i`; null
  // if none of its shards has rows. batch() is the first of them that is there, and may be written.
  const std::vector<ShardRange>& subtrees() const { return subtrees_; }
  const std::vector<Tensor>* of_subtree(size_t i) const {
    return sums_of_[i] == ShardTree::kNone ? nullptr : &buffers_[sums_of_[i]];
  }
  // After reduce(): total() becomes the sums of this batch (`first`), or they are added to it.
  // Precondition: made for several batches.
  void add_batch(bool first, const ParallelFor& parallel);
  // Times of additions are reported there from now on. Must outlive this object.
  void set_facts(RunFacts* facts) { facts_ = facts; }
  int64_t shards() const { return sizes_.shards; }
  const ShardRange& own() const { return sizes_.own; }
  const std::vector<ValueType>& types() const { return types_; }

 private:
  class Reduction;
  ShardSums() = default;
  Status make_buffers();
  Sizes sizes_;
  std::vector<ValueType> types_;
  std::shared_ptr<MemoryPool> pool_;
  std::unique_ptr<Replicas> replicas_;
  std::vector<ShardRange> subtrees_;
  std::vector<std::vector<Tensor>> buffers_;
  std::vector<size_t> sums_of_;  // the buffer with the sums of a sub-tree; ShardTree::kNone: none
  size_t batch_ = 0;             // the buffer with the sums of the batch
  int64_t accepted_rows_ = 0;
  std::vector<int64_t> left_out_;
  RunFacts* facts_ = nullptr;
  Reduction* running_ = nullptr;
  std::vector<Tensor> several_;  // empty unless made for several batches
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_AVERAGING_H_
