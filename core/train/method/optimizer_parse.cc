// What a SPEC says of optimizers.
#include <limits>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/optimizer.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

}  // namespace

std::vector<std::string> optimizer_names() {
  return {"sgd", "adam", "adamw", "rmsprop", "adagrad", "ftrl", "lion", "lamb"};
}

Result<Optimizer> parse_optimizer(const Json& json) {
  Optimizer out;
  std::string name;
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(name, json.as_string("optimizer"));
  } else {
    PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, "optimizer"));
    PERCALE_RETURN_IF_ERROR(read_text(json, "name", &name));
    if (name.empty()) return json.error("optimizer", "'name' is missing");
  }
  const auto number = [&](std::string_view key, double low, double high, double* value) {
    return read_number(json, key, low, high, value);
  };
  const auto keys = [&](std::initializer_list<std::string_view> own) -> Status {
    if (!json.is_object()) return {};
    std::vector<std::string> candidates;
    static constexpr std::string_view kCommon[] = {"name",      "learning_rate", "global_clipnorm",
                                                   "clipvalue", "clipnorm",      "weight_decay",
                                                   "use_ema",   "ema_momentum",  "sparse"};
    static constexpr std::string_view kLater[] = {"amsgrad", "centered", "loss_scale_factor",
                                                  "gradient_accumulation_steps"};
    const auto is_in = [](const auto& list, const std::string& key) {
      for (std::string_view k : list) {
        if (k == key) return true;
      }
      return false;
    };
    for (std::string_view k : own) candidates.emplace_back(k);
    for (std::string_view k : kCommon) candidates.emplace_back(k);
    for (size_t i = 0; i < json.size(); ++i) {
      const std::string& key = json.key(i);
      const Json& value = json.item(i);
      if (is_in(own, key) || is_in(kCommon, key)) continue;
      if (is_in(kLater, key)) {
        const bool off = value.is_null() || (value.kind() == Json::Kind::kBool && !*value.as_bool(key));
        if (off) continue;
        return unimplemented("optimizer '", name, "': '", key, "' is not there yet");
      }
      return value.error(key, "no such key in optimizer '", name, "'", did_you_mean(key, candidates));
    }
    PERCALE_RETURN_IF_ERROR(number("global_clipnorm", 0, kMost, &out.clip_norm));
    PERCALE_RETURN_IF_ERROR(number("clipnorm", 0, kMost, &out.clip_each_norm));
    PERCALE_RETURN_IF_ERROR(number("clipvalue", 0, kMost, &out.clip_value));
    bool averages = false;
    double momentum = 0.99;
    PERCALE_RETURN_IF_ERROR(read_flag(json, "use_ema", &averages));
    PERCALE_RETURN_IF_ERROR(number("ema_momentum", 0, 0.999999999, &momentum));
    if (averages) out.ema = momentum;
    if (const Json* sparse = json.find("sparse"); sparse != nullptr && !sparse->is_null()) {
      PERCALE_RETURN_IF_ERROR(read_flag(json, "sparse", &out.sparse.emplace()));
    }
    PERCALE_RETURN_IF_ERROR(number("weight_decay", 0, kMost, &out.weight_decay));
    return number("learning_rate", 0, kMost, &out.learning_rate);
  };
  if (name == "sgd") {
    PERCALE_RETURN_IF_ERROR(keys({"momentum", "nesterov"}));
    PERCALE_RETURN_IF_ERROR(number("momentum", 0, 1, &out.momentum));
    PERCALE_RETURN_IF_ERROR(read_flag(json, "nesterov", &out.nesterov));
  } else if (name == "adam" || name == "adamw" || name == "lamb") {
    out.kind = name == "adam"    ? Optimizer::Kind::kAdam
               : name == "adamw" ? Optimizer::Kind::kAdamW
                                 : Optimizer::Kind::kLamb;
    out.learning_rate = 0.001;
    if (name == "adamw") out.weight_decay = 0.004;
    PERCALE_RETURN_IF_ERROR(keys({"beta_1", "beta_2", "epsilon"}));
    PERCALE_RETURN_IF_ERROR(number("beta_1", 0, 0.999999999, &out.beta_1));
    PERCALE_RETURN_IF_ERROR(number("beta_2", 0, 0.999999999, &out.beta_2));
    PERCALE_RETURN_IF_ERROR(number("epsilon", 0, kMost, &out.epsilon));
  } else if (name == "rmsprop") {
    out.kind = Optimizer::Kind::kRmsProp;
    out.learning_rate = 0.001;
    PERCALE_RETURN_IF_ERROR(keys({"rho", "momentum", "epsilon"}));
    PERCALE_RETURN_IF_ERROR(number("rho", 0, 1, &out.rho));
    PERCALE_RETURN_IF_ERROR(number("momentum", 0, 1, &out.momentum));
    PERCALE_RETURN_IF_ERROR(number("epsilon", 0, kMost, &out.epsilon));
  } else if (name == "adagrad") {
    out.kind = Optimizer::Kind::kAdagrad;
    out.learning_rate = 0.001;
    PERCALE_RETURN_IF_ERROR(keys({"initial_accumulator_value", "epsilon"}));
    PERCALE_RETURN_IF_ERROR(number("initial_accumulator_value", 0, kMost, &out.initial_accumulator_value));
    PERCALE_RETURN_IF_ERROR(number("epsilon", 0, kMost, &out.epsilon));
  } else if (name == "ftrl") {
    out.kind = Optimizer::Kind::kFtrl;
    out.learning_rate = 0.001;
    PERCALE_RETURN_IF_ERROR(keys({"learning_rate_power", "initial_accumulator_value", "l1_regularization_strength",
                                  "l2_regularization_strength", "l2_shrinkage_regularization_strength", "beta"}));
    PERCALE_RETURN_IF_ERROR(number("learning_rate_power", -1e6, 0, &out.learning_rate_power));
    PERCALE_RETURN_IF_ERROR(number("initial_accumulator_value", 0, kMost, &out.initial_accumulator_value));
    PERCALE_RETURN_IF_ERROR(number("l1_regularization_strength", 0, kMost, &out.l1));
    PERCALE_RETURN_IF_ERROR(number("l2_regularization_strength", 0, kMost, &out.l2));
    PERCALE_RETURN_IF_ERROR(number("l2_shrinkage_regularization_strength", 0, kMost, &out.l2_shrinkage));
    PERCALE_RETURN_IF_ERROR(number("beta", 0, kMost, &out.beta));
  } else if (name == "lion") {
    out.kind = Optimizer::Kind::kLion;
    out.learning_rate = 0.001;
    out.beta_2 = 0.99;
    PERCALE_RETURN_IF_ERROR(keys({"beta_1", "beta_2"}));
    PERCALE_RETURN_IF_ERROR(number("beta_1", 0, 1, &out.beta_1));
    PERCALE_RETURN_IF_ERROR(number("beta_2", 0, 1, &out.beta_2));
  } else if (name == "adamax" || name == "nadam" || name == "adadelta" || name == "adafactor") {
    return unimplemented("optimizer '", name, "' is not there yet");
  } else {
    return json.error("optimizer", "no optimizer '", name, "'", did_you_mean(name, optimizer_names()));
  }
  if (out.sparse.value_or(false) && !out.has_sparse_form()) {
    return json.error("optimizer", "'", name,
                      "' has no form for single rows: 'sparse' is for sgd, adagrad, adam, ftrl");
  }
  if (out.nesterov && out.momentum == 0) return json.error("optimizer", "'nesterov' needs a momentum above 0");
  return out;
}

Result<Optimizer> parse_optimizer(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, json_or_name(text));
  return parse_optimizer(json);
}

}  // namespace percale
