// Trains the variables of a model: steps of compute then commit, over data sets, with history and
// checkpoints.
#ifndef PERCALE_CORE_TRAIN_TRAINER_H_
#define PERCALE_CORE_TRAIN_TRAINER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/train/loop/call_token.h"
#include "core/train/run_identity.h"
#include "core/train/trainer_parts.h"

namespace percale {

class StreamingLoop;

// The API of training, and the wiring of its collaborators (core/train/trainer_parts.h).
// Thread-compatible; cancel() is thread-safe. The trainer is the one writer of its variables while
// it trains. With the optimizer's `ema` the averages stand for the parameters in all that is
// published, served and evaluated; checkpoints hold both.
class Trainer {
 public:
  // `variables` holds the variables of the model; null: a new table, drawn by the seed of the
  // options.
  static Result<std::unique_ptr<Trainer>> create(std::shared_ptr<Engine> engine, Model model,
                                                 std::shared_ptr<Variables> variables, const TrainerOptions& options);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Data of a trainer that was described with its data; both may be null.
  void set_data(std::shared_ptr<Dataset> train, std::shared_ptr<Dataset> test);
  // Evaluated after each epoch of fit() from now on: "val_loss" and "val_" metrics join the
  // history, where they then stay, as NaN for epochs without such data. Null: none. Not during a
  // call.
  Status set_validation(std::shared_ptr<Dataset> dataset);

  // Trains on one batch; gives its mean loss before the update. The last of `accumulation` calls
  // completes the step; one that fails adds nothing. With moving statistics the batches of a step
  // have the same number of rows. Until the step is complete fit() and save() answer
  // FAILED_PRECONDITION; restore() forgets the batches.
  Result<double> step(const std::vector<std::string>& names, const std::vector<Tensor>& batch);
  // The same; also gives the values `fetches` that the batch's forward pass computed, in its form
  // for training and before the update: outputs of inference_model(), and values that the loss
  // needs. NOT_FOUND for another. Where a batch has several shards a value has a row for each row
  // of the batch.
  Result<double> step(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                      const std::vector<std::string>& fetches, std::vector<Tensor>* fetched);
  // Trains until `epochs` (0: the options') epochs are complete, from where the trainer stands: in
  // the middle of an epoch after restore(). `dataset` null: the data of set_data(). A run that
  // early stopping has ended stays ended. At the end of the epochs, or of the run, the best weights
  // come back where early stopping says so. In the modes `bounded` and `async` devices go on while
  // `progress` is called, which may save, publish and describe: each sees the state after a step,
  // perhaps a later one than it is told. With `async` each shard is a step, and what a fit that
  // ends early has not applied of the batches so far comes first in the next one, also after save()
  // and restore().
  Status fit(std::shared_ptr<Dataset> dataset, int64_t epochs, const ProgressFunction& progress);
  // Means over one pass through the data: "loss", then the metrics. `dataset` null: the test data,
  // else the validation data.
  Result<NamedNumbers> evaluate(std::shared_ptr<Dataset> dataset);
  // Trains with the other ranks of a group from now on, which call it with the same job, first
  // values and step; their calls that follow are the same, too. Each computes its part of the
  // shards of a batch and commits its part of the parameters, so that the bits are those of one
  // process. save() writes on rank 0 alone.
  // FAILED_PRECONDITION names an option that a group cannot have, or the first difference between
  // the ranks.
  Status join(std::shared_ptr<Collective> collective);
  // Makes what was trained so far the next version of the table, in one piece. Readers of older
  // ones keep them.
  Status publish();
  // The rate of the optimizer, which the schedule begins with, from the next step on; part of
  // checkpoints. Not where the schedule says the rate itself (one_cycle). Thread-safe.
  Status set_learning_rate(double rate) { return epochs_->rate.set_base(rate); }
  // Ends the call under way with CANCELLED; the state is that of the last completed step.
  void cancel() { call_.cancel(); }
  // Calls end, too, when `stop` is cancelled, even before they begin. Null: none. Not during a
  // call.
  void set_cancel(std::shared_ptr<const CancelToken> stop) { call_.set_parent(std::move(stop)); }

