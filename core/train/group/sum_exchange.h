// Completes the sums of a batch whose shards are computed by the ranks of a group.
#ifndef PERCALE_CORE_TRAIN_GROUP_SUM_EXCHANGE_H_
#define PERCALE_CORE_TRAIN_GROUP_SUM_EXCHANGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/train/group/barrier_exchange.h"
#include "core/train/group/bucket_exchange.h"
#include "core/train/group/group.h"
#include "core/train/group/row_exchange.h"
#include "core/train/group/segments.h"
#include "core/train/shards/averaging.h"
#include "core/train/shards/step_layout.h"

namespace percale {

// Each rank adds its own shards. The ranks exchange the sums of their sub-trees: those of gradients
// go to the rank that commits them, those of totals and statistics to all. Each rank finishes the
// tree for what it has received, so that the bits are those of one process.
//
// For each batch all ranks exchange the buckets of gradients in the same order, then totals and
// statistics with the error of a rank that has failed, then rows. The first batch begins with an
// exchange of errors, because no rank knows the sizes of the other messages yet.
// Thread-compatible.
class SumExchange {
 public:
  // Borrows the group. `parts`: gradient_parts(); `table_segments`: of the parameters that train by
  // rows. `shares_rows`: each rank has rows of its own, so that each batch begins with share().
  SumExchange(Group& group, const StepLayout& layout, std::vector<GradientPart> parts,
              std::vector<size_t> table_segments, bool shares_rows, std::shared_ptr<MemoryPool> memory);

  // Numbers of a rank's part of the data.
  struct RankPart {
    int64_t count = 0;         // of batches, or of rows of the next batch
    int64_t row_elements = 0;  // of all columns
  };
  // Those of all ranks, of which this one has `own`; or the error of a rank, `status` being that of
  // this one.
  Result<std::vector<RankPart>> share(std::string_view what, const Status& status, const RankPart& own);
  // A step begins, or has ended.
  void begin_step() { expects_rows_ = false; }
  void end_step() { expects_rows_ = shares_rows_; }

  struct Batch {
    ShardSums& sums;
    const BatchCut& cut;
    BatchBarrier* barrier = nullptr;  // of the shards; null: none
    std::function<void()> stop = {};  // ends the shards under way
  };
  // Runs `reduce`, which adds up the own shards. Meanwhile a thread exchanges what the shards need
  // from other ranks at the barrier; or, without a barrier, the sums that `reduce` tells the
  // watcher of. May be called again for a batch that has failed.
  Status reduce(const Batch& batch, const std::function<Status(SumWatcher*)>& reduce);
  // Precondition: `sums` has reduced the own shards of a batch. Then sums.batch() has the totals
  // and statistics of the batch, and the gradients in the rows of the segments that this rank
  // holds; `by_rows` has the rows of all shards for the tables in these.
  Status complete(ShardSums& sums, const RowGradients& by_rows, const BatchCut& cut, const ParallelFor& parallel);
  // The other ranks end their step with this error of the own rank. Does nothing if the error came
  // from another rank, or from the group.
  void refuse(const Status& error);
  // No rank leaves before all have come here, because one that is behind may need the others.
  Status wait_for_all();
  // The group was formed anew: its ranks share the shards once more.
  void forget() {
    subtrees_.clear();
    any_sums_.clear();
    next_bucket_ = 0;
    failed_ = false;
    end_step();
  }
  bool group_broken() const { return group_.broken(); }
  size_t rank() const { return group_.rank(); }
  size_t lost() const { return group_.lost(); }
  size_t reforms() const { return group_.reforms(); }

 private:
  // The sums of a sub-tree, as far as this rank needs them: totals and statistics, and the segments
  // that it holds.
  struct Subtree {
    ShardRange range;
    size_t rank = 0, number = 0;  // of the sub-tree among those of its rank
    std::vector<Tensor> small;
    std::vector<std::vector<Tensor>> segments;
    bool has_rows = false;

    std::vector<Tensor> all() const;
  };
  using Sums = std::optional<std::vector<Tensor>>;  // absent: no shard has rows

  Status with_barrier(const Batch& batch, const std::function<Status(SumWatcher*)>& reduce);
  Status with_buckets(const Batch& batch, const std::function<Status(SumWatcher*)>& reduce);
  BucketExchange::Batch watched(const Batch& batch) const;
  Status exchange_all(ShardSums& sums, const RowGradients& by_rows, const BatchCut& cut);
  Status prepare(const ShardSums& sums);
  void find_own(const ShardSums& sums, const BatchCut& cut);
  std::vector<Tensor> small_of(const std::vector<Tensor>& sums) const;
  std::vector<Tensor> segment_of(const std::vector<Tensor>& sums, size_t segment) const;
  std::vector<Tensor> bucket_of(const std::vector<Tensor>& sums, size_t segment, size_t bucket) const;
  std::vector<Tensor> received_of(const Subtree& tree, size_t held, size_t bucket) const;
  // The segments that this rank holds.
  std::vector<std::vector<Tensor>> held_of(const std::vector<Tensor>& sums) const;
  Status exchange_messages(std::string_view what, const std::vector<std::vector<Tensor>>& messages, const Status& own);
  Status exchange_errors(const Status& own);
  Status exchange_small(const Status& own);
  Status exchange_outcome(const Status& own);
  Status exchange_buckets(const SubtreeSums& own);
  Status exchange_bucket(size_t bucket, const SubtreeSums& own);
  Status exchange_sums(size_t bucket, size_t number, size_t held, const std::vector<Tensor>& own);
  Sums add_up(const ShardRange& range, size_t& next, const ParallelFor& parallel) const;

  Group& group_;
  const StepLayout layout_;
  const std::vector<GradientPart> parts_;  // bucket by bucket
  const size_t buckets_;
  const std::vector<size_t> table_segments_;
  const bool shares_rows_;
  const std::shared_ptr<MemoryPool> memory_;
  std::vector<std::vector<size_t>> held_by_;  // per rank the segments that it holds
  std::vector<Subtree> subtrees_;             // of all ranks; empty before the first batch
  std::vector<Tensor> any_sums_;              // sent for a sub-tree that has no sums
  size_t next_bucket_ = 0;                    // of the batch under way
  std::vector<std::vector<Tensor>> small_;    // by rank: its error, totals, statistics
  bool failed_ = false;                       // the last exchange, or another rank's step
  bool expects_rows_;                         // the next exchange is share()
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_SUM_EXCHANGE_H_
