// Trains the variables of a model: steps of compute then commit, over data sets, with history and checkpoints.
#ifndef PERCALE_CORE_TRAIN_TRAINER_H_
#define PERCALE_CORE_TRAIN_TRAINER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/session/session.h"
#include "core/train/data/dataset.h"
#include "core/train/method/monitor.h"
#include "core/train/method/schedule.h"
#include "core/train/method/train_mode.h"
#include "core/train/parallel/parallel_spec.h"
#include "core/train/parallel/parameter_spec.h"
#include "core/train/report/history.h"
#include "core/train/rewrite/minimize.h"
#include "core/train/rewrite/recompute.h"
#include "core/train/run_identity.h"
#include "core/train/shards/averaging.h"
#include "core/train/shards/batch_barrier.h"
#include "core/train/shards/row_gradients.h"
#include "core/train/shards/run_facts.h"
#include "core/train/shards/step_fetches.h"

namespace percale {

// When the table gets a version of what was trained so far. At the end of fit() it always gets one, unless by hand.
struct Publishing {
  enum class When {
    kAuto,    // after each epoch of fit(), after each step()
    kSteps,   // whenever the number of completed steps is a multiple of `steps`
    kEpoch,   // after each epoch
    kByHand,  // by publish() alone
  };
  When when = When::kAuto;
  int64_t steps = 1;
};
// "auto", "step", "epoch", "hand", or a number of steps.
Result<Publishing> parse_publishing(std::string_view text);

struct TrainerOptions {
  Optimizer optimizer;
  Schedule schedule;
  int64_t shards = 0;                // 0: default_shards() of the first batch
  int64_t seed = 0;                  // of random ops
  int64_t epochs = 1;                // of fit() when it is not told
  std::vector<std::string> devices;  // of the engine, that compute shards; empty: all
  std::string mode = "sync";         // parse_train_mode()
  ParallelSpec parallel;
  ParameterSpec parameters;
  Publishing publishing;
  bool any_fingerprint = false;  // restore what another numerics fingerprint computed
  bool bf16 = false;             // mixed precision: as SessionOptions::bf16; parameters and steps stay as they are
  int64_t accumulation = 1;      // batches of a step, whose gradients are added
  bool synchronized_batch_norm = false;  // statistics of the whole batch instead of a shard's
  std::vector<std::string> freeze;       // patterns of variables that keep their values
  Recompute recompute;                   // of activations in the backward pass
  // Bytes that the trainer may hold: working set, sums, runs, plans; neither data nor published versions. 0: the engine's limit alone.
  int64_t memory_limit = 0;
  EarlyStopping early_stopping;
  bool terminate_on_nan = false;  // a loss that is not finite ends the training before the update
  // Of the checkpoints that save() leaves in the folder: the newest (0: all) and the best by `keep_monitor`.
  int64_t keep_last = 0, keep_best = 0;
  Monitor keep_monitor;

