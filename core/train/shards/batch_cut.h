// The cut of a batch into shards.
#ifndef PERCALE_CORE_TRAIN_SHARDS_BATCH_CUT_H_
#define PERCALE_CORE_TRAIN_SHARDS_BATCH_CUT_H_

#include <cstdint>
#include <vector>

#include "core/train/shards/shard_tree.h"

namespace percale {

// Rows [begin, end) of a batch. May be empty.
struct ShardRows {
  int64_t begin, end;
  int64_t count() const { return end - begin; }
};
// The rows of shard `shard` of `shards` in a batch of `rows`: floor(shard * rows / shards) to the
// next.
ShardRows shard_rows(int64_t rows, int64_t shards, int64_t shard);

class BatchCut {
 public:
  // By shard_rows().
  BatchCut(int64_t rows, int64_t shards);
  // The batch is made of parts, one behind the other. Each part is cut by shard_rows() into the
  // shards that follow those of the part before.
  struct Part {
    int64_t rows = 0, shards = 1;
  };
  explicit BatchCut(const std::vector<Part>& parts);

  int64_t rows() const { return bounds_.back(); }
  int64_t shards() const { return static_cast<int64_t>(bounds_.size()) - 1; }
  ShardRows of(int64_t shard) const { return of(ShardRange{shard, shard + 1}); }
  // Those of several shards.
  ShardRows of(const ShardRange& range) const { return {bound(range.begin), bound(range.end)}; }
  // By shard.
  std::vector<int64_t> rows_of_shards() const;

 private:
  int64_t bound(int64_t shard) const { return bounds_[static_cast<size_t>(shard)]; }

  std::vector<int64_t> bounds_;  // where each shard begins, then the number of rows
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_BATCH_CUT_H_
