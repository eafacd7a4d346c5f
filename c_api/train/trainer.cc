#include "core/train/trainer.h"

#include <algorithm>

#include "c_api/cancellation.h"
#include "c_api/graph/graph_file.h"
#include "c_api/options/options.h"
#include "c_api/run/session.h"
#include "c_api/train/collective.h"
#include "c_api/train/dataset.h"
#include "c_api/train/trainer_calls.h"
#include "core/text/json.h"
#include "core/train/option_table.h"
#include "core/train/report/event_file.h"
#include "core/train/rewrite/graph_losses.h"
#include "core/train/rewrite/graph_metrics.h"
#include "core/train/shards/device_choice.h"
#include "core/train/spec.h"

using namespace percale;
using namespace percale::c_api;

struct percale_trainer : Counted {
  percale_trainer(percale_engine* e, std::unique_ptr<Trainer> t) : engine(e), trainer(std::move(t)) {}
  Ref<percale_engine> engine;
  std::unique_ptr<Trainer> trainer;
  std::shared_ptr<Trace> trace;
  TrainerCalls calls;
  OneThread thread{"trainer"};
};

namespace {

constexpr std::string_view kKind = "trainer";

Result<TrainerOptions> trainer_options(const percale_options* options, const Engine& engine) {
  OptionTexts texts;
  if (options != nullptr) texts = options->values;
  texts.try_emplace("optimizer", OptionValues(options, kKind).text("optimizer"));
  Spec job;
  PERCALE_RETURN_IF_ERROR(apply_options(texts, &job));
  PERCALE_ASSIGN_OR_RETURN(job.trainer.devices, choose_devices(engine, job.devices));
  return std::move(job.trainer);
}

Result<SpecOverrides> spec_overrides(const char* function, const percale_options* options) {
  SpecOverrides out;
  if (options != nullptr) out.options = options->values;
  PERCALE_RETURN_IF_ERROR(check_options_beside_spec(out.options).with_context(function));
  return out;
}

// A call that is under way: it keeps the trainer alive, since a callback may release the last
// reference of the host.
struct TrainerCall {
  Ref<percale_trainer> trainer;
  OneThread::Use use;
  TrainerCalls::Scope scope;  // ends first
  Trainer* operator->() const { return trainer->trainer.get(); }
};

Result<TrainerCall> begin_call(const char* function, percale_trainer* trainer) {
  PERCALE_RETURN_IF_ERROR(check_may_wait(function));
  PERCALE_ASSIGN_OR_RETURN(auto use, trainer->thread.enter(function));
  PERCALE_ASSIGN_OR_RETURN(auto scope, trainer->calls.begin(function));
  return TrainerCall{Ref(trainer), std::move(use), std::move(scope)};
}

// The data of a call, if there is any: kept alive, and from other threads.
struct DataUse {
  Ref<percale_dataset> dataset;
  OneThread::Use use;
  std::shared_ptr<Dataset> get() const { return dataset.get() == nullptr ? nullptr : dataset->dataset; }
};

Result<DataUse> use_data(const char* function, percale_dataset* dataset) {
  DataUse out{Ref(dataset), {}};
  if (dataset != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(out.use, dataset->thread.enter(function));
  }
  return out;
}

// Tells a C callback what a step did.
bool tell(percale_progress_callback callback, void* user, const Progress& progress) {
  std::vector<const char*> names;
  const bool metrics = progress.metric_names != nullptr && progress.metrics != nullptr;
  const size_t count = metrics ? std::min(progress.metric_names->size(), progress.metrics->size()) : 0;
  for (size_t i = 0; i < count; ++i) names.push_back((*progress.metric_names)[i].c_str());
  percale_progress out{};
  out.struct_size = sizeof out;
  out.epoch = progress.epoch;
  out.epochs = progress.epochs;
  out.step = progress.step;
  out.steps = progress.steps;
  out.step_in_epoch = progress.step_in_epoch;
  out.steps_in_epoch = progress.steps_in_epoch;
  out.loss = progress.loss;
  out.learning_rate = progress.learning_rate;
  out.rows_per_second = progress.rows_per_second;
  out.seconds = progress.seconds;
  out.eta_seconds = progress.eta_seconds;
  out.epoch_ended = progress.epoch_ended ? 1 : 0;
  out.epoch_loss = progress.epoch_loss;
  out.metric_count = count;
  out.metric_names = names.data();
  out.metric_values = count == 0 ? nullptr : progress.metrics->data();
  return callback(user, &out) == 0;
}

}  // namespace

percale_status* percale_trainer_create(percale_engine* engine, const percale_graph* graph, percale_variables* variables,
                                       const percale_options* options, percale_trainer** out_trainer) {
  clear(out_trainer);
  return guarded(__func__, {NEEDS(engine), NEEDS(graph), NEEDS(out_trainer)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_options(function, options, kKind));
    PERCALE_ASSIGN_OR_RETURN(const TrainerOptions chosen, trainer_options(options, *engine->engine));
    const OptionValues values(options, kKind);
    const std::string loss = values.text("loss");
    const bool json = loss.starts_with('{') || loss.starts_with('[');
    PERCALE_ASSIGN_OR_RETURN(Model model,
                             json ? model_of_losses(*graph->graph, loss) : model_of_mean_loss(*graph->graph, loss));
    if (values.is_set("metrics")) {
      PERCALE_ASSIGN_OR_RETURN(model, add_graph_metrics(model, values.text("metrics")));
    }
    PERCALE_ASSIGN_OR_RETURN(auto trainer,
                             Trainer::create(engine->engine, std::move(model),
                                             variables == nullptr ? nullptr : variables->variables, chosen));
    *out_trainer = new percale_trainer(engine, std::move(trainer));
    return {};
  });
}