  // Whether the schedule, early stopping or checkpoints watch a number of the validation data.
  bool watches_validation() const;
};

// Whether what early stopping, the schedule and checkpoints watch is the loss or one of `metrics`.
Status check_monitors(const TrainerOptions& options, const std::vector<std::string>& metrics);

// Told after each step. Borrowed for the call.
struct Progress {
  int64_t epoch = 0, epochs = 0;  // from 1
  int64_t step = 0, steps = 0;    // over the whole run, from 1
  int64_t step_in_epoch = 0, steps_in_epoch = 0;
  double loss = 0, learning_rate = 0;
  double epoch_loss = 0;  // mean over the epoch's rows so far, each before its update
  double rows_per_second = 0, seconds = 0, eta_seconds = 0;
  bool epoch_ended = false;
  const std::vector<std::string>* metric_names = nullptr;
  const std::vector<double>* metrics = nullptr;  // empty unless the epoch has ended
};
// False ends the training after this step. It may save the trainer.
using ProgressFunction = std::function<bool(const Progress&)>;

// Seconds since 1970.
double wall_seconds();

// The largest power of two, at most 8, that leaves a shard 8 rows and 1 GFLOP; 1 when rows of a batch influence each other.
int64_t default_shards(const TrainGraph& graph, int64_t rows);

// Thread-compatible; cancel() is thread-safe. The trainer is the one writer of its variables while it trains. With the
// optimizer's `ema` the averages stand for the parameters in all that is published, served and evaluated; checkpoints hold both.
class Trainer {
 public:
  // `variables` holds the variables of the model; null: a new table, drawn by the seed of the options.
  static Result<std::unique_ptr<Trainer>> create(std::shared_ptr<Engine> engine, Model model,
                                                 std::shared_ptr<Variables> variables, const TrainerOptions& options);
  ~Trainer();
  // Data of a trainer that was described with its data; both may be null.
  void set_data(std::shared_ptr<Dataset> train, std::shared_ptr<Dataset> test);
  // Evaluated after each epoch of fit() from now on: "val_loss" and "val_" metrics join the history, where they then stay: as NaN
  // of epochs without such data. Null: none. Not during a call.
  Status set_validation(std::shared_ptr<Dataset> dataset);

  // One batch; its mean loss before the update. The last of `accumulation` calls completes the step; one that fails adds nothing.
  // With moving statistics the batches of a step have the same number of rows. Until the step is complete fit() and save() answer
  // FAILED_PRECONDITION; restore() forgets the batches.
  Result<double> step(const std::vector<std::string>& names, const std::vector<Tensor>& batch);
  // The same; it also gives the values `fetches` that the batch's forward pass computed, in its form for training and before the update:
  // outputs of inference_model(), and values that the loss needs. NOT_FOUND for another. Where a batch has several shards a value has
  // a row for each row of the batch.
  Result<double> step(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                      const std::vector<std::string>& fetches, std::vector<Tensor>* fetched);
  // Trains until `epochs` (0: the options') epochs are complete, from where the trainer stands: in the middle of an epoch after
  // restore(). `dataset` null: the data of set_data(). A run that early stopping has ended stays ended. At the end of the epochs,
  // or of the run, the best weights come back where early stopping says so.
  // In the modes `bounded` and `async` devices go on while `progress` is called, which may save, publish and describe: each sees the
  // state after a step, perhaps a later one than it is told. With `async` each shard is a step, and what a fit that ends early has
  // not applied of the batches so far comes first in the next one, also after save() and restore().
  Status fit(std::shared_ptr<Dataset> dataset, int64_t epochs, const ProgressFunction& progress);
  // Means over one pass through the data: "loss", then the metrics. `dataset` null: the test data,
  // else the validation data.
  Result<NamedNumbers> evaluate(std::shared_ptr<Dataset> dataset);
  // Makes what was trained so far the next version of the table, in one piece. Readers of older ones keep them.
  Status publish();
  // The rate of the optimizer, which the schedule begins with, from the next step on; part of checkpoints. Not where the schedule says
  // the rate itself (one_cycle). Thread-safe.
  Status set_learning_rate(double rate);
  // Ends the call under way with CANCELLED; the state is that of the last completed step.
  void cancel();
  // Calls end so, too, when `stop` is cancelled, even before they begin. Null: nothing does. Not during a call.
  void set_cancel(std::shared_ptr<const CancelToken> stop);

  // Writes `folder`/step-N: see core/checkpoint/checkpoint.h.
  Status save(const std::string& folder);
  // Locks the folder for this run, as long as the trainer lives: see core/checkpoint/run_folder.h.
  Status lock_folder(const std::string& folder, bool overwrite) { return identity_.lock_folder(folder, overwrite); }
  // Takes up the checkpoint `path`, or the newest whole one of the folder `path`; a warning is logged for each newer one that is
  // damaged. NOT_FOUND without a checkpoint, DATA_LOSS when all are damaged. FAILED_PRECONDITION, and nothing is changed, when it
  // is of another job (core/train/run_identity.h), fingerprint or set of metrics.
  Status restore(const std::string& path);

