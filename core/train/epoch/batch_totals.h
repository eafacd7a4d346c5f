// The totals of the batches of an evaluation, which the ranks of a group share.
#ifndef PERCALE_CORE_TRAIN_EPOCH_BATCH_TOTALS_H_
#define PERCALE_CORE_TRAIN_EPOCH_BATCH_TOTALS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/train/group/group.h"

namespace percale {

// Batch i is that of rank i modulo the number of ranks.
class BatchTotals {
 public:
  using Evaluate = std::function<Result<std::vector<double>>(int64_t batch)>;

  // Borrows the group. `count`: numbers of a batch.
  BatchTotals(Group& group, int64_t batches, size_t count);

  // Calls `evaluate` for the own batches.
  Status fill_own(const Evaluate& evaluate);
  // Takes the numbers of the others from their ranks. All ranks get the first error; `own` is that
  // of fill_own().
  Status exchange(const Status& own) { return group_.exchange_numbers("the evaluation", own, all_); }
  // In place of exchange(): calls `evaluate` for the batches of the other ranks.
  Status fill_others(const Evaluate& evaluate);
  // The sum over the batches, in their order.
  std::vector<double> sum() const;

 private:
  size_t rank_of(int64_t batch) const { return static_cast<size_t>(batch) % all_.size(); }

  Group& group_;
  const size_t rank_, count_;
  const int64_t batches_;
  std::vector<std::vector<double>> all_;  // by rank: the numbers of its batches
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_BATCH_TOTALS_H_