percale_status* percale_trainer_from_spec(percale_engine* engine, const char* spec, size_t spec_size,
                                          const char* spec_folder, const char* data_folder,
                                          const percale_options* options, percale_trainer** out_trainer) {
  clear(out_trainer);
  return guarded(__func__, {NEEDS(engine), NEEDS(spec), NEEDS(out_trainer)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_options(function, options, kKind));
    PERCALE_ASSIGN_OR_RETURN(SpecOverrides overrides, spec_overrides(function, options));
    overrides.open_model = [&](const std::string& path) { return open_model(function, engine, path); };
    PERCALE_ASSIGN_OR_RETURN(auto trainer, trainer_from_spec(engine->engine, text_of(spec, spec_size),
                                                             std::string(text_or_empty(spec_folder)),
                                                             std::string(text_or_empty(data_folder)), overrides));
    *out_trainer = new percale_trainer(engine, std::move(trainer));
    return {};
  });
}

percale_trainer* percale_trainer_retain(percale_trainer* trainer) { return retain(trainer); }

void percale_trainer_release(percale_trainer* trainer) { release(trainer); }

percale_status* percale_trainer_step(percale_trainer* trainer, const char* const* names, percale_tensor* const* batch,
                                     size_t count, double* out_loss) {
  clear(out_loss);
  return guarded(__func__, {NEEDS(trainer)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto all, names_of(function, "names", names, count));
    PERCALE_RETURN_IF_ERROR(check_array(function, "batch", batch, count));
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    PERCALE_ASSIGN_OR_RETURN(const double loss, call->step(all, tensors_of(batch, count)));
    if (out_loss != nullptr) *out_loss = loss;
    return {};
  });
}

percale_status* percale_trainer_step_fetch(percale_trainer* trainer, const char* const* names,
                                           percale_tensor* const* batch, size_t count, const char* const* fetches,
                                           size_t fetch_count, percale_tensor** out_tensors, double* out_loss) {
  clear(out_loss);
  clear(out_tensors, fetch_count);
  return guarded(__func__, {NEEDS(trainer)}, [&, function = __func__]() -> Status {
    if (out_tensors == nullptr && fetch_count > 0) return invalid_argument(function, ": 'out_tensors' is NULL");
    PERCALE_ASSIGN_OR_RETURN(const auto all, names_of(function, "names", names, count));
    PERCALE_ASSIGN_OR_RETURN(const auto wanted, names_of(function, "fetches", fetches, fetch_count));
    PERCALE_RETURN_IF_ERROR(check_array(function, "batch", batch, count));
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    // Made before the step, which must not have happened for a caller who gets an error.
    std::vector<std::unique_ptr<percale_tensor>> made(fetch_count);
    for (auto& handle : made) handle = std::make_unique<percale_tensor>(Tensor());
    std::vector<Tensor> values;
    PERCALE_ASSIGN_OR_RETURN(const double loss, call->step(all, tensors_of(batch, count), wanted, &values));
    for (size_t i = 0; i < fetch_count; ++i) {
      made[i]->tensor = std::move(values[i]);
      out_tensors[i] = made[i].release();
    }
    if (out_loss != nullptr) *out_loss = loss;
    return {};
  });
}

percale_status* percale_trainer_fit(percale_trainer* trainer, percale_dataset* dataset, int64_t epochs,
                                    percale_progress_callback callback, void* user) {
  return guarded(__func__, {NEEDS(trainer)}, [&, function = __func__]() -> Status {
    if (epochs < 0) return invalid_argument(function, ": ", epochs, " epochs");
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    PERCALE_ASSIGN_OR_RETURN(const DataUse data, use_data(function, dataset));
    ProgressFunction progress;
    if (callback != nullptr) {
      progress = [&](const Progress& p) {
        const TrainerCalls::Telling telling(trainer->calls);
        const OneThread::Callback here(trainer->thread);
        return tell(callback, user, p);
      };
    }
    return call->fit(data.get(), epochs, progress);
  });
}

percale_status* percale_trainer_set_validation(percale_trainer* trainer, percale_dataset* dataset) {
  return guarded(__func__, {NEEDS(trainer)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    return call->set_validation(dataset == nullptr ? nullptr : dataset->dataset);
  });
}

percale_status* percale_trainer_evaluate(percale_trainer* trainer, percale_dataset* dataset, percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {NEEDS(trainer), NEEDS(out_json)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    PERCALE_ASSIGN_OR_RETURN(const DataUse data, use_data(function, dataset));
    PERCALE_ASSIGN_OR_RETURN(const auto numbers, call->evaluate(data.get()));
    JsonWriter json;
    json.begin_object();
    for (const auto& [name, value] : numbers) json.key(name).value(value);
    json.end_object();
    *out_json = make_text(json.text());
    return {};
  });
}

