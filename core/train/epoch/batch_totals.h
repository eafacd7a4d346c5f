// The totals of the batches of an evaluation, which the ranks of a group may share.
#ifndef PERCALE_CORE_TRAIN_EPOCH_BATCH_TOTALS_H_
#define PERCALE_CORE_TRAIN_EPOCH_BATCH_TOTALS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "core/train/group/group.h"

namespace percale {

class BatchTotals {
 public:
  // Borrows the group; null: all batches are evaluated here. `count`: numbers of a batch.
  BatchTotals(Group* group, int64_t batches, size_t count);

  // Calls `evaluate` for the own batches, and takes the numbers of the others from their ranks. All
  // ranks get the first error.
  Status fill(const std::function<Result<std::vector<double>>(int64_t batch)>& evaluate);
  // The same for the batches of the other ranks, without them.
  Status fill_alone(const std::function<Result<std::vector<double>>(int64_t batch)>& evaluate);
  // The sum over the batches, in their order.
  std::vector<double> sum() const;

 private:
  size_t ranks() const { return totals_.size(); }
  Status exchange(const Status& own);

  Group* const group_;
  const size_t rank_, count_;
  std::vector<std::vector<double>> totals_;  // by rank: those of its batches, one after the other
  int64_t batches_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_BATCH_TOTALS_H_
