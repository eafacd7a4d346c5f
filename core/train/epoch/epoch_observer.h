// The interface of objects that read the numbers of each epoch that ends: schedules, early
// stopping, scores of checkpoints.
#ifndef PERCALE_CORE_TRAIN_EPOCH_EPOCH_OBSERVER_H_
#define PERCALE_CORE_TRAIN_EPOCH_EPOCH_OBSERVER_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/checkpoint/checkpoint.h"
#include "core/train/method/monitor.h"

namespace percale {

struct EpochEnd {
  int64_t epoch = 0;  // from 0
  // "loss" and the metrics, then the same of the validation data with "val_" before them.
  const NamedNumbers& numbers;

  // NaN for a number that the epoch does not have.
  double value(std::string_view name) const {
    const auto found = std::ranges::find_if(numbers, [&](const auto& n) { return n.first == name; });
    return found == numbers.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  }
};

class EpochObserver {
 public:
  virtual ~EpochObserver() = default;
  // True if epoch_ended() reads the working set, which is then up to date.
  virtual bool reads_weights() const { return false; }
  // Before the caller can save the trainer.
  virtual void epoch_ended(const EpochEnd& end) noexcept = 0;
  // Its state, as named numbers of a checkpoint, and back.
  virtual void save(NamedNumbers& out) const = 0;
  virtual void restore(const NamedNumbers& saved) = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_EPOCH_OBSERVER_H_
