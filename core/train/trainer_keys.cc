#include "core/train/trainer_keys.h"

#include <limits>

#include "core/checkpoint/checkpoint.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/train_mode.h"

namespace percale {
namespace {

constexpr double kMany = 1073741824;             // 2^30
constexpr double kMostEpochs = 1099511627776.0;  // 2^40

constexpr Key<Optimizer> kClipKeys[] = {{.name = "global_norm",
                                         .value = &Optimizer::clip_norm,
                                         .doc = "Largest norm of all gradients together; 0: no limit.",
                                         .low = 0,
                                         .option = {.name = "clip_norm", .with_spec = false}},
                                        {.name = "norm",
                                         .value = &Optimizer::clip_each_norm,
                                         .doc = "Largest norm of each gradient; 0: no limit.",
                                         .low = 0,
                                         .option = {.name = "clip_each_norm", .with_spec = false}},
                                        {.name = "value",
                                         .value = &Optimizer::clip_value,
                                         .doc = "Largest absolute value of any gradient element; 0: no limit.",
                                         .low = 0,
                                         .option = {.name = "clip_value", .with_spec = false}}};

constexpr Key<ParameterGroup> kGroupKeys[] = {
    {.name = "pattern",
     .value = &ParameterGroup::pattern,
     .doc = "Name pattern of the parameters; '*' matches any characters. The first group that matches a parameter "
            "applies.",
     .required = true},
    {"learning_rate_factor", &ParameterGroup::learning_rate_factor, "Factor of the learning rate.", 0},
    {.name = "weight_decay",
     .value = &ParameterGroup::weight_decay,
     .doc = "Weight decay instead of the optimizer's.",
     .low = 0,
     .fallback = "the optimizer's"}};

// ---- The keys that functions read.

Status read_clip(const Json& value, const Key<Optimizer>& key, Optimizer* out) {
  if (value.is_object()) return read_object<Optimizer>(value, key.name, kClipKeys, out);
  PERCALE_ASSIGN_OR_RETURN(out->clip_norm, number_of(value, key.name, key.low, key.high));
  return {};
}

Status read_groups(const Json& groups, const Key<Optimizer>& key, Optimizer* out) {
  PERCALE_RETURN_IF_ERROR(groups.expect(Json::Kind::kArray, key.name));
  out->groups.clear();
  for (size_t i = 0; i < groups.size(); ++i) {
    const Json& item = groups.item(i);
    ParameterGroup group;
    PERCALE_RETURN_IF_ERROR(read_object<ParameterGroup>(item, key.name, kGroupKeys, &group));
    if (group.pattern.empty()) return item.error(key.name, "a group needs a 'pattern'");
    out->groups.push_back(std::move(group));
  }
  return {};
}

Status read_freeze(const Json& value, const Key<TrainerOptions>& key, TrainerOptions* out) {
  out->freeze.clear();
  if (!value.is_array()) {
    PERCALE_ASSIGN_OR_RETURN(out->freeze.emplace_back(), value.as_string(key.name));
    return {};
  }
  for (size_t i = 0; i < value.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out->freeze.emplace_back(), value.item(i).as_string(key.name));
  }
  return {};
}

Status read_recompute(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->recompute, parse_recompute(value));
  return {};
}

Status read_early_stopping(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->early_stopping, parse_early_stopping(value));
  return {};
}

Status read_checkpoints(const Json& value, const Key<TrainerOptions>& key, TrainerOptions* out) {
  PERCALE_RETURN_IF_ERROR(read_object<TrainerOptions>(value, key.name, checkpoint_keys(), out));
  return read_monitor(value, &out->keep_monitor);
}

Status read_kept_monitor(const Json& value, const Key<TrainerOptions>& key, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->keep_monitor.name, value.as_string(key.name));
  out->keep_monitor.larger_is_better = larger_is_better(out->keep_monitor.name);
  return {};
}

Status read_publish(const Json& value, const Key<TrainerOptions>& key, TrainerOptions* out) {
  std::string text;
  if (value.kind() == Json::Kind::kInt) {
    text = str_cat(*value.as_int(key.name));
  } else {
    PERCALE_ASSIGN_OR_RETURN(text, value.as_string(key.name));
  }
  PERCALE_ASSIGN_OR_RETURN(out->publishing, parse_publishing(text));
  return {};
}

