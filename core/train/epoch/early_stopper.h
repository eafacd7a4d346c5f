// Observers of epochs: one ends the training, the other scores checkpoints.
#ifndef PERCALE_CORE_TRAIN_EPOCH_EARLY_STOPPER_H_
#define PERCALE_CORE_TRAIN_EPOCH_EARLY_STOPPER_H_

#include <optional>

#include "core/train/epoch/best_weights.h"
#include "core/train/epoch/epoch_observer.h"

namespace percale {

// Stops when a number has not improved for some epochs, and keeps the weights of the best one.
class EarlyStopper final : public EpochObserver {
 public:
  EarlyStopper(EarlyStopping options, BestWeights best) : options_(std::move(options)), best_(std::move(best)) {}

  const EarlyStopping& options() const { return options_; }
  bool stopped() const { return state_.stopped; }
  // The best number and its epoch, from 1. Absent before there is one.
  struct Best {
    int64_t epoch = 0;
    double value = 0;
  };
  std::optional<Best> best_epoch() const;

  // Before a fit and before a checkpoint is taken up: memory for the best weights, if they are
  // wanted.
  Status make_room(const std::shared_ptr<MemoryPool>& memory);
  BestWeights& best() { return best_; }
  // True if a fit that ends must bring the best weights back. Then they were brought back.
  bool brings_back() const { return brings_back_; }
  void brought_back() { brings_back_ = false; }

  bool reads_weights() const override { return best_.has_room(); }
  void epoch_ended(const EpochEnd& end) noexcept override;
  void save(NamedNumbers& out) const override;
  // After BestWeights::adopt().
  void restore(const NamedNumbers& saved) override;

 private:
  const EarlyStopping options_;
  MonitorState state_;
  BestWeights best_;
  bool brings_back_ = false;
};

// Remembers the monitored number of the epoch that ended last, by which the best checkpoints are
// kept.
class CheckpointScore final : public EpochObserver {
 public:
  explicit CheckpointScore(Monitor monitor) : monitor_(std::move(monitor)) {}

  // The score of a state at the beginning of epoch `epoch`; smaller is better. Absent in the middle
  // of an epoch.
  std::optional<double> at(int64_t epoch, int64_t batch) const;
  // The score that a checkpoint at the beginning of this epoch had.
  void set(std::optional<double> score, int64_t epoch);

  void epoch_ended(const EpochEnd& end) noexcept override;
  void save(NamedNumbers&) const override {}
  void restore(const NamedNumbers&) override {}

 private:
  const Monitor monitor_;
  std::optional<double> score_;
  int64_t epochs_ = 0;  // that had ended then
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_EARLY_STOPPER_H_
