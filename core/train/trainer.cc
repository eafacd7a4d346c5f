#include "core/train/trainer.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/session/initialize.h"
#include "core/train/data/csv_rules.h"
#include "core/train/loop/streaming_loop.h"
#include "core/train/loop/synchronous_loop.h"
#include "core/train/rewrite/inference_form.h"
#include "core/train/rewrite/train_graph.h"

namespace percale {
namespace {

// True if shards are computed away from the host's memory, with the parameters on servers.
bool rows_travel(const Engine& engine, const TrainerOptions& options) {
  const auto& devices = engine.devices();
  const bool away = std::ranges::any_of(devices, [](const auto& d) { return !d->shares_host_memory(); });
  return away && options.parameters.where == ParameterSpec::Where::kPs && options.parallel.group_size() == 1;
}

// The optimizer of the model's loss, and the functions of a step.
Result<TrainJob> make_job(std::shared_ptr<Engine> engine, Model model, const TrainerOptions& options) {
  TrainJob job;
  job.engine = std::move(engine);
  job.model = std::move(model);
  job.options = options;
  PERCALE_ASSIGN_OR_RETURN(job.mode, parse_train_mode(options.mode));
  if (job.mode.streams() && options.accumulation > 1) {
    return unimplemented("mode '", options.mode, "' with 'accumulation': ", options.accumulation);
  }
  if (options.shards < 0 || options.shards > kMaxShards)
    return out_of_range("shards = ", options.shards, ", wanted 0 to ", kMaxShards);
  PERCALE_ASSIGN_OR_RETURN(
      job.graph,
      build_train_graph(job.model, options.optimizer, options.freeze, options.recompute.when != Recompute::When::kNever,
                        options.parallel, options.synchronized_batch_norm, rows_travel(*job.engine, options)));
  if (job.graph.has_shard_barrier && job.mode.kind != TrainMode::Kind::kSync) {
    return invalid_argument("mode '", options.mode,
                            "': synchronized batch normalization needs all shards of a batch at "
                            "the same time, as mode 'sync' has them");
  }
  return job;
}

ResidentRequest resident_request(const TrainJob& job) {
  const TrainerOptions& o = job.options;
  const bool recompute = o.recompute.when == Recompute::When::kAlways;
  return {o.parameters.where, job.mode.kind, o.mode, o.accumulation, o.shards, recompute};
}

}  // namespace

Trainer::~Trainer() = default;

Result<std::unique_ptr<Trainer>> Trainer::create(std::shared_ptr<Engine> engine, Model model,
                                                 std::shared_ptr<Variables> variables, const TrainerOptions& options) {
  PERCALE_RETURN_IF_ERROR(engine->check_usable());
  std::unique_ptr<Trainer> out(new Trainer);
  PERCALE_ASSIGN_OR_RETURN(out->job_, make_job(std::move(engine), std::move(model), options));
  PERCALE_RETURN_IF_ERROR(out->wire(std::move(variables)));
  return out;
}

Status Trainer::wire(std::shared_ptr<Variables> variables) {
  const TrainerOptions& options = job_.options;
  devices_ = std::make_unique<ReplicaDevices>(job_.engine, options.devices, options.parallel,
                                              names_devices(*job_.graph.graph));
  PERCALE_RETURN_IF_ERROR(devices_->check());
  // Before the session, because it may add a function to the graph.
  PERCALE_ASSIGN_OR_RETURN(auto resident, plan_resident(resident_request(job_), *devices_, job_.graph));
  if (variables == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(variables, initialize_variables(job_.engine, job_.model.graph, options.seed));
  }
  variables->set_changing(options.publishing.when == Publishing::When::kSteps);
  job_.memory = std::make_shared<MemoryPool>(options.memory_limit, job_.engine->memory());
  SessionOptions session;
  session.memory = job_.memory;
  session.resources = variables->resources();
  session.compile.bf16 = options.bf16;
  PERCALE_ASSIGN_OR_RETURN(job_.session, Session::create(job_.engine, job_.graph.graph, nullptr, std::move(session)));
  const int64_t shards = resident ? resident->shards() : options.shards;
  PERCALE_ASSIGN_OR_RETURN(Collaborators made,
                           Collaborators::create(job_, *devices_, std::move(variables), std::move(resident), shards));
  swap(made);
  return check_monitors(options, history().metric_names);
}

void Trainer::set_data(std::shared_ptr<Dataset> train, std::shared_ptr<Dataset> test) {
  data_.train = std::move(train);
  data_.test = std::move(test);
  if (data_.train != nullptr) data_.csv_rules = data_.train->csv_rules();
}

Status Trainer::set_validation(std::shared_ptr<Dataset> dataset) {
  PERCALE_RETURN_IF_ERROR(check_not_streaming("set_validation"));
  epochs_->log.set_metric_names(epochs_->totals.metric_names(), dataset != nullptr);
  data_.validation = std::move(dataset);
  return {};
}

Result<std::shared_ptr<CancelToken>> Trainer::begin() {
  auto token = call_.begin();
  if (token->cancelled()) return StepCall{steps() + 1, 0, *token}.cancelled();
  return token;
}

Status Trainer::check_not_streaming(std::string_view what) const {
  if (streaming_ == nullptr || (what == "evaluate" && !streaming_->running())) return {};
  return failed_precondition(what, ": a fit in mode '", job_.options.mode, "' is under way");
}

Result<StepFetches> Trainer::find_fetches(const std::vector<std::string>& names) const {
  const Function& f = *job_.graph.graph->find_function(kComputeFunction);
  const auto& predictions = job_.graph.predictions;
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& name : names) {
    const auto prediction = std::ranges::find_if(predictions, [&](const auto& p) { return p.first == name; });
    if (prediction != predictions.end()) {
      found.push_back(*prediction);
    } else if (f.find_value(name) != kNoValue) {
      found.emplace_back(name, name);
    } else {
      std::vector<std::string> known;
      for (const auto& [own, value] : predictions) known.push_back(own);
      return not_found("a training step computes no '", name, "'", did_you_mean(name, known));
    }
  }
  return StepFetches(std::move(found));
}