Status read_strategy(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->parallel, parse_strategy(value));
  const std::string& name = out->parallel.strategy;
  out->parameters.where = name == "parameter_server" ? ParameterSpec::Where::kPs
                          : name == "mirrored"       ? ParameterSpec::Where::kMirrored
                                                     : ParameterSpec::Where::kHost;
  if (name == "parameter_server") out->mode = "async";
  return {};
}

Status read_parallel(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->parallel, parse_parallel(value));
  return {};
}

Status read_parameters(const Json& value, const Key<TrainerOptions>&, TrainerOptions* out) {
  PERCALE_ASSIGN_OR_RETURN(out->parameters, parse_parameters(value));
  return {};
}

// ---- The tables of the keys of a SPEC.

constexpr Key<Optimizer> kUpdateKeys[] = {
    {.name = "clip",
     .value = ReadBy<Optimizer>{"float or object", read_clip},
     .doc = "Clipping of gradients: the largest norm of all gradients together, or an object. The same as "
            "'global_clipnorm', 'clipnorm' and 'clipvalue' of the optimizer.",
     .low = 0,
     .fallback = "none"},
    {.name = "groups",
     .value = ReadBy<Optimizer>{"list", read_groups},
     .doc = "Settings for parameters by name: a list of objects. The first group that matches a parameter applies.",
     .fallback = "none",
     .option = {.name = "groups",
                .form = AsOption::Form::kJson,
                .note = "As JSON: [{\"pattern\": \"*/bias\", \"learning_rate_factor\": 2, \"weight_decay\": 0}].",
                .fallback = "[]"}},
    {.name = "ema",
     .value = &Optimizer::ema,
     .doc = "Decay rate of moving averages of the parameters, which are published and evaluated in place of the "
            "parameters; 0: none. The same as 'use_ema' and 'ema_momentum' of the optimizer.",
     .low = 0,
     .high = 0.999999999,
     .option = {.name = "ema"}}};

// The row of the other monitors, as an option too.
constexpr Key<TrainerOptions> kept_monitor_key() {
  constexpr Key<TrainerOptions> kRow = monitor_key<TrainerOptions>();
  return {.name = kRow.name,
          .value = ReadBy<TrainerOptions>{"text", read_kept_monitor},
          .doc = kRow.doc,
          .fallback = kRow.fallback,
          .option = {.name = "monitor",
                     .form = AsOption::Form::kText,
                     .note = "Compared by 'keep_best'.",
                     .fallback = kRow.fallback}};
}

constexpr Key<TrainerOptions> kCheckpointKeys[] = {
    {.name = "keep_last",
     .value = &TrainerOptions::keep_last,
     .doc = "Number of newest checkpoints of the run that are kept; 0: all, or only the newest if 'keep_best' is set.",
     .low = 0,
     .high = kMany,
     .option = {.name = "keep_last"}},
    {.name = "keep_best",
     .value = &TrainerOptions::keep_best,
     .doc = "Number of further checkpoints that are kept: those of the best ends of epochs by 'monitor'.",
     .low = 0,
     .high = kMany,
     .option = {.name = "keep_best"}},
    kept_monitor_key(),
    mode_key<TrainerOptions>()};

