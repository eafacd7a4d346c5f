// A fit that completes a step before it begins the next one: the modes `sync` and `backup:m`.
#ifndef PERCALE_CORE_TRAIN_LOOP_SYNCHRONOUS_LOOP_H_
#define PERCALE_CORE_TRAIN_LOOP_SYNCHRONOUS_LOOP_H_

#include <string>
#include <vector>

#include "core/train/loop/fit_batches.h"
#include "core/train/loop/train_loop.h"
#include "core/train/step/step_runner.h"

namespace percale {

// The parts that make steps. Borrowed.
struct SynchronousSteps {
  StepRunner& runner;
  BatchShards& shards;
  RunFacts& facts;
};

class SynchronousLoop final : public TrainLoop {
 public:
  // The log must outlive the loop; steps have `shards.accumulation()` batches.
  SynchronousLoop(const FitParts& parts, const SynchronousSteps& steps, FitRequest request);

  Status fit() override;

 private:
  Status train();
  Status open();
  // Per epoch; 0: unknown.
  int64_t steps_of(int64_t batches) const { return batches < 0 ? 0 : (batches + per_step_ - 1) / per_step_; }
  Status run_step();
  Result<StepRunner::Outcome> make_step(const StepBatches& taken, double learning_rate);
  Status add_step(const StepBatches& taken, StepRecord record);
  Status recover(const Status& error);
  Status go_on_anew();
  Status end_epoch();
  Status tell(const StepRecord& record);

  const SynchronousSteps steps_;
  const std::vector<std::string> names_;  // of the data's columns
  const int64_t per_step_;                // batches
  std::unique_ptr<FitBatches> source_;
  size_t lost_ = 0;       // ranks, at the beginning
  bool all_end_ = false;  // the other ranks end for the same reason by themselves
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_SYNCHRONOUS_LOOP_H_
