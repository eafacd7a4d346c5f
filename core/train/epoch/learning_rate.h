// The learning rate of each step: the schedule, the plateau that it may wait for, and the caller's
// base rate.
#ifndef PERCALE_CORE_TRAIN_EPOCH_LEARNING_RATE_H_
#define PERCALE_CORE_TRAIN_EPOCH_LEARNING_RATE_H_

#include <atomic>

#include "core/registry/numerics.h"
#include "core/train/epoch/epoch_observer.h"
#include "core/train/method/schedule.h"

namespace percale {

// Thread-compatible; set_base(), base() and at() are thread-safe while no epoch ends.
class LearningRate final : public EpochObserver {
 public:
  LearningRate(Schedule schedule, double optimizer_rate, Numerics numerics)
      : schedule_(std::move(schedule)), optimizer_rate_(optimizer_rate), functions_(numerics.functions()) {}

  // The rate that the schedule begins with, from the next step on. FAILED_PRECONDITION for a
  // schedule that says the rate itself.
  Status set_base(double rate);
  double base() const;
  // For the step after `done` steps, of `total`.
  double at(int64_t done, int64_t total) const;
  // True if rates depend on the run's number of steps.
  bool needs_total() const { return schedule_.needs_total(); }

  void epoch_ended(const EpochEnd& end) noexcept override;
  void save(NamedNumbers& out) const override;
  void restore(const NamedNumbers& saved) override;

 private:
  const Schedule schedule_;
  const double optimizer_rate_;
  const maths::Functions& functions_;
  std::atomic<double> set_rate_{-1};  // less than 0: the optimizer's rate counts
  MonitorState plateau_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_LEARNING_RATE_H_
