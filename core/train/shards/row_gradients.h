// The row-sparse gradients of a step: the rows that each shard looked up, side by side in the order
// of shard numbers until the commit.
#ifndef PERCALE_CORE_TRAIN_SHARDS_ROW_GRADIENTS_H_
#define PERCALE_CORE_TRAIN_SHARDS_ROW_GRADIENTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/registry/shape_context.h"
#include "core/tensor/tensor.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// Holds two lists per parameter: row numbers (i64 [capacity]) and values ([capacity, ...]). Each
// shard has its own part of them, so that shards may be computed at once, in any order, and
// repeatedly. Parts of batches follow each other; unused rows are -1. The capacity is that of the
// largest step so far.
class RowGradients {
 public:
  RowGradients() = default;
  // `parameters`: the dtype of each, and the shape of a row.
  RowGradients(std::vector<ValueType> parameters, std::shared_ptr<MemoryPool> pool);
  bool empty() const { return lists_.empty(); }

  // Makes the parts of the next batch: counts[shard][parameter] rows. They follow the batches that
  // were kept; the `first` batch of a step starts anew. Nothing has changed when it fails.
  Status begin_batch(bool first, const std::vector<std::vector<int64_t>>& counts);
  // Drops the rows that a shard of the batch has written.
  void leave_out(int64_t shard);
  // Keeps the batch: the next one follows it.
  void keep_batch();
  // Appends the tensors that a shard writes: per parameter rows, values.
  Status append_parts(int64_t shard, std::vector<Tensor>& outputs) const;
  // The rows of consecutive shards, with unused ones between them: numbers and values.
  struct Region {
    Tensor rows, values;
  };
  Region region(size_t parameter, const ShardRange& shards) const;
  // The row numbers of the whole step.
  const Tensor& rows(size_t parameter) const { return lists_[parameter].rows; }
  // Appends the tensors of the whole step: per parameter rows, values.
  void append_all(std::vector<Tensor>& feeds) const;
  std::vector<ValueType> types() const;  // of these

 private:
  struct Part {
    int64_t begin = 0, count = 0;
  };
  struct List {
    ValueType row;
    Tensor rows, values;
    int64_t kept = 0, end = 0;  // rows of kept batches; rows with the batch under way
    std::vector<Part> parts;    // of the batch under way, by shard
  };
  Status grow(List& list, int64_t capacity) const;

  std::vector<List> lists_;
  std::shared_ptr<MemoryPool> pool_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_ROW_GRADIENTS_H_
