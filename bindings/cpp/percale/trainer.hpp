/// Training.
#ifndef PERCALE_CPP_TRAINER_HPP_
#define PERCALE_CPP_TRAINER_HPP_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "percale/cluster.hpp"
#include "percale/collective.hpp"
#include "percale/dataset.hpp"
#include "percale/number.hpp"
#include "percale/time_limit.hpp"

#if PERCALE_CPP_EXCEPTIONS
#include <exception>
#endif

namespace percale {

/// The loss and metrics, in the order of the library.
class Metrics {
 public:
  Metrics() = default;
  /// Creates them from names and values.
  explicit Metrics(std::vector<std::pair<std::string, double>> values) : values_(std::move(values)) {}
  /// Parses the JSON of percale_trainer_evaluate(), a flat object of numbers.
  static Metrics parse(const std::string& json) {
    std::vector<std::pair<std::string, double>> out;
    for (size_t at = json.find('"'); at != std::string::npos; at = json.find('"', at)) {
      const size_t end = json.find('"', at + 1), colon = json.find(':', end);
      if (end == std::string::npos || colon == std::string::npos) break;
      const size_t behind = std::min(json.find_first_of(",}", colon), json.size());
      out.emplace_back(json.substr(at + 1, end - at - 1),
                       detail::number_of(std::string_view(json).substr(colon + 1, behind - colon - 1)));
      at = behind;
    }
    return Metrics(std::move(out));
  }
  /// The value with this name, or NaN if there is none.
  double operator[](std::string_view name) const {
    for (const auto& [own, value] : values_) {
      if (own == name) return value;
    }
    return __builtin_nan("");
  }
  /// Iterates over pairs of name and value.
  auto begin() const { return values_.begin(); }
  /// Past the last pair.
  auto end() const { return values_.end(); }
  /// The number of values.
  size_t size() const { return values_.size(); }

 private:
  std::vector<std::pair<std::string, double>> values_;
};

/// A completed step of Trainer::fit().
struct Progress {
  int64_t epoch = 0, epochs = 0;                  ///< from 1
  int64_t step = 0, steps = 0;                    ///< in the whole run, from 1; steps 0: unknown
  int64_t step_in_epoch = 0, steps_in_epoch = 0;  ///< from 1
  double loss = 0, learning_rate = 0;             ///< of this step
  /// Speed, time since the start, time until the end
  double rows_per_second = 0, seconds = 0, eta_seconds = 0;
  double epoch_loss = 0;     ///< mean over the rows of the epoch so far, each before its update
  bool epoch_ended = false;  ///< the metrics are set
  Metrics metrics;           ///< at the end of an epoch
};

/// Folders to search for relative paths of a SPEC, besides PERCALE_DATA and the cache. Borrowed for
/// the call; both may be null.
struct SpecFolders {
  const char* spec = nullptr;  ///< the folder of the SPEC; null: the current folder
  const char* data = nullptr;  ///< the first folder to search for data files
};

/// Trains the variables of a graph. Thread-compatible, except for cancel().
class Trainer : public Handle<percale_trainer, percale_trainer_release> {
 public:
  using Handle::Handle;

  /// Creates a trainer for `graph`. Its inputs are the columns of the data, and one output is the
  /// scalar loss. `options` are of kind "trainer".
  static Result<Trainer> create(const Engine& engine, const Graph& graph, const Variables& variables,
                                const Options& options) {
    if (!options.status()) return options.status();
    return made([&](percale_trainer** out) {
      return percale_trainer_create(engine.get(), graph.get(), variables.get(), options.get(), out);
    });
  }
  static Result<Trainer> create(const Engine& engine, const Graph& graph, const Variables& variables) {
    return made([&](percale_trainer** out) {
      return percale_trainer_create(engine.get(), graph.get(), variables.get(), nullptr, out);
    });
  }
  /// Creates a trainer from a SPEC (JSON). Relative paths are searched for in `folders.data`,
  /// PERCALE_DATA, the cache and `folders.spec`.
  static Result<Trainer> from_spec(const Engine& engine, std::string_view spec, const SpecFolders& folders = {}) {
    return made([&](percale_trainer** out) {
      return percale_trainer_from_spec(engine.get(), spec.data(), spec.size(), folders.spec, folders.data, nullptr,
                                       out);
    });
  }
  /// Creates a trainer from a SPEC. `options` of kind "trainer" override it.
  static Result<Trainer> from_spec(const Engine& engine, std::string_view spec, const SpecFolders& folders,
                                   const Options& options) {
    if (!options.status()) return options.status();
    return made([&](percale_trainer** out) {
      return percale_trainer_from_spec(engine.get(), spec.data(), spec.size(), folders.spec, folders.data,
                                       options.get(), out);
    });
  }

