// Steps over a data set until its epochs are complete.
#ifndef PERCALE_CORE_TRAIN_LOOP_TRAIN_LOOP_H_
#define PERCALE_CORE_TRAIN_LOOP_TRAIN_LOOP_H_

#include <memory>
#include <vector>

#include "core/train/data/dataset.h"
#include "core/train/epoch/early_stopper.h"
#include "core/train/epoch/epoch_log.h"
#include "core/train/epoch/evaluator.h"
#include "core/train/epoch/learning_rate.h"
#include "core/train/parameters/publisher.h"

namespace percale {

// The collaborators of a fit, except those that make its steps. Borrowed.
struct FitParts {
  ThreadPool& threads;
  EpochLog& log;
  EpochCloser& closer;
  LearningRate& rate;
  EarlyStopper& early;
  Publisher& publisher;
  ParameterStore& store;
  Publishing publishing;
};

// The request of a caller.
struct FitRequest {
  std::shared_ptr<Dataset> data;
  const Dataset* validation = nullptr;  // evaluated after each epoch; null: none
  int64_t epochs = 1;
  const ProgressFunction& progress;  // may be empty
  const CancelToken& cancel;
};

// One fit. Thread-compatible.
class TrainLoop {
 public:
  virtual ~TrainLoop() = default;
  TrainLoop(const TrainLoop&) = delete;
  TrainLoop& operator=(const TrainLoop&) = delete;

  // Trains from where the log stands. A fit that ends early, or with an error, publishes what it
  // made.
  virtual Status fit() = 0;
  // Brings the best weights back if they wait for that, then publishes.
  static Status finish(const FitParts& parts);

 protected:
  TrainLoop(const FitParts& parts, FitRequest request) : parts_(parts), request_(std::move(request)) {}

  bool goes_on() const;
  // Publishes unless that is left to the caller.
  Status publish_unless_by_hand() const;
  // The same before an error is returned, or the error of that.
  Status publish_before(Status error) const;

  const FitParts parts_;
  const FitRequest request_;
  FitCourse course_;
  bool go_ = true;  // the caller has not ended the fit
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_TRAIN_LOOP_H_
