// Values that a training step hands out besides its sums.
#ifndef PERCALE_CORE_TRAIN_SHARDS_STEP_FETCHES_H_
#define PERCALE_CORE_TRAIN_SHARDS_STEP_FETCHES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"
#include "core/train/shards/batch_cut.h"

namespace percale {

// Each shard gives its rows of the values; join() concatenates the rows of a batch. Shards may be
// computed at once, and repeatedly.
class StepFetches {
 public:
  // `names`: pairs of the caller's name of a value and its name in the function of a step.
  explicit StepFetches(std::vector<std::pair<std::string, std::string>> names) : names_(std::move(names)) {}
  bool empty() const { return names_.empty(); }
  size_t size() const { return names_.size(); }
  // Appends the names in the function of a step.
  void append_names(std::vector<std::string>& outputs) const;

  void begin_batch(int64_t shards) { parts_.assign(static_cast<size_t>(shards), {}); }
  // Keeps the values of a shard: the last size() of its outputs.
  void keep(int64_t shard, const std::vector<Tensor>& outputs);
  // Copies the values of all shards of a batch. INVALID_ARGUMENT for a value that several shards
  // have parts of, but not a row for each of their rows.
  Status join(const BatchCut& cut, const std::shared_ptr<MemoryPool>& pool);
  // After join(): the values, in the order of the names.
  std::vector<Tensor> take() { return std::move(joined_); }

 private:
  Result<Tensor> join_one(size_t fetch, const BatchCut& cut, const std::shared_ptr<MemoryPool>& pool) const;

  std::vector<std::pair<std::string, std::string>> names_;
  std::vector<std::vector<Tensor>> parts_;  // by shard; empty for a shard without rows
  std::vector<Tensor> joined_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_STEP_FETCHES_H_