  /// Returns another owner of the same trainer.
  Trainer share() const { return Trainer(percale_trainer_retain(get())); }
  /// Runs one training step on one global batch. Returns the mean loss of the batch before the
  /// update.
  Result<double> step(Feeds batch) {
    const detail::SplitFeeds split(batch);
    double loss = 0;
    if (percale_status* status =
            percale_trainer_step(get(), split.names.data(), split.tensors.data(), split.names.size(), &loss)) {
      return Status(status);
    }
    return loss;
  }
  /// The result of step_fetch().
  struct Fetched {
    double loss = 0;             ///< of the batch, before the update
    std::vector<Tensor> values;  ///< in the order of the fetches
  };
  /// Runs one training step and also returns values of its forward pass: outputs of model(), or
  /// other values that the loss depends on. They are computed in training mode, before the update,
  /// and have one row per row of the batch.
  Result<Fetched> step_fetch(Feeds batch, Names fetches) {
    const detail::SplitFeeds split(batch);
    std::vector<percale_tensor*> raw(fetches.size());
    Fetched out;
    if (percale_status* status =
            percale_trainer_step_fetch(get(), split.names.data(), split.tensors.data(), split.names.size(),
                                       fetches.data(), fetches.size(), raw.data(), &out.loss)) {
      return Status(status);
    }
    for (percale_tensor* tensor : raw) out.values.emplace_back(tensor);
    return out;
  }
  /// Trains on `dataset`, or on the data of the SPEC, until `epochs` epochs are done (0: as the
  /// SPEC says). `epochs` counts all epochs of the trainer, including those of earlier fits and of
  /// a restored checkpoint: after fit(data, 1), fit(data, 2) trains one more.
  Status fit(int64_t epochs = 0) { return Status(percale_trainer_fit(get(), nullptr, epochs, nullptr, nullptr)); }
  Status fit(const Dataset& dataset, int64_t epochs = 0) {
    return Status(percale_trainer_fit(get(), dataset.get(), epochs, nullptr, nullptr));
  }
  /// Trains, and calls `callback(const Progress&)` after each step. If it returns false, the
  /// training ends after this step and fit() succeeds. The callback may save, publish, describe and
  /// cancel the trainer. step(), fit(), evaluate() and restore() of the trainer, and batch() and
  /// next() of its data, return FAILED_PRECONDITION within it. An exception ends the training and
  /// is rethrown here. An empty data set means the data of the SPEC.
  template <class Callback>
  Status fit(const Dataset& dataset, int64_t epochs, Callback&& callback) {
    struct CallbackState {
      std::remove_reference_t<Callback>& callback;
#if PERCALE_CPP_EXCEPTIONS
      std::exception_ptr thrown = nullptr;
#endif
    } state{callback};
    const percale_progress_callback on_progress = [](void* user, const percale_progress* p) -> int32_t {
      CallbackState& own = *static_cast<CallbackState*>(user);
#if PERCALE_CPP_EXCEPTIONS
      try {
        return own.callback(of(*p)) ? 0 : 1;
      } catch (...) {
        own.thrown = std::current_exception();
        return 1;
      }
#else
      return own.callback(of(*p)) ? 0 : 1;
#endif
    };
    Status out(percale_trainer_fit(get(), dataset.get(), epochs, on_progress, &state));
#if PERCALE_CPP_EXCEPTIONS
    if (state.thrown) std::rethrow_exception(state.thrown);
#endif
    return out;
  }
  /// Sets data that fit() evaluates after each epoch. The history then has "val_loss" and "val_"
  /// metrics. An empty data set removes it.
  Status set_validation(const Dataset& dataset) { return Status(percale_trainer_set_validation(get(), dataset.get())); }
  /// Returns the loss and metrics over a data set. An empty one means the test data of the SPEC.
  Result<Metrics> evaluate(const Dataset& dataset = {}) {
    auto json = detail::text([&](percale_text** out) { return percale_trainer_evaluate(get(), dataset.get(), out); });
    if (!json) return std::move(json).error();
    return Metrics::parse(*json);
  }
  /// Returns the first output of the model for rows of its only input, in batches of `batch_size`
  /// rows. It also works before the first fit().
  Result<Tensor> predict(const Engine& engine, const Tensor& x, int64_t batch_size = 32) {
    if (Status failed = publish(); !failed) return failed;
    auto graph = model();
    if (!graph) return std::move(graph).error();
    auto table = variables();
    if (!table) return std::move(table).error();
    auto session = Session::create(engine, *graph, *table);
    if (!session) return std::move(session).error();
    const std::string input = graph->inputs().at(0), output = graph->outputs().at(0);
    auto rows = Dataset::from_tensors(engine, {{input, x}});
    if (!rows) return std::move(rows).error();
    if (Status failed = rows->batch(batch_size); !failed) return failed;
    Tensor out;
    size_t at = 0;
    while (true) {
      auto batch = rows->next();
      if (!batch) return std::move(batch).error();
      if (!*batch) return out;
      auto part = session->run({{input, (**batch)[0]}}, {output});
      if (!part) return std::move(part).error();
      const Tensor& own = (*part)[0];
      if (!out) {
        std::vector<int64_t> dims(own.dims().begin(), own.dims().end());
        dims[0] = rows->rows();
        auto whole = Tensor::create(engine, own.dtype(), dims);
        if (!whole) return std::move(whole).error();
        out = std::move(*whole);
      }
      std::memcpy(static_cast<std::byte*>(out.data()) + at, own.data(), own.bytes());
      at += own.bytes();
    }
  }
  /// Takes the weights of another trainer for all variables that exist in both with the same name
  /// and shape.
  Status take_weights(Trainer& before) {
    if (Status failed = before.publish(); !failed) return failed;
    auto own = variables(), theirs = before.variables();
    if (!own || !theirs) return (own ? theirs : own).error();
    return own->assign_all(*theirs);
  }
  /// Makes the trainer a member of a group of processes, for the rest of its life. All ranks call
  /// it with the same job, first values of variables and completed steps. What they call from then
  /// on must be the same on all of them, too: fit(), step() with the whole batch, evaluate(),
  /// save() and restore(). save() writes on rank 0, and any number of ranks can resume from it.
  ///
  /// With the option "collective_data" as "parts", each rank fits, steps and evaluates on its own
  /// part of the data.
  ///
  /// The trainer keeps `collective` until it is gone. The option "collective_timeout" limits each
  /// exchange. FAILED_PRECONDITION names an option that a group cannot have (mode other than sync,
  /// parameters other than host), or the first setting in which a rank differs from rank 0.
  Status join(std::shared_ptr<Collective> collective) {
    if (collective == nullptr) return Status(Code::kInvalidArgument, "trainer join: the collective is null");
    auto kept = std::make_unique<detail::HostedCollective>(std::move(collective));
    const percale_collective table = kept->table();
    Status out(
        percale_trainer_join(get(), &table, [](void* user) { delete static_cast<detail::HostedCollective*>(user); }));
    if (out) (void)kept.release();
    return out;
  }
  /// Makes the trainer a member of the group of the cluster's processes that train: the chief and
  /// the workers. A plug-in connects them: libpercale_remote.so by gRPC. Returns when all of them
  /// have called it. All else is as with join(); training goes on without a worker that is lost.
  ///
  /// Addresses beyond this machine need certificates, see Cluster::set_certificates(). Waits at
  /// most `timeout`; without one, without limit. UNIMPLEMENTED: no plug-in connects processes.
  /// UNAVAILABLE, DEADLINE_EXCEEDED: the group was not complete in time. FAILED_PRECONDITION: this
  /// process does not train, another version or numerics fingerprint, or no certificates.
  Status join_cluster(const Cluster& cluster, std::optional<std::chrono::nanoseconds> timeout = {}) {
    return Status(percale_trainer_join_cluster(get(), cluster.get(), detail::time_limit(timeout)));
  }
  /// Makes the trained values visible to sessions on the same variables, as one new version.
  Status publish() { return Status(percale_trainer_publish(get())); }
  /// Sets the optimizer's learning rate from the next step on. The schedule applies to this rate.
  /// The callback of fit() may call it.
  Status set_learning_rate(double rate) { return Status(percale_trainer_set_learning_rate(get(), rate)); }
  /// Ends the current step with CANCELLED. Any thread.
  void cancel() { percale_trainer_cancel(get()); }
  /// Makes later step(), fit() and evaluate() end with CANCELLED when `cancellation` is cancelled:
  /// within a step, between two steps, or before they begin. An empty Cancellation removes the one
  /// that was set. Has no effect during a call.
  void set_cancellation(const Cancellation& cancellation) {
    percale_trainer_set_cancellation(get(), cancellation.get());
  }
  /// Writes a checkpoint `folder`/step-N atomically. It is then the newest of the folder.
  Status save(Text folder) { return Status(percale_trainer_save(get(), folder.c_str())); }
  /// Loads a checkpoint: `folder`/step-N, or the newest intact one of a folder. If it belongs to
  /// another job, FAILED_PRECONDITION names the first difference.
  Status restore(Text path) { return Status(percale_trainer_restore(get(), path.c_str())); }
  /// Locks the folder for this trainer. Call restore() first. UNAVAILABLE names the process that
  /// holds the lock. ALREADY_EXISTS means that the folder has checkpoints of another run;
  /// `overwrite` removes them instead.
  Status lock_folder(Text folder, bool overwrite = false) {
    return Status(percale_trainer_lock_folder(get(), folder.c_str(), overwrite ? 1 : 0));
  }
  /// Returns the graph for inference.
  Result<Graph> model() {
    return detail::made<Graph, percale_graph>([&](percale_graph** out) { return percale_trainer_model(get(), out); });
  }
  /// Returns the table that the trainer trains.
  Result<Variables> variables() {
    return detail::made<Variables, percale_variables>(
        [&](percale_variables** out) { return percale_trainer_variables(get(), out); });
  }
  /// The number of completed steps.
  int64_t steps() const { return percale_trainer_steps(get()); }
  /// Returns the history as "csv", "svg", or "events" (TensorBoard).
  Result<std::string> history(Text format) const {
    return detail::text([&](percale_text** out) { return percale_trainer_history(get(), format.c_str(), out); });
  }
  /// Returns facts as JSON.
  Result<std::string> describe() const {
    return detail::text([&](percale_text** out) { return percale_trainer_describe(get(), out); });
  }
  /// Records the trainer's activity from now on. An empty trace ends the recording.
  void set_trace(const Trace& trace) { percale_trainer_set_trace(get(), trace.get()); }

 private:
  template <class Function>
  static Result<Trainer> made(Function&& function) {
    return detail::made<Trainer, percale_trainer>(function);
  }
  static Progress of(const percale_progress& p) {
    std::vector<std::pair<std::string, double>> metrics;
    for (size_t i = 0; p.epoch_ended != 0 && i < p.metric_count; ++i) {
      metrics.emplace_back(p.metric_names[i], p.metric_values[i]);
    }
    return {p.epoch,
            p.epochs,
            p.step,
            p.steps,
            p.step_in_epoch,
            p.steps_in_epoch,
            p.loss,
            p.learning_rate,
            p.rows_per_second,
            p.seconds,
            p.eta_seconds,
            p.epoch_loss,
            p.epoch_ended != 0,
            Metrics(std::move(metrics))};
  }
};

}  // namespace percale

#endif  // PERCALE_CPP_TRAINER_HPP_