  // Writes `folder`/step-N: see core/checkpoint/checkpoint.h.
  Status save(const std::string& folder);
  // Locks the folder for this run, as long as the trainer lives: see core/checkpoint/run_folder.h.
  Status lock_folder(const std::string& folder, bool overwrite) { return identity_.lock_folder(folder, overwrite); }
  // Takes up the checkpoint `path`, or the newest whole one of the folder `path`; a warning is
  // logged for each newer one that is damaged. NOT_FOUND without a checkpoint, DATA_LOSS when all
  // are damaged. FAILED_PRECONDITION, and nothing is changed, when it is of another job
  // (core/train/run_identity.h), fingerprint or set of metrics.
  Status restore(const std::string& path);

  // Inputs to predictions.
  Result<std::shared_ptr<const Graph>> inference_model() const;
  const std::shared_ptr<Variables>& variables() const { return parameters_.publisher->table(); }
  const std::shared_ptr<Engine>& engine() const { return job_.engine; }
  // The engine's fingerprint, and what else decides bits.
  std::string fingerprint() const;
  // The data_parts() of the data; none without data.
  JobParts parts_of(const Dataset* data) const;
  const std::shared_ptr<Dataset>& train_data() const { return data_.train; }
  const std::shared_ptr<Dataset>& test_data() const { return data_.test; }
  const TrainerOptions& options() const { return job_.options; }
  const History& history() const { return epochs_->log.history(); }
  // Seconds since 1970 of the history's second 0, as if the run had never paused.
  double started() const { return epochs_->log.started(); }
  int64_t steps() const { return epochs_->log.steps(); }
  int64_t shards() const { return steps_->shards.shards(); }  // 0 before the first batch
  // Devices that compute shards; 0 before the first batch.
  size_t replicas() const { return steps_->shards.replicas(); }
  // Devices that were lost while they computed; others have computed their shards.
  const std::vector<std::string>& lost_devices() const { return devices_->lost(); }
  // Bytes that the plan of the last shard holds, gradients included; whether it rebuilds
  // activations.
  int64_t planned_bytes() const { return steps_->planner.facts().planned_bytes; }
  bool recomputes() const { return steps_->planner.facts().recomputes; }
  void set_trace(Trace* trace) { steps_->facts.set_trace(trace); }  // null ends it
  // Settings of the job that neither the model nor the options say, for what checkpoints tell of
  // it.
  void add_job_parts(JobParts parts) { identity_.add(std::move(parts)); }
  // JSON: parameters, those that train by rows, shards, devices, optimizer, data; "run": what the
  // devices did (RunFacts::write()).
  std::string describe() const;

 private:
  struct RestoredState;
  Trainer() = default;
  Status wire(std::shared_ptr<Variables> variables);
  void swap(Collaborators& other) noexcept;
  Status move_to_group(const Checkpoint& state);
  // The facts that all ranks of a group must agree on.
  std::vector<GroupFact> group_facts(const Group& group);
  Status check_fit(const Dataset* data);
  // Returns `own`, an error of this rank, or one of another rank of the group.
  Status agree_on_fit(const Dataset* data, int64_t epochs, const Status& own);
  // The token of a call that begins; CANCELLED when it must not.
  Result<std::shared_ptr<CancelToken>> begin();
  Status check_not_streaming(std::string_view what) const;
  Result<double> add_batch(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                           StepFetches* fetches);
  Result<StepFetches> find_fetches(const std::vector<std::string>& names) const;
  FitParts fit_parts();
  Status stream(FitRequest request);

  Result<Checkpoint> collected_state();
  Status check_job(const Checkpoint& saved, const std::string& path);
  Result<RestoredState> read_state(const Checkpoint& saved, const std::string& path);
  void adopt(RestoredState state, const Checkpoint& saved);
  Status take_up_state(const Checkpoint& state, const std::string& path);
  Status take_up(const NewestCheckpoint& restored);

  void describe_parallel(JsonWriter& w) const;
  void describe_shards(JsonWriter& w) const;
  void describe_devices(JsonWriter& w) const;
  void describe_group(JsonWriter& w) const;
  void describe_early_stopping(JsonWriter& w) const;

  TrainJob job_;
  TrainData data_;
  RunIdentity identity_;
  CallToken call_;
  std::unique_ptr<ReplicaDevices> devices_;
  TrainedParameters parameters_;
  std::unique_ptr<StepParts> steps_;
  std::unique_ptr<EpochParts> epochs_;
  StreamingLoop* streaming_ = nullptr;  // the fit under way, in a mode that streams
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_H_