Result<double> Trainer::step(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                             const std::vector<std::string>& fetches, std::vector<Tensor>* fetched) {
  fetched->clear();
  PERCALE_ASSIGN_OR_RETURN(StepFetches values, find_fetches(fetches));
  if (values.empty()) return step(names, batch);
  if (job_.group != nullptr) return failed_precondition("in a group a step has no fetches: each rank has other rows");
  if (job_.mode.kind == TrainMode::Kind::kBackup) {
    return failed_precondition("mode '", job_.options.mode, "' leaves shards out, whose rows no fetch would have");
  }
  PERCALE_RETURN_IF_ERROR(steps_->runner.prepare_fetches(steps() + 1));
  PERCALE_ASSIGN_OR_RETURN(const double loss, add_batch(names, batch, &values));
  *fetched = values.take();
  return loss;
}

Result<double> Trainer::step(const std::vector<std::string>& names, const std::vector<Tensor>& batch) {
  Result<double> loss = add_batch(names, batch, nullptr);
  if (!loss.ok()) steps_->runner.tell_ranks(loss.status());
  return loss;
}

Result<double> Trainer::add_batch(const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                                  StepFetches* fetches) {
  if (names.size() != batch.size()) return invalid_argument("a batch needs a name per tensor");
  if (job_.mode.streams()) {
    return failed_precondition("mode '", job_.options.mode, "' works on several batches at once: use fit()");
  }
  if (epochs_->rate.needs_total()) {
    return failed_precondition("the schedule needs the run's number of steps: use fit(), or give it a length");
  }
  PERCALE_ASSIGN_OR_RETURN(const auto token, begin());
  PERCALE_RETURN_IF_ERROR(parameters_.publisher->take_up_table());
  // A step whose exchange has failed begins again, if it has no other batch.
  const bool first = epochs_->fed.empty();
  if (first) steps_->runner.share_anew();
  const size_t lost = steps_->runner.lost();
  while (true) {
    Result<double> loss = epochs_->fed.add(names, batch, *token, fetches);
    if (loss.ok()) {
      steps_->runner.share_anew();
      return loss;
    }
    PERCALE_RETURN_IF_ERROR(steps_->runner.recover(loss.status()));
    if (first && (!job_.options.has_parts() || steps_->runner.lost() == lost)) continue;
    epochs_->fed.forget();
    return loss.status().with_context(first
                                          ? "ranks were lost with their rows of the batch; the step may be fed again"
                                          : "an exchange has failed within a step of several batches; feed them again");
  }
}

FitParts Trainer::fit_parts() {
  return {job_.engine->threads(), epochs_->log,           epochs_->closer,    epochs_->rate,
          epochs_->early,         *parameters_.publisher, *parameters_.store, job_.options.publishing};
}