  // Inputs to predictions.
  Result<std::shared_ptr<const Graph>> inference_model() const;
  const std::shared_ptr<Variables>& variables() const { return variables_; }
  const std::shared_ptr<Engine>& engine() const { return engine_; }
  // The engine's, and what else decides bits.
  std::string fingerprint() const;
  const std::shared_ptr<Dataset>& train_data() const { return train_data_; }
  const std::shared_ptr<Dataset>& test_data() const { return test_data_; }
  const TrainerOptions& options() const { return options_; }
  const History& history() const { return history_; }
  // Seconds since 1970 of the history's second 0, as if the run had never paused.
  double started() const { return started_; }
  int64_t steps() const { return steps_; }
  int64_t shards() const { return options_.shards; }  // 0 before the first batch
  size_t replicas() const;                            // devices that compute shards; 0 before the first batch
  // Devices that were lost while they computed; others have computed their shards.
  const std::vector<std::string>& lost_devices() const { return lost_devices_; }
  // What the plan of the last shard holds while it runs, gradients included; whether it rebuilds activations.
  int64_t planned_bytes() const { return planned_bytes_; }
  bool recomputes() const { return recomputes_; }
  void set_trace(Trace* trace);  // null ends it
  // Settings of the job that neither the model nor the options say, for what checkpoints tell of it.
  void add_job_parts(JobParts parts) { identity_.add(std::move(parts)); }
  // JSON: parameters, those that train by rows, shards, devices, optimizer, data; "run": what the devices did (RunFacts::write()).
  std::string describe() const;

