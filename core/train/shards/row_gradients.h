// The row-sparse gradients of a step: what each shard looked up, side by side in the order of shard numbers until the commit.
#ifndef PERCALE_CORE_TRAIN_SHARDS_ROW_GRADIENTS_H_
#define PERCALE_CORE_TRAIN_SHARDS_ROW_GRADIENTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/registry/shape_context.h"
#include "core/tensor/tensor.h"

namespace percale {

// Per parameter two lists, of row numbers (i64 [capacity]) and of values ([capacity, ...]). Each shard has a part of its own in
// them, so that shards may be computed at once, in any order and again. Parts of batches follow each other, and what no shard
// fills is rows of -1. The capacity is that of the largest step so far.
class RowGradients {
 public:
  RowGradients() = default;
  // `parameters`: the dtype of each, and the shape of a row.
  RowGradients(std::vector<ValueType> parameters, std::shared_ptr<MemoryPool> pool);
  bool empty() const { return lists_.empty(); }

  // The parts of the next batch: counts[shard][parameter] rows. It stands behind what is kept, at the beginning for the `first`
  // batch of a step. Nothing has changed when it fails.
  Status begin_batch(bool first, const std::vector<std::vector<int64_t>>& counts);
  // What a shard of the batch has written counts nothing.
  void leave_out(int64_t shard);
  // The batch counts: the next one goes behind it.
  void keep_batch();
  // Appends what a shard writes: per parameter rows, values.
  Status append_parts(int64_t shard, std::vector<Tensor>& outputs) const;
  // Appends all of the step: per parameter rows, values.
  void append_all(std::vector<Tensor>& feeds) const;
  std::vector<ValueType> types() const;  // of these

 private:
  struct Part {
    int64_t begin = 0, count = 0;
  };
  struct List {
    ValueType row;
    Tensor rows, values;
    int64_t kept = 0, end = 0;  // rows of kept batches, and of the one under way
    std::vector<Part> parts;    // of that one, by shard
  };
  Status grow(List& list, int64_t capacity) const;

  std::vector<List> lists_;
  std::shared_ptr<MemoryPool> pool_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_ROW_GRADIENTS_H_