// Nothing has changed after an error.
Status Trainer::check_fit(const Dataset* data) {
  if (data == nullptr) return failed_precondition("there is no data to train on");
  const int64_t batch = epochs_->log.position().batch;
  if (data->is_stream() && job_.mode.streams()) {
    return failed_precondition("mode '", job_.options.mode,
                               "' needs to know the batches of an epoch, which data in a stream does not tell; use "
                               "'sync'");
  }
  if (!data->is_stream() && !job_.options.has_parts() && batch > data->batches()) {
    return failed_precondition("the training stands at batch ", batch, " of an epoch, the data has ", data->batches());
  }
  PERCALE_RETURN_IF_ERROR(check_not_streaming("fit"));
  PERCALE_RETURN_IF_ERROR(epochs_->fed.check_complete("fit"));
  if (epochs_->early.stopped()) return {};
  if (job_.options.watches_validation() && data_.watched() == nullptr) {
    return failed_precondition("there is no validation data to watch");
  }
  return identity_.take_data(parts_of(data));
}

Status Trainer::fit(std::shared_ptr<Dataset> dataset, int64_t epochs, const ProgressFunction& progress) {
  if (dataset == nullptr) dataset = data_.train;
  if (epochs <= 0) epochs = job_.options.epochs;
  PERCALE_RETURN_IF_ERROR(agree_on_fit(dataset.get(), epochs, check_fit(dataset.get())));
  if (epochs_->early.stopped()) return TrainLoop::finish(fit_parts());
  const std::shared_ptr<Dataset> watched = data_.watched();
  data_.csv_rules = dataset->csv_rules();
  const Dataset::Use training(*dataset), validating(watched != nullptr ? *watched : *dataset);
  PERCALE_ASSIGN_OR_RETURN(const auto token, begin());
  PERCALE_RETURN_IF_ERROR(parameters_.publisher->take_up_table());
  PERCALE_RETURN_IF_ERROR(epochs_->early.make_room(job_.memory));
  const bool evaluates = job_.options.watches_validation() || data_.validation != nullptr;
  const Dataset* const evaluated = evaluates ? watched.get() : nullptr;
  FitRequest request{dataset, evaluated, epochs, progress, *token};  // `training` outlives the loop
  if (job_.mode.streams()) return stream(std::move(request));
  return SynchronousLoop(fit_parts(), {steps_->runner, steps_->shards, steps_->facts}, std::move(request)).fit();
}

Status Trainer::stream(FitRequest request) {
  StreamingLoop loop(fit_parts(),
                     {job_.memory, job_.graph, *parameters_.working, steps_->planner, steps_->shards, steps_->computer,
                      steps_->runner, steps_->facts, steps_->loss},
                     std::move(request));
  struct UnderWay {
    StreamingLoop*& which;
    ~UnderWay() { which = nullptr; }
  } under_way{streaming_};
  streaming_ = &loop;
  return loop.fit();
}

Result<NamedNumbers> Trainer::evaluate(std::shared_ptr<Dataset> dataset) {
  if (dataset == nullptr) dataset = data_.test != nullptr ? data_.test : data_.validation;
  if (dataset == nullptr) return failed_precondition("there is no test or validation data to evaluate on");
  PERCALE_RETURN_IF_ERROR(check_not_streaming("evaluate"));
  PERCALE_ASSIGN_OR_RETURN(const auto token, begin());
  PERCALE_RETURN_IF_ERROR(parameters_.publisher->take_up_table());
  return epochs_->evaluator.evaluate(*dataset, steps(), *token);
}

Status Trainer::publish() {
  const auto held = streaming_ == nullptr ? std::unique_lock<std::shared_mutex>() : streaming_->hold();
  return parameters_.publisher->publish(steps());
}

Result<std::shared_ptr<const Graph>> Trainer::inference_model() const {
  PERCALE_ASSIGN_OR_RETURN(const auto graph, inference_graph(*job_.model.graph, job_.model.objective.predictions));
  if (!data_.csv_rules) return graph;
  // Programs that serve the model read files as the training did.
  auto out = std::make_shared<Graph>(*graph);
  out->metadata.erase(std::string(kCsvMetadata));
  const auto& rules = *data_.csv_rules;
  if (rules != nullptr) out->metadata.emplace(kCsvMetadata, csv_rules_json(*rules));
  return std::shared_ptr<const Graph>(std::move(out));
}

}  // namespace percale