 private:
  // The memory of a version before its values are there.
  struct Publication {
    std::vector<std::pair<int32_t, Tensor>> changes;
    std::vector<size_t> sources;  // per change: the working variable
    std::shared_ptr<VariablesVersion> draft;
  };
  class Streaming;
  class Parameters;
  class Resident;
  using ShardPlans =
      std::map<int64_t, std::vector<std::shared_ptr<const Plan>>>;  // by rows, then by replica; null: lost
  Trainer();
  Status take_up_variables();
  Result<Publication> prepare_publication() const;
  Status bring_home();  // before the working set is read
  void publish(Publication publication) noexcept;
  Status publish_if(bool due);
  Result<std::vector<Tensor>> bind(const Function& f, const std::vector<std::string>& inputs,
                                   const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                                   int64_t* rows) const;
  Status prepare_sums(int64_t rows);
  // Where a batch of a step lies in it: rows of the batches before it, and of all.
  struct BatchPlace {
    int64_t before, all;
  };
  // What a shard is computed from. Borrowed.
  struct ShardRun {
    const std::vector<Tensor>& feeds;  // of its batch
    const ShardPlans& plans;
    BatchPlace place;
    const std::vector<Tensor>& state;
    int64_t state_version;
    const std::vector<int64_t>& versions;
    int64_t step;
    const CancelToken& cancel;
    const RowGradients& by_rows;
    int64_t part;                     // of `by_rows` that it writes
    ShardBarrier* barrier = nullptr;  // with the other shards of the batch
  };
  Result<std::vector<std::vector<int64_t>>> row_counts(const ShardPlans& plans, int64_t rows) const;
  Status prepare_rows(int64_t rows, bool first);
  Result<std::shared_ptr<const Plan>> plan_commit(const RowGradients& rows);
  Status prepare_commit();
  // The sums of one batch, the `first` of a step or not, by all replicas.
  std::unique_ptr<BatchBarrier> barrier_for(int64_t rows) const;
  Status reduce(const std::vector<Tensor>& feeds, int64_t rows, const BatchPlace& place, bool first,
                double learning_rate);
  Status reduce_shards(const std::vector<Tensor>& feeds, int64_t rows, const BatchPlace& place, bool first);
  Status compute_shard(size_t replica, const ShardRows& rows, const ShardRun& shard, std::vector<Tensor>& out);
  Status watch_shard(size_t replica, const ShardRows& rows, const std::function<Status()>& compute);
  void settle_backup(int64_t rows);
  // While it lives devices are there to compute.
  class Period;
  std::string replica_name(size_t replica) const;
  bool is_lost(size_t replica, const Status& status) const;
  bool note_loss(size_t replica, const Status& status);
  // Puts devices that were idle in the place of those that were lost; false when there was nothing to put or to replace.
  Result<bool> replace_lost();
  void report_losses();
  std::vector<int32_t> host_group() const;
  // Whether the graph says by name of nodes where they run: then all devices together are one replica.
  bool is_placed() const;
  // Whether a device has the kernels of the one in the host's memory, and gives its bits.
  bool computes_as_host(int32_t device) const;
  // Whether the shards of a batch are under way at the same time, dealt out evenly to replicas, each with threads of its own.
  bool computes_together() const;
  Status check_parallel() const;
  // The devices of each replica that there could be.
  Result<std::vector<std::vector<int32_t>>> candidate_groups() const;
  // The number of replicas.
  Result<size_t> choose_shards(int64_t rows, size_t groups);
  Status check_device_memory();
  void describe_parallel(JsonWriter& w) const;
  void describe_parameters(JsonWriter& w) const;
  bool waits_apart(const std::vector<int32_t>& group) const;
  Status commit(const Plan& plan, const std::vector<Tensor>& total, double learning_rate, int64_t step,
                const RowGradients& by_rows);
  Status run_step(const std::vector<std::string>& names, std::span<const std::vector<Tensor>> batches,
                  double learning_rate, int64_t* rows);
  Status finish_step(double weight, double learning_rate);
  // Warns of the first loss that is not finite; OUT_OF_RANGE with `terminate_on_nan`, before the variables change.
  Status check_loss(double loss, int64_t step);
  Status check_between_steps(std::string_view what) const;
  Status check_not_streaming(std::string_view what) const;
  Status take_up(const NewestCheckpoint& restored);
  Status make_room_for_best();
  void keep_best() noexcept;
  Status finish_fit();
  // `group`: as RunSpec::group.
  Result<std::shared_ptr<const Plan>> compiled(std::string_view function, const std::vector<std::string>& inputs,
                                               const std::vector<std::string>& outputs,
                                               const std::vector<ValueType>& feeds,
                                               const std::vector<int32_t>& group = {});
  Result<std::shared_ptr<const Plan>> compute_plan(const std::vector<std::string>& inputs,
                                                   const std::vector<ValueType>& feeds,
                                                   const std::vector<int32_t>& group);
  Status plan_shards(const std::vector<Tensor>& feeds, int64_t rows);
  Result<StepFetches> find_fetches(const std::vector<std::string>& names) const;
  // Parameters that lie on devices alone are the host's from now on.
  Status leave_devices(std::string_view why);
  // The working variables have changed: those that a commit changes, or any.
  void note_change(bool by_commit = false);
  int64_t version_number(int64_t version, size_t variable) const {
    return version * static_cast<int64_t>(working_.size()) + static_cast<int64_t>(variable);
  }
  // Says where the training stands.
  Status cancelled() const;
  // The token of a call that begins; CANCELLED when it must not.
  Result<std::shared_ptr<CancelToken>> begin();
  double learning_rate(int64_t done, int64_t steps) const;
  double base_rate() const;
  double batch_loss() const;
  // "loss" and the metrics of totals that were added up.
  NamedNumbers finish(const std::vector<double>& sums) const;
  Result<NamedNumbers> evaluate_on(const Dataset& dataset, const CancelToken& token);
  std::shared_ptr<Dataset> validation() const;
  Status end_epoch(const CancelToken& token);
  size_t served_at(size_t i) const;
  size_t count_totals() const;

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<MemoryPool> memory_;  // counts what the trainer holds of the engine's
  Model model_;
  TrainGraph graph_;
  std::shared_ptr<Session> session_;
  std::shared_ptr<Variables> variables_;
  TrainerOptions options_;
  TrainMode mode_;
  std::shared_ptr<Dataset> train_data_, test_data_, validation_data_;
  // Of the data that is trained on, null where it has none; absent before there is such data.
  std::optional<std::shared_ptr<const CsvRules>> csv_rules_;
  RunIdentity identity_;

