// Steps on batches that the caller feeds one by one.
#ifndef PERCALE_CORE_TRAIN_LOOP_FED_STEPS_H_
#define PERCALE_CORE_TRAIN_LOOP_FED_STEPS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/epoch/epoch_log.h"
#include "core/train/epoch/learning_rate.h"
#include "core/train/parameters/publisher.h"
#include "core/train/step/step_runner.h"

namespace percale {

// Borrowed, except for the engine.
struct FedStepParts {
  std::shared_ptr<Engine> engine;
  EpochLog& log;
  const LearningRate& rate;
  Publisher& publisher;
  ParameterStore& store;
  StepRunner& runner;
  BatchShards& shards;
  RunFacts& facts;
  Publishing publishing;
  bool equal_batches = false;  // the batches of a step must have the same number of rows
};

// The last of BatchShards::accumulation() calls completes a step. Thread-compatible.
class FedSteps {
 public:
  explicit FedSteps(FedStepParts parts) : parts_(std::move(parts)) {}

  // FAILED_PRECONDITION while a step is not complete. `what`: the call that needs it.
  Status check_complete(std::string_view what) const;
  // Adds a batch to the step, in a group whose ranks have parts of the data with those of the other
  // ranks; its mean loss before the update. A batch that fails adds nothing.
  // `fetches`: values to hand out, which are joined then; null: none.
  Result<double> add(const std::vector<std::string>& names, const std::vector<Tensor>& batch, const CancelToken& cancel,
                     StepFetches* fetches);
  // True between two steps.
  bool empty() const { return batches_ == 0; }
  // Drops the batches of a step that is not complete.
  void forget() { batches_ = rows_ = 0; }

 private:
  Result<BoundBatch> bind(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                          BatchRows* rows) const;
  Status check_batch(const BoundBatch& batch) const;
  Result<double> reduce(const BoundBatch& batch, BatchRows rows, const StepCall& call);

  const FedStepParts parts_;
  int64_t batches_ = 0, rows_ = 0;  // of the step so far
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_FED_STEPS_H_
