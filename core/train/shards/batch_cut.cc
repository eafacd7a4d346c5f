#include "core/train/shards/batch_cut.h"

#include "core/base/share.h"

namespace percale {

ShardRows shard_rows(int64_t rows, int64_t shards, int64_t shard) {
  return {share_of(rows, shard, shards), share_of(rows, shard + 1, shards)};
}

BatchCut::BatchCut(int64_t rows, int64_t shards) : BatchCut(std::vector<Part>{{rows, shards}}) {}

BatchCut::BatchCut(const std::vector<Part>& parts) : bounds_{0} {
  for (const Part& part : parts) {
    const int64_t before = rows();
    for (int64_t shard = 0; shard < part.shards; ++shard) {
      bounds_.push_back(before + shard_rows(part.rows, part.shards, shard).end);
    }
  }
}

std::vector<int64_t> BatchCut::rows_of_shards() const {
  std::vector<int64_t> out;
  for (int64_t shard = 0; shard < shards(); ++shard) out.push_back(of(shard).count());
  return out;
}

}  // namespace percale