// 'strategy' stands before the keys that override parts of it.
constexpr Key<TrainerOptions> kTrainerKeys[] = {
    {.name = "freeze",
     .value = ReadBy<TrainerOptions>{"text or list", read_freeze},
     .doc = "Name patterns of variables that keep their values; '*' matches any characters, '?' one. In a SPEC whose "
            "model comes from a file, 'model' means all variables of that model and no others.",
     .fallback = "none",
     .option = {.name = "freeze", .form = AsOption::Form::kList, .note = "Separated by commas."}},
    {.name = "accumulation",
     .value = &TrainerOptions::accumulation,
     .doc = "Number of batches per step; their gradients are added before the update.",
     .low = 1,
     .high = kMany,
     .option = {.name = "accumulation"}},
    {.name = "early_stopping",
     .value = ReadBy<TrainerOptions>{"object", read_early_stopping},
     .doc = "Ends the run when a monitored number stops improving.",
     .fallback = "off",
     .option = {.name = "early_stopping",
                .form = AsOption::Form::kJson,
                .note = "As JSON: {\"monitor\": \"val_loss\", \"patience\": 3, \"min_delta\": 0, \"baseline\": 0.5, "
                        "\"start_from_epoch\": 0, \"restore_best_weights\": true}."}},
    {.name = "terminate_on_nan",
     .value = &TrainerOptions::terminate_on_nan,
     .doc = "Ends the training with OUT_OF_RANGE if a loss is NaN or infinite, before the update of that step. "
            "Otherwise the first such loss logs a warning, and training continues.",
     .option = {.name = "terminate_on_nan"}},
    {.name = "checkpoints",
     .value = ReadBy<TrainerOptions>{"object", read_checkpoints},
     .doc = "The checkpoints of the run that are kept in its folder.",
     .fallback = "all"},
    {.name = "publish",
     .value = ReadBy<TrainerOptions>{"text or int", read_publish},
     .doc = "When sessions on the same variables see trained values: auto (each epoch of a fit, each single step), "
            "step, epoch, hand, or a number of steps.",
     .fallback = "auto",
     .option = {.name = "publish", .form = AsOption::Form::kText, .fallback = "auto"}},
    {.name = "epochs",
     .value = &TrainerOptions::epochs,
     .doc = "Number of passes over the data.",
     .low = 1,
     .high = kMostEpochs,
     .option = {.name = "epochs"}},
    {.name = "seed",
     .value = &TrainerOptions::seed,
     .doc = "Seed of initial values, row order and random ops.",
     .low = 0,
     .option = {.name = "seed"}},
    {.name = "shards",
     .value = &TrainerOptions::shards,
     .doc = "Number of parts of each batch, whose gradients are added in a fixed order. 0: the largest power of two, "
            "at most 8, that leaves each part 8 rows and 1 GFLOP; 1 if rows of a batch influence each other.",
     .low = 0,
     .high = kMaxShards,
     .option = {.name = "shards"}},
    {.name = "strategy",
     .value = ReadBy<TrainerOptions>{"text", read_strategy},
     .doc =
         "Preset instead of 'parallel': mirrored uses one replica per device and 'parameters' mirrored; "
         "multi_worker_mirrored the same in each process of a group, with 'parameters' host, and `percale train` then "
         "reads the cluster from the launcher's environment; parameter_server uses one replica per device, "
         "'parameters' ps and mode async; in a cluster the chief then trains on the devices of the workers. "
         "'parameters' and 'mode' override the preset.",
     .fallback = "none",
     .choices = "mirrored|multi_worker_mirrored|parameter_server",
     .option = {.name = "strategy", .form = AsOption::Form::kText}},
    {.name = "mode",
     .value = &TrainerOptions::mode,
     .doc = "Rule that combines shards into a step: sync, all shards of a batch; backup:M, the first M shards of a "
            "batch; bounded:K, all shards of a batch, on variables at most K steps old; async, each shard by itself.",
     .option = {.name = "mode", .check = [](std::string_view text) { return parse_train_mode(text).status(); }}},
    {.name = "parallel",
     .value = ReadBy<TrainerOptions>{"object", read_parallel},
     .doc = "Distribution of the job over the devices.",
     .fallback = "a replica per device",
     .option = {.name = "parallel",
                .form = AsOption::Form::kJson,
                .note = "As JSON: {\"replicas\": 2, \"stages\": 2, \"micro_batches\": 4, \"splits\": 2, \"schedule\": "
                        "\"1f1b\", \"device_memory\": 1000000000}. SPEC.md describes the keys."}},
    {.name = "parameters",
     .value = ReadBy<TrainerOptions>{"text or object", read_parameters},
     .doc = "Location of the parameters and of the optimizer's state for them: host; ps, in parts on devices; "
            "mirrored, on the host and on all devices that compute; device, only on the devices that compute; or an "
            "object that names the devices of the parts.",
     .fallback = "host",
     .option = {.name = "parameters",
                .form = AsOption::Form::kNameOrJson,
                .note = "As JSON: {\"ps\": \"cpu:0,cpu:1\", \"min_shard_bytes\": 262144}.",
                .fallback = "host"}},
    {.name = "recompute",
     .value = ReadBy<TrainerOptions>{"switch, text or bytes", read_recompute},
     .doc = "Recomputes activations in the backward pass, which saves memory and gives the same bits: off, on, auto "
            "(if the engine's memory limit leaves too little), or the number of bytes that a step may plan, which is "
            "an error if the step still needs more.",
     .fallback = "off",
     .option = {.name = "recompute", .form = AsOption::Form::kText, .fallback = "off"}},
    {.name = "synchronized_batch_norm",
     .value = &TrainerOptions::synchronized_batch_norm,
     .doc = "Computes the statistics of batch normalization over the whole batch instead of each shard. All shards of "
            "a batch are then computed at the same time, so a step needs the memory of the whole batch. Only mode sync "
            "supports it.",
     .option = {.name = "synchronized_batch_norm"}},
    {.name = "collective_timeout",
     .value = &TrainerOptions::collective_timeout,
     .doc = "Longest time in seconds that a process of a group waits for the others in one exchange; 0: no limit.",
     .low = 0,
     .high = 1e6,
     .option = {.name = "collective_timeout"}},
    {.name = "collective_redundancy",
     .value = &TrainerOptions::collective_redundancy,
     .doc = "Number of further processes of a group that hold each part of the optimizer's state, so that training "
            "goes on when a process is lost; -1: 1 if the collective reports losses, else 0.",
     .low = -1,
     .high = 1,
     .option = {.name = "collective_redundancy"}},
    {.name = "collective_data",
     .value = &TrainerOptions::collective_data,
     .doc = "whole: each process of a group can read all rows of the data sets, and reads those of its shards; parts: "
            "the data sets of each process are its own part of the data, and a batch is made of one of each.",
     .choices = "whole|parts",
     .option = {.name = "collective_data"}},
    {.name = "collective_bucket",
     .value = Bytes<TrainerOptions>{&TrainerOptions::collective_bucket},
     .doc = "Least number of bytes of gradients that a group exchanges at once, while the backward pass computes the "
            "others; 0: all at once, after the backward pass.",
     .low = 0,
     .option = {.name = "collective_bucket"}},
    {.name = "memory_limit",
     .value = Bytes<TrainerOptions>{&TrainerOptions::memory_limit},
     .doc = "Limit in bytes for the trainer's working set, sums, runs and plans, but not for data and published "
            "versions. 0: only the engine's limit.",
     .low = 0,
     .option = {.name = "memory_limit"}}};

}  // namespace