  std::vector<Tensor> working_;     // in the order of the training graph's variables
  std::vector<int32_t> published_;  // per working variable its place in the table, -1 for slots
  std::vector<int32_t> averages_;   // per working variable the place of its average in the working set, or -1
  int64_t state_version_ = 0;       // counts changes of the working set
  std::vector<int64_t> versions_;   // per working variable: other contents, another number, which no other variable has
  std::vector<bool> committed_;     // working variables that a commit changes
  std::shared_ptr<const VariablesVersion> seen_;  // of the table, that the working set agrees with or is ahead of
  bool unpublished_ = false;                      // the working set is ahead
  std::unique_ptr<ShardSums> sums_;
  RowGradients row_gradients_;                // of the parameters whose gradients are rows
  StepFetches* fetches_ = nullptr;            // of the step under way; null: none
  std::vector<std::vector<int32_t>> groups_;  // per replica its devices, as RunSpec::group
  std::vector<std::vector<int32_t>> idle_;    // that could compute, but for want of shards
  size_t lanes_ = 1;                          // shards of a replica under way at once
  std::map<int32_t, int64_t> device_bytes_;   // planned for the shards of the last batch, by device
  std::vector<std::string> lost_devices_;
  size_t reported_losses_ = 0;
  std::shared_ptr<const ShardPlans> shard_plans_;
  std::string planned_for_;  // shapes of the batch that these are for
  std::shared_ptr<const Plan> commit_;
  std::vector<ValueType> commit_types_;                       // of its feeds
  std::map<std::string, std::shared_ptr<const Plan>> plans_;  // by function and shapes of the feeds
  std::map<std::string, bool> recompute_for_;                 // by shapes of the feeds
  int64_t planned_bytes_ = 0;
  bool recomputes_ = false;
  mutable std::mutex plan_mutex_;  // guards what is told of plans: in modes that stream any thread plans

  std::unique_ptr<Parameters> parameters_;  // null: they lie on the host alone
  std::unique_ptr<Resident> resident_;      // null: the host has what a step begins with

  int64_t steps_ = 0;
  DatasetPosition position_;
  // Of batches from the position on the shards that are part of the working set: (batch, shard). In mode `async` alone.
  std::set<std::pair<int64_t, int64_t>> applied_;
  std::vector<double> epoch_sums_;  // totals of the epoch under way; empty before its first step
  MonitorState plateau_, early_stopping_;
  // Of a step under way by step(): its batches so far and their rows.
  int64_t batches_added_ = 0, rows_added_ = 0;
  // What training changes of the model, as it was after the best epoch, by place in the working set (others are not defined); and
  // whether a fit that ends must still bring it back. Empty where early stopping does not restore.
  std::vector<Tensor> best_;
  bool has_best_ = false, best_waits_ = false;
  // The monitored number of the epoch that ended last, and how many had ended then.
  std::optional<double> score_;
  int64_t score_epoch_ = 0;
  double seconds_ = 0, started_ = 0;
  bool warned_of_loss_ = false;
  std::atomic<double> rate_by_hand_{-1};  // less than 0: the optimizer's counts
  History history_;
  Trace* trace_ = nullptr;
  RunFacts facts_;
  std::mutex cancel_mutex_;
  std::shared_ptr<const CancelToken> stop_;  // outlives the token of the last call
  std::shared_ptr<CancelToken> token_;
  Streaming* streaming_ = nullptr;  // the fit under way, in a mode that streams
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_H_
