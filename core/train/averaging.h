// Sums over the shards of a batch: a balanced binary tree over shard numbers, so that the bits do not depend on who computed
// which shard when.
#ifndef PERCALE_CORE_TRAIN_AVERAGING_H_
#define PERCALE_CORE_TRAIN_AVERAGING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/parallel.h"
#include "core/registry/shape_context.h"
#include "core/tensor/tensor.h"

namespace percale {

// The rows of shard `shard` of `shards` in a batch of `rows`: floor(shard * rows / shards) to the next. May be empty.
struct ShardRows {
  int64_t begin, end;
};
ShardRows shard_rows(int64_t rows, int64_t shards, int64_t shard);

// The number of levels of the tree: log2(shards) + 1, rounded up.
size_t tree_levels(int64_t shards);

// a[i] += b[i] for all tensors, in tiles that do not depend on the number of threads. All are f32 or f64; a and b agree.
void add_tensors(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const ParallelFor& parallel);

// Adds what shards give. Thread-compatible; its buffers are kept for the next batch.
class ShardSums {
 public:
  // One buffer of these types per level of the tree, and one more for `several` batches.
  static Result<ShardSums> create(const std::vector<ValueType>& types, int64_t shards, bool several,
                                  const std::shared_ptr<MemoryPool>& pool);

  // Computes shard `shard` into `out`.
  using Compute = std::function<Status(int64_t shard, const ShardRows& rows, std::vector<Tensor>& out)>;
  // Calls `compute` for each shard that has rows, in order, and adds; then total() holds the sums. Precondition: rows > 0.
  Status reduce(int64_t rows, const ParallelFor& parallel, const Compute& compute);
  const std::vector<Tensor>& total() const { return several_.empty() ? levels_.front() : several_; }
  // The sums of the last batch, after reduce() and before add_batch().
  const std::vector<Tensor>& batch() const { return levels_.front(); }
  // Of several batches: after reduce(), takes its sums (`first`) or adds them, in the order of the calls; total() holds theirs.
  // Precondition: made for several.
  void add_batch(bool first, const ParallelFor& parallel);
  int64_t shards() const { return shards_; }

 private:
  ShardSums() = default;
  int64_t shards_ = 1;
  std::vector<std::vector<Tensor>> levels_;
  std::vector<Tensor> several_;  // empty unless made for several batches
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_AVERAGING_H_