std::span<const Key<Optimizer>> update_keys() { return kUpdateKeys; }
std::span<const Key<Optimizer>> clip_keys() { return kClipKeys; }
std::span<const Key<TrainerOptions>> trainer_keys() { return kTrainerKeys; }
std::span<const Key<TrainerOptions>> checkpoint_keys() { return kCheckpointKeys; }

void add_trainer_key_names(std::vector<std::string>* out) {
  add_names(update_keys(), out);
  add_names(trainer_keys(), out);
}

std::vector<KeyFacts> trainer_key_facts() {
  std::vector<KeyFacts> out = key_facts(update_keys());
  for (KeyFacts& key : key_facts(trainer_keys())) out.push_back(std::move(key));
  for (KeyFacts& key : out) {
    if (key.name == "clip") key.keys = key_facts(clip_keys());
    if (key.name == "groups") key.keys = key_facts<ParameterGroup>(kGroupKeys);
    if (key.name == "early_stopping") key.keys = early_stopping_facts();
    if (key.name == "checkpoints") key.keys = key_facts(checkpoint_keys());
    if (key.name == "parallel") key.keys = parallel_facts();
    if (key.name == "parameters") key.keys = parameter_facts();
  }
  return out;
}

Status strategy_beside_parallel(const Json& strategy) {
  return strategy.error("strategy", "'parallel' says how the job lies on the devices: give one of them");
}

Status read_trainer_keys(const Json& object, TrainerOptions* out) {
  if (const Json* strategy = present(object, "strategy");
      strategy != nullptr && present(object, "parallel") != nullptr) {
    return strategy_beside_parallel(*strategy);
  }
  PERCALE_RETURN_IF_ERROR(read_members(object, "SPEC", update_keys(), &out->optimizer));
  return read_members(object, "SPEC", trainer_keys(), out);
}

}  // namespace percale
