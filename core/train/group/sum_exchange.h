// Completes the sums of a batch whose shards are computed by the ranks of a group.
#ifndef PERCALE_CORE_TRAIN_GROUP_SUM_EXCHANGE_H_
#define PERCALE_CORE_TRAIN_GROUP_SUM_EXCHANGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/train/group/barrier_exchange.h"
#include "core/train/group/group.h"
#include "core/train/group/row_exchange.h"
#include "core/train/parallel/parameter_spec.h"
#include "core/train/shards/averaging.h"
#include "core/train/shards/step_layout.h"

namespace percale {

// Each rank adds its own shards. The ranks then exchange the sums of their sub-trees: those of
// gradients go to the rank that commits them, those of totals and statistics to all. Each rank
// finishes the tree for what it has received, so that the bits are those of one process.
// Thread-compatible.
class SumExchange {
 public:
  // Borrows the group. `segments`: of all parameters (cut_segments()); `by_rows`: those that train
  // by rows.
  SumExchange(Group& group, const StepLayout& layout, const std::vector<ParameterPart>& segments,
              const std::vector<size_t>& by_rows, std::shared_ptr<MemoryPool> memory);

  // Precondition: `sums` has reduced the own shards of a batch of `rows` rows. Then sums.batch()
  // has the totals and statistics of the batch, and the gradients in the rows of the segments that
  // this rank holds; `by_rows` has the rows of all shards for the tables in these.
  Status complete(ShardSums& sums, const RowGradients& by_rows, int64_t rows, const ParallelFor& parallel);
  // The other ranks end their step with this error of an own one. Does nothing if the error came
  // from another rank, or from the group.
  void refuse(const Status& error);
  // No rank leaves before all have come here, because one that is behind may need the others.
  Status wait_for_all();
  // The ranks have changed: they share the shards anew.
  void forget() { subtrees_.clear(); }
  bool group_broken() const { return group_.broken(); }
  size_t lost() const { return group_.lost(); }
  // Runs `reduce`, while a thread brings the parts of other ranks to the barrier of the batch.
  // `rows`: per shard. `stop` ends the shards under way.
  Status with_barrier(BatchBarrier& barrier, std::vector<int64_t> rows, const std::function<void()>& stop,
                      const std::function<Status()>& reduce);

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

  Status exchange_all(ShardSums& sums, const RowGradients& by_rows, int64_t rows);
  Status prepare(const ShardSums& sums);
  void find_own(const ShardSums& sums, int64_t rows);
  std::vector<Tensor> small_of(const std::vector<Tensor>& sums) const;
  std::vector<Tensor> segment_of(const std::vector<Tensor>& sums, size_t segment) const;
  // The segments that this rank holds.
  std::vector<std::vector<Tensor>> held_of(const std::vector<Tensor>& sums) const;
  Status exchange_messages(std::string_view what, const std::vector<std::vector<Tensor>>& messages, const Status& own);
  Status exchange_errors(const Status& own);
  Status exchange_small(const Status& own);
  Status exchange_outcome(const Status& own);
  Status exchange_segments(const ShardSums& sums, size_t number, size_t held);
  Sums add_up(const ShardRange& range, size_t& next, const ParallelFor& parallel) const;

  Group& group_;
  const StepLayout layout_;
  // Parts of parameters with a dense gradient: ParameterPart::parameter is the number of the
  // gradient, and `device` the segment.
  const std::vector<ParameterPart> segments_;
  const std::vector<size_t> table_segments_;
  const std::shared_ptr<MemoryPool> memory_;
  std::vector<std::vector<size_t>> held_by_;  // per rank the segments that it holds
  std::vector<Subtree> subtrees_;             // of all ranks; empty before the first batch
  std::vector<std::vector<Tensor>> small_;    // by rank: its error, totals, statistics
  bool failed_ = false;                       // the last exchange, or another rank's step
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_SUM_EXCHANGE_H_