percale_status* percale_trainer_join(percale_trainer* trainer, const percale_collective* collective,
                                     percale_destroy destroy) {
  return guarded(__func__, {NEEDS(trainer), NEEDS(collective)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto made, host_collective(function, *collective));
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    PERCALE_RETURN_IF_ERROR(call->join(made));
    own_user(*made, destroy);
    return {};
  });
}

percale_status* percale_trainer_join_cluster(percale_trainer* trainer, const percale_cluster* cluster,
                                             int64_t timeout_ns) {
  return guarded(__func__, {NEEDS(trainer), NEEDS(cluster)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    const percale_engine& engine = *trainer->engine.get();
    PERCALE_ASSIGN_OR_RETURN(const auto made, join_cluster(function, engine, *cluster, timeout_ns));
    return call->join(made);
  });
}

percale_status* percale_trainer_publish(percale_trainer* trainer) {
  return guarded(__func__, {ALONE(trainer)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(trainer->calls.check_between_steps(function));
    return trainer->trainer->publish();
  });
}

percale_status* percale_trainer_set_learning_rate(percale_trainer* trainer, double rate) {
  return guarded(__func__, {ALONE(trainer)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(trainer->calls.check_between_steps(function));
    return trainer->trainer->set_learning_rate(rate).with_context(function);
  });
}

void percale_trainer_cancel(percale_trainer* trainer) {
  if (trainer != nullptr) trainer->trainer->cancel();
}

void percale_trainer_set_cancellation(percale_trainer* trainer, percale_cancellation* cancellation) {
  if (trainer == nullptr || !trainer->calls.idle()) return;
  const auto use = trainer->thread.enter(__func__);
  if (!use.ok()) return;
  trainer->trainer->set_cancel(cancellation == nullptr ? nullptr : cancellation->token);
}

percale_status* percale_trainer_save(percale_trainer* trainer, const char* folder) {
  return guarded(__func__, {ALONE(trainer), NEEDS(folder)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(trainer->calls.check_between_steps(function));
    return trainer->trainer->save(folder);
  });
}

percale_status* percale_trainer_lock_folder(percale_trainer* trainer, const char* folder, int32_t overwrite) {
  return guarded(__func__, {NEEDS(trainer), NEEDS(folder)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    return call->lock_folder(folder, overwrite != 0);
  });
}

percale_status* percale_trainer_restore(percale_trainer* trainer, const char* path) {
  return guarded(__func__, {NEEDS(trainer), NEEDS(path)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const TrainerCall call, begin_call(function, trainer));
    return call->restore(path);
  });
}

percale_status* percale_trainer_model(percale_trainer* trainer, percale_graph** out_graph) {
  clear(out_graph);
  return guarded(__func__, {ALONE(trainer), NEEDS(out_graph)}, [&]() -> Status {
    auto handle = std::make_unique<percale_graph>(nullptr);
    PERCALE_ASSIGN_OR_RETURN(handle->graph, trainer->trainer->inference_model());
    *out_graph = handle.release();
    return {};
  });
}

percale_status* percale_trainer_variables(percale_trainer* trainer, percale_variables** out_variables) {
  clear(out_variables);
  return guarded(__func__, {ALONE(trainer), NEEDS(out_variables)}, [&]() -> Status {
    *out_variables = new percale_variables(trainer->engine.get(), trainer->trainer->variables());
    return {};
  });
}

int64_t percale_trainer_steps(const percale_trainer* trainer) {
  return trainer == nullptr ? 0 : trainer->trainer->steps();
}

percale_status* percale_trainer_history(const percale_trainer* trainer, const char* format, percale_text** out_text) {
  clear(out_text);
  return guarded(__func__, {ALONE(trainer), NEEDS(format), NEEDS(out_text)}, [&, function = __func__]() -> Status {
    const std::string_view wanted = format;
    const History& history = trainer->trainer->history();
    if (wanted == "csv") {
      *out_text = make_text(history.to_csv());
    } else if (wanted == "svg") {
      *out_text = make_text(history.to_svg());
    } else if (wanted == "events") {
      *out_text = make_text(event_file(history, trainer->trainer->started()));
    } else {
      return not_found(function, ": no format is called '", wanted, "', only csv, svg and events");
    }
    return {};
  });
}

percale_status* percale_trainer_describe(const percale_trainer* trainer, percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {ALONE(trainer), NEEDS(out_json)}, [&]() -> Status {
    *out_json = make_text(trainer->trainer->describe());
    return {};
  });
}

void percale_trainer_set_trace(percale_trainer* trainer, percale_trace* trace) {
  if (trainer == nullptr || !trainer->calls.idle()) return;
  const auto use = trainer->thread.enter(__func__);
  if (!use.ok()) return;
  trainer->trace = trace == nullptr ? nullptr : trace->trace;
  trainer->trainer->set_trace(trainer->trace.get());
}
