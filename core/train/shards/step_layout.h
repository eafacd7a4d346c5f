// Positions of the values of a training step: among the outputs of a shard, and among the inputs of
// the commit.
#ifndef PERCALE_CORE_TRAIN_SHARDS_STEP_LAYOUT_H_
#define PERCALE_CORE_TRAIN_SHARDS_STEP_LAYOUT_H_

#include <cstddef>
#include <span>
#include <vector>

namespace percale {

// Consecutive positions in a list.
struct IndexSpan {
  size_t begin = 0, count = 0;

  size_t end() const { return begin + count; }
  bool empty() const { return count == 0; }
  bool operator==(const IndexSpan&) const = default;
  // The elements of `all` at these positions. Precondition: end() <= all.size().
  template <class T>
  std::span<const T> of(const std::vector<T>& all) const {
    return std::span<const T>(all).subspan(begin, count);
  }
};

// A shard outputs, in this order: the loss sum, its weight, the totals of metrics, one gradient per
// dense parameter, one value per moving statistic, and two lists (row numbers, row values) per row
// table. A row table is a parameter whose gradient consists of the rows that were looked up.
class StepLayout {
 public:
  static constexpr size_t kLoss = 0, kWeight = 1;
  struct Counts {
    size_t totals = 2;  // the loss sum, the weight, the totals of metrics
    size_t gradients = 0, statistics = 0, row_tables = 0;
  };
  StepLayout() = default;
  explicit StepLayout(const Counts& counts) : counts_(counts) {}

  IndexSpan totals() const { return {0, counts_.totals}; }
  IndexSpan metrics() const { return {kWeight + 1, counts_.totals - kWeight - 1}; }
  IndexSpan gradients() const { return {totals().end(), counts_.gradients}; }
  IndexSpan statistics() const { return {gradients().end(), counts_.statistics}; }
  // The outputs that are added over the shards of a batch.
  IndexSpan sums() const { return {0, statistics().end()}; }
  IndexSpan row_tables() const { return {statistics().end(), 2 * counts_.row_tables}; }
  size_t row_numbers(size_t table) const { return row_tables().begin + 2 * table; }
  // The outputs that the commit takes besides the weight.
  IndexSpan updates() const { return {gradients().begin, outputs() - gradients().begin}; }
  // The number of outputs. Values that a step fetches follow them.
  size_t outputs() const { return row_tables().end(); }
  // The layout of shards whose updates stay on the devices.
  StepLayout without_updates() const { return StepLayout({.totals = counts_.totals}); }

 private:
  Counts counts_;
};

// The commit takes, in this order: the total weight, the learning rate (f64), the number of the
// step (i64, from 1), and the updates of StepLayout.
class CommitLayout {
 public:
  static constexpr size_t kWeight = 0, kLearningRate = 1, kStep = 2;
  explicit CommitLayout(const StepLayout& step) : step_(step) {}

  IndexSpan updates() const { return {kStep + 1, step_.updates().count}; }
  IndexSpan gradients() const { return {updates().begin, step_.gradients().count}; }
  // The output of a shard that becomes this input. Precondition: `input` is one of updates().
  size_t output_of(size_t input) const { return step_.updates().begin + (input - updates().begin); }

 private:
  StepLayout step_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_STEP_LAYOUT_H_
