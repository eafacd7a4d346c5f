#include "core/train/trainer_keys.h"

#include <limits>

#include "core/checkpoint/checkpoint.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr double kMany = 1073741824;  // 2^30

constexpr Key<Optimizer> kClipKeys[] = {
    {"global_norm", &Optimizer::clip_norm, "Largest norm of all gradients together; 0: no limit.", 0},
    {"norm", &Optimizer::clip_each_norm, "Largest norm of each gradient; 0: no limit.", 0},
    {"value", &Optimizer::clip_value, "Largest absolute value of an element of a gradient; 0: no limit.", 0}};

constexpr Key<ParameterGroup> kGroupKeys[] = {
    {.name = "pattern",
     .value = &ParameterGroup::pattern,
     .doc = "Names of the parameters; '*' stands for any characters. The first group that matches counts.",
     .required = true},
    {"learning_rate_factor", &ParameterGroup::learning_rate_factor, "Factor of the learning rate.", 0},
    {.name = "weight_decay",
     .value = &ParameterGroup::weight_decay,
     .doc = "Weight decay instead of the optimizer's.",
     .low = 0,
     .fallback = "the optimizer's"}};

using TrainerKey = Key<TrainerOptions>;
constexpr TrainerKey kCheckpointKeys[] = {
    {"keep_last", &TrainerOptions::keep_last,
     "Newest checkpoints that stay; 0: all, or the newest alone when the best are kept.", 0, kMany},
    {"keep_best", &TrainerOptions::keep_best, "Best checkpoints of ends of epochs that stay besides.", 0, kMany},
    monitor_key<TrainerOptions>(),
    mode_key<TrainerOptions>()};

constexpr TrainerKey kTrainerKeys[] = {
    {.name = "clip",
     .value = ByHand{"float or object"},
     .doc = "Clipping of gradients: the largest norm of all together, or an object.",
     .low = 0,
     .fallback = "none"},
    {.name = "groups",
     .value = ByHand{"list"},
     .doc = "Settings of parameters by name: a list of objects.",
     .fallback = "none"},
    {.name = "freeze",
     .value = ByHand{"text or list"},
     .doc = "Patterns of variables that keep their values; '*' stands for any characters, '?' for one, 'model' in a "
            "SPEC for the whole model of its file.",
     .fallback = "none"},
    {.name = "ema",
     .value = ByHand{"float"},
     .doc = "Decay of averages of the parameters, which are published and evaluated in their place; 0: none.",
     .low = 0,
     .high = 0.999999999,
     .fallback = "0"},
    {"accumulation", &TrainerOptions::accumulation, "Batches of a step, whose gradients are added.", 1, kMany},
    {.name = "early_stopping",
     .value = ByHand{"object"},
     .doc = "Ends the run when a monitored number stops improving.",
     .fallback = "off"},
    {"terminate_on_nan", &TrainerOptions::terminate_on_nan,
     "A loss that is NaN or infinite ends the training before that step's update. When off, it is a warning."},
    {.name = "checkpoints",
     .value = ByHand{"object"},
     .doc = "Which checkpoints of the run stay in its folder.",
     .fallback = "all"},
    {.name = "publish",
     .value = ByHand{"text or int"},
     .doc = "When sessions see what was trained: auto, step, epoch, hand, or a number of steps.",
     .fallback = "auto"},
    {"epochs", &TrainerOptions::epochs, "Passes over the data.", 1, 1099511627776.0},
    {"seed", &TrainerOptions::seed, "Seed of first values, of the order of rows and of random ops.", 0},
    {"shards", &TrainerOptions::shards, "Fixed parts of each batch, added in a fixed order.", 1, kMaxShards,
     "by the model's size"},
    {"mode", &TrainerOptions::mode, "When shards become a step: sync, backup:M, bounded:K or async."},
    {.name = "parallel",
     .value = ByHand{"object"},
     .doc = "How the job lies on the devices.",
     .fallback = "a replica per device"},
    {.name = "strategy",
     .value = ByHand{"text"},
     .doc =
         "Preset: mirrored is a replica per device and mirrored parameters; parameter_server is a replica per device, "
         "parameters on ps and mode async.",
     .fallback = "none",
     .choices = "mirrored|parameter_server"},
    {.name = "parameters",
     .value = ByHand{"text or object"},
     .doc = "Where parameters and the optimizer's values of them lie: host, ps, mirrored or device.",
     .fallback = "host"},
    {.name = "recompute",
     .value = ByHand{"switch, text or bytes"},
     .doc = "Computes activations again in the backward pass, for less memory and the same bits: off, on, auto, or the "
            "bytes that a step may plan.",
     .fallback = "off"},
    {"synchronized_batch_norm", &TrainerOptions::synchronized_batch_norm,
     "Batch normalization takes its statistics from the whole batch instead of each shard."},
    {.name = "memory_limit",
     .value = ByHand{"bytes"},
     .doc = "Bytes that the trainer may hold: working set, sums, runs and plans; 0: the engine's limit alone.",
     .low = 0,
     .fallback = "0"}};

Status read_clip(const Json& object, Optimizer* out) {
  const Json* clip = present(object, "clip");
  if (clip == nullptr) return {};
  if (clip->is_object()) return read_object<Optimizer>(*clip, "clip", kClipKeys, out);
  return read_number(object, "clip", 0, std::numeric_limits<double>::max(), &out->clip_norm);
}

