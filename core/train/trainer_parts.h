// The collaborators of a trainer, grouped by what they work on and wired to each other.
#ifndef PERCALE_CORE_TRAIN_TRAINER_PARTS_H_
#define PERCALE_CORE_TRAIN_TRAINER_PARTS_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/train/data/dataset.h"
#include "core/train/epoch/early_stopper.h"
#include "core/train/epoch/evaluator.h"
#include "core/train/epoch/learning_rate.h"
#include "core/train/group/sum_exchange.h"
#include "core/train/loop/fed_steps.h"
#include "core/train/loop/train_loop.h"
#include "core/train/parameters/publisher.h"
#include "core/train/parameters/resident/resident_store.h"
#include "core/train/step/step_runner.h"
#include "core/train/trainer_options.h"

namespace percale {

// The model, its training graph and the engine.
struct TrainJob {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<MemoryPool> memory;  // counts what the trainer holds of the engine's
  Model model;
  TrainGraph graph;
  TrainerOptions options;
  TrainMode mode;
  std::shared_ptr<Session> session;
  std::shared_ptr<Group> group;  // null: the trainer trains alone
};

struct TrainData {
  std::shared_ptr<Dataset> train, test, validation;
  // The rules of the training data's CSV files; null if there are none. Absent before there is
  // data.
  std::optional<std::shared_ptr<const CsvRules>> csv_rules;

  // The data that is evaluated after an epoch if something watches it.
  const std::shared_ptr<Dataset>& watched() const { return validation != nullptr ? validation : test; }
};

// The parameters, in memory and as sessions see them.
struct TrainedParameters {
  std::unique_ptr<WorkingSet> working;
  std::unique_ptr<ParameterStore> store;
  std::unique_ptr<Publisher> publisher;

  // `resident`: what plan_resident() gave before the session was made.
  static Result<TrainedParameters> create(const TrainJob& job, const ReplicaDevices& devices,
                                          std::shared_ptr<Variables> table, std::optional<ResidentPlan> resident);
};

// The collaborators that compute steps. Borrow all that they are made from.
struct StepParts {
  StepParts(const TrainJob& job, const TrainedParameters& parameters, ReplicaDevices& devices, int64_t shards);

  RunFacts facts;
  ShardPlanner planner;
  BatchShards shards;
  ShardComputer computer;
  LossCheck loss;
  std::optional<SumExchange> exchange;  // in a group
  StepRunner runner;
};

// The collaborators that count and observe epochs. Borrow all that they are made from.
struct EpochParts {
  EpochParts(const TrainJob& job, const TrainedParameters& parameters, StepParts& steps);

  ObjectiveTotals totals;
  EpochLog log;
  LearningRate rate;
  EarlyStopper early;
  CheckpointScore score;
  Evaluator evaluator;
  EpochCloser closer;
  FedSteps fed;
};

// All of them.
struct Collaborators {
  TrainedParameters parameters;
  std::unique_ptr<StepParts> steps;
  std::unique_ptr<EpochParts> epochs;

  // Borrows the job and the devices. `shards`: of a batch; 0: the first batch decides.
  static Result<Collaborators> create(const TrainJob& job, ReplicaDevices& devices, std::shared_ptr<Variables> table,
                                      std::optional<ResidentPlan> resident, int64_t shards);
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_PARTS_H_
