#include "core/train/trainer_keys.h"

#include <limits>

#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();
constexpr int64_t kMany = int64_t{1} << 30;

const Json* present(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

Status read_clip(const Json& object, Optimizer* out) {
  const Json* clip = present(object, "clip");
  if (clip == nullptr) return {};
  if (!clip->is_object()) return read_number(object, "clip", 0, kMost, &out->clip_norm);
  PERCALE_RETURN_IF_ERROR(check_keys(*clip, "clip", {"global_norm", "norm", "value"}));
  PERCALE_RETURN_IF_ERROR(read_number(*clip, "global_norm", 0, kMost, &out->clip_norm));
  PERCALE_RETURN_IF_ERROR(read_number(*clip, "norm", 0, kMost, &out->clip_each_norm));
  return read_number(*clip, "value", 0, kMost, &out->clip_value);
}

Status read_groups(const Json& object, std::vector<ParameterGroup>* out) {
  const Json* groups = present(object, "groups");
  if (groups == nullptr) return {};
  PERCALE_RETURN_IF_ERROR(groups->expect(Json::Kind::kArray, "groups"));
  out->clear();
  for (size_t i = 0; i < groups->size(); ++i) {
    const Json& item = groups->item(i);
    PERCALE_RETURN_IF_ERROR(check_keys(item, "groups", {"pattern", "learning_rate_factor", "weight_decay"}));
    ParameterGroup group;
    PERCALE_RETURN_IF_ERROR(read_text(item, "pattern", &group.pattern));
    if (group.pattern.empty()) return item.error("groups", "a group needs a 'pattern'");
    PERCALE_RETURN_IF_ERROR(read_number(item, "learning_rate_factor", 0, kMost, &group.learning_rate_factor));
    if (present(item, "weight_decay") != nullptr) {
      double decay = 0;
      PERCALE_RETURN_IF_ERROR(read_number(item, "weight_decay", 0, kMost, &decay));
      group.weight_decay = decay;
    }
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
  PERCALE_RETURN_IF_ERROR(check_keys(*checkpoints, "checkpoints", {"keep_last", "keep_best", "monitor", "mode"}));
  PERCALE_RETURN_IF_ERROR(read_integer(*checkpoints, "keep_last", 0, kMany, &out->keep_last));
  PERCALE_RETURN_IF_ERROR(read_integer(*checkpoints, "keep_best", 0, kMany, &out->keep_best));
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

Status read_trainer_keys(const Json& object, TrainerOptions* out) {
  PERCALE_RETURN_IF_ERROR(read_clip(object, &out->optimizer));
  PERCALE_RETURN_IF_ERROR(read_integer(object, "accumulation", 1, kMany, &out->accumulation));
  PERCALE_RETURN_IF_ERROR(read_number(object, "ema", 0, 0.999999999, &out->optimizer.ema));
  PERCALE_RETURN_IF_ERROR(read_groups(object, &out->optimizer.groups));
  PERCALE_RETURN_IF_ERROR(read_freeze(object, &out->freeze));
  if (const Json* recompute = present(object, "recompute")) {
    PERCALE_ASSIGN_OR_RETURN(out->recompute, parse_recompute(*recompute));
  }
  if (const Json* early = present(object, "early_stopping")) {
    PERCALE_ASSIGN_OR_RETURN(out->early_stopping, parse_early_stopping(*early));
  }
  PERCALE_RETURN_IF_ERROR(read_flag(object, "terminate_on_nan", &out->terminate_on_nan));
  PERCALE_RETURN_IF_ERROR(read_flag(object, "synchronized_batch_norm", &out->synchronized_batch_norm));
  PERCALE_RETURN_IF_ERROR(read_bytes(object, "memory_limit", 0, &out->memory_limit));
  PERCALE_RETURN_IF_ERROR(read_checkpoints(object, out));
  PERCALE_RETURN_IF_ERROR(read_parallel(object, out));
  if (const Json* parameters = present(object, "parameters")) {
    PERCALE_ASSIGN_OR_RETURN(out->parameters, parse_parameters(*parameters));
  }
  return read_publish(object, &out->publishing);
}

}  // namespace percale