Status read_groups(const Json& object, std::vector<ParameterGroup>* out) {
  const Json* groups = present(object, "groups");
  if (groups == nullptr) return {};
  PERCALE_RETURN_IF_ERROR(groups->expect(Json::Kind::kArray, "groups"));
  out->clear();
  for (size_t i = 0; i < groups->size(); ++i) {
    const Json& item = groups->item(i);
    ParameterGroup group;
    PERCALE_RETURN_IF_ERROR(read_object<ParameterGroup>(item, "groups", kGroupKeys, &group));
    if (group.pattern.empty()) return item.error("groups", "a group needs a 'pattern'");
    out->push_back(std::move(group));
  }
  return {};
}

Status read_freeze(const Json& object, std::vector<std::string>* out) {
  const Json* freeze = present(object, "freeze");
  if (freeze == nullptr) return {};
  out->clear();
  if (freeze->is_array()) {
    for (size_t i = 0; i < freeze->size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(out->emplace_back(), freeze->item(i).as_string("freeze"));
    }
    return {};
  }
  PERCALE_ASSIGN_OR_RETURN(out->emplace_back(), freeze->as_string("freeze"));
  return {};
}

Status read_checkpoints(const Json& object, TrainerOptions* out) {
  const Json* checkpoints = present(object, "checkpoints");
  if (checkpoints == nullptr) return {};
  PERCALE_RETURN_IF_ERROR(read_object<TrainerOptions>(*checkpoints, "checkpoints", kCheckpointKeys, out));
  return read_monitor(*checkpoints, &out->keep_monitor);
}

Status read_parallel(const Json& object, TrainerOptions* out) {
  const Json *parallel = present(object, "parallel"), *strategy = present(object, "strategy");
  if (parallel != nullptr && strategy != nullptr) {
    return strategy->error("strategy", "'parallel' says how the job lies on the devices: give one of them");
  }
  if (parallel != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(out->parallel, parse_parallel(*parallel));
  }
  if (strategy == nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(out->parallel, parse_strategy(*strategy));
  const bool ps = out->parallel.strategy == "parameter_server";
  if (ps && present(object, "mode") == nullptr) out->mode = "async";
  out->parameters.where = ps ? ParameterSpec::Where::kPs : ParameterSpec::Where::kMirrored;
  return {};
}

Status read_publish(const Json& object, Publishing* out) {
  const Json* publish = present(object, "publish");
  if (publish == nullptr) return {};
  std::string text;
  if (publish->kind() == Json::Kind::kInt) {
    text = str_cat(*publish->as_int("publish"));
  } else {
    PERCALE_ASSIGN_OR_RETURN(text, publish->as_string("publish"));
  }
  PERCALE_ASSIGN_OR_RETURN(*out, parse_publishing(text));
  return {};
}

}  // namespace

void add_trainer_key_names(std::vector<std::string>* out) { add_names<TrainerOptions>(kTrainerKeys, out); }

std::vector<KeyFacts> trainer_key_facts() {
  std::vector<KeyFacts> out = key_facts<TrainerOptions>(kTrainerKeys);
  for (KeyFacts& key : out) {
    if (key.name == "clip") key.keys = key_facts<Optimizer>(kClipKeys);
    if (key.name == "groups") key.keys = key_facts<ParameterGroup>(kGroupKeys);
    if (key.name == "early_stopping") key.keys = early_stopping_facts();
    if (key.name == "checkpoints") key.keys = key_facts<TrainerOptions>(kCheckpointKeys);
    if (key.name == "parallel") key.keys = parallel_facts();
    if (key.name == "parameters") key.keys = parameter_facts();
  }
  return out;
}

Status read_trainer_keys(const Json& object, TrainerOptions* out) {
  PERCALE_RETURN_IF_ERROR(read_members<TrainerOptions>(object, "SPEC", kTrainerKeys, out));
  PERCALE_RETURN_IF_ERROR(read_clip(object, &out->optimizer));
  PERCALE_RETURN_IF_ERROR(read_number(object, "ema", 0, 0.999999999, &out->optimizer.ema));
  PERCALE_RETURN_IF_ERROR(read_groups(object, &out->optimizer.groups));
  PERCALE_RETURN_IF_ERROR(read_freeze(object, &out->freeze));
  if (const Json* recompute = present(object, "recompute")) {
    PERCALE_ASSIGN_OR_RETURN(out->recompute, parse_recompute(*recompute));
  }
  if (const Json* early = present(object, "early_stopping")) {
    PERCALE_ASSIGN_OR_RETURN(out->early_stopping, parse_early_stopping(*early));
  }
  PERCALE_RETURN_IF_ERROR(read_bytes(object, "memory_limit", 0, &out->memory_limit));
  PERCALE_RETURN_IF_ERROR(read_checkpoints(object, out));
  PERCALE_RETURN_IF_ERROR(read_parallel(object, out));
  if (const Json* parameters = present(object, "parameters")) {
    PERCALE_ASSIGN_OR_RETURN(out->parameters, parse_parameters(*parameters));
  }
  return read_publish(object, &out->publishing);
}

}  // namespace percale
