// The table of optimizers: names, keys and defaults, as a SPEC and the options of a trainer take
// them.
#include "core/base/similar_name.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/key_table.h"
#include "core/train/method/optimizer.h"

namespace percale {
namespace {

using OptimizerKey = Key<Optimizer>;
constexpr double kBelowOne = 0.999999999;

constexpr OptimizerKey kMomentum = {"momentum", &Optimizer::momentum,
                                    "Fraction of the previous update that is added to the current one.", 0, 1};
constexpr OptimizerKey kEpsilon = {"epsilon", &Optimizer::epsilon,
                                   "Constant added to the root in the denominator to avoid division by zero.", 0};
constexpr OptimizerKey kInitialAccumulator = {"initial_accumulator_value", &Optimizer::initial_accumulator_value,
                                              "Initial value of the sums of squared gradients.", 0};

constexpr OptimizerKey kSgdKeys[] = {
    kMomentum, {"nesterov", &Optimizer::nesterov, "Whether to use Nesterov momentum; requires a momentum above 0."}};
constexpr OptimizerKey kAdamKeys[] = {
    {"beta_1", &Optimizer::beta_1, "Decay rate of the mean of the gradients.", 0, kBelowOne},
    {"beta_2", &Optimizer::beta_2, "Decay rate of the mean of the squared gradients.", 0, kBelowOne},
    kEpsilon};
constexpr OptimizerKey kRmsPropKeys[] = {
    {"rho", &Optimizer::rho, "Decay rate of the mean of the squared gradients.", 0, 1}, kMomentum, kEpsilon};
constexpr OptimizerKey kAdagradKeys[] = {kInitialAccumulator, kEpsilon};
constexpr OptimizerKey kFtrlKeys[] = {
    {"learning_rate_power", &Optimizer::learning_rate_power,
     "Power of the accumulated squared gradients that scales the learning rate; 0: constant learning rate.", -1e6, 0},
    kInitialAccumulator,
    {"l1_regularization_strength", &Optimizer::l1, "L1 regularisation strength.", 0},
    {"l2_regularization_strength", &Optimizer::l2, "L2 regularisation strength.", 0},
    {"l2_shrinkage_regularization_strength", &Optimizer::l2_shrinkage, "L2 penalty added to the gradient.", 0},
    {"beta", &Optimizer::beta, "Constant added to the root of the accumulated squared gradients.", 0}};
constexpr OptimizerKey kLionKeys[] = {
    {"beta_1", &Optimizer::beta_1, "Weight of the momentum in the direction of the update.", 0, 1},
    {"beta_2", &Optimizer::beta_2, "Decay rate of the momentum.", 0, 1}};

// Keys of every optimizer.
constexpr OptimizerKey kCommon[] = {
    {"learning_rate", &Optimizer::learning_rate, "Initial learning rate, which the schedule changes.", 0},
    {"weight_decay", &Optimizer::weight_decay,
     "Weight decay: adamw, lion and lamb subtract it from the parameter, the others add it to the gradient.", 0},
    {"clipvalue", &Optimizer::clip_value, "Largest absolute value of any gradient element; 0: no limit.", 0},
    {"clipnorm", &Optimizer::clip_each_norm, "Largest norm of each gradient; 0: no limit.", 0},
    {"global_clipnorm", &Optimizer::clip_norm, "Largest norm of all gradients together; 0: no limit.", 0},
    {.name = "use_ema",
     .value = ByHand{"switch"},
     .doc = "Whether to keep moving averages of the parameters, which are published and evaluated in place of the "
            "parameters.",
     .fallback = "false"},
    {.name = "ema_momentum",
     .value = ByHand{"float"},
     .doc = "Decay rate of the moving averages.",
     .low = 0,
     .high = kBelowOne,
     .fallback = "0.99"},
    {.name = "sparse",
     .value = &Optimizer::sparse,
     .doc = "Whether tables train by rows: each step updates only the rows that it looked up.",
     .fallback = "true where the result does not change"}};

constexpr Unsupported kUnsupportedOptimizerKeys[] = {
    {"amsgrad", "there is no substitute; leave it out"},
    {"centered", "there is no substitute; leave it out"},
    {"loss_scale_factor", "leave it out: mixed precision is bf16, which needs no scaling"},
    {"gradient_accumulation_steps", "use 'accumulation' of the trainer"}};
constexpr Unsupported kUnsupportedOptimizers[] = {
    {"adamax", "use adam"}, {"nadam", "use adam"}, {"adadelta", "use rmsprop"}, {"adafactor", "use adamw"}};

struct OptimizerRow {
  std::string_view name, doc;
  Optimizer::Kind kind;
  double learning_rate;
  std::span<const OptimizerKey> keys;
  double weight_decay = 0, beta_2 = 0.999;

  Optimizer start() const {
    Optimizer out;
    out.kind = kind;
    out.learning_rate = learning_rate;
    out.weight_decay = weight_decay;
    out.beta_2 = beta_2;
    return out;
  }
};

using OptimizerKind = Optimizer::Kind;
constexpr OptimizerRow kOptimizers[] = {
    {"sgd", "Stochastic gradient descent, optionally with momentum.", OptimizerKind::kSgd, 0.01, kSgdKeys},
    {"adam", "Adam (Kingma and Ba, 2014).", OptimizerKind::kAdam, 0.001, kAdamKeys},
    {"adamw", "Adam with decoupled weight decay (Loshchilov and Hutter, 2017).", OptimizerKind::kAdamW, 0.001,
     kAdamKeys, 0.004},
    {"rmsprop", "RMSprop: divides gradients by the root of their mean square.", OptimizerKind::kRmsProp, 0.001,
     kRmsPropKeys},
    {"adagrad", "Adagrad (Duchi et al., 2011): divides gradients by the root of the sum of their squares.",
     OptimizerKind::kAdagrad, 0.001, kAdagradKeys},
    {"ftrl", "FTRL-Proximal (McMahan et al., 2013), for sparse linear models.", OptimizerKind::kFtrl, 0.001, kFtrlKeys},
    {"lion", "Lion (Chen et al., 2023): updates by the sign of a momentum.", OptimizerKind::kLion, 0.001, kLionKeys, 0,
     0.99},
    {"lamb", "LAMB (You et al., 2019): Adam with a trust ratio per parameter, for large batches.", OptimizerKind::kLamb,
     0.001, kAdamKeys}};

const OptimizerRow& row_of(OptimizerKind kind) {
  for (const OptimizerRow& row : kOptimizers) {
    if (row.kind == kind) return row;
  }
  return kOptimizers[0];
}

Result<const OptimizerRow*> find_optimizer(const Json& json, const std::string& name) {
  for (const OptimizerRow& row : kOptimizers) {
    if (row.name == name) return &row;
  }
  if (const Unsupported* listed = find_unsupported(kUnsupportedOptimizers, name)) {
    return unimplemented("optimizer '", name, "' is not implemented; ", listed->instead);
  }
  return json.error("optimizer", "no optimizer '", name, "'", did_you_mean(name, optimizer_names()));
}

Status read_keys(const Json& json, const OptimizerRow& row, Optimizer* out) {
  std::vector<std::string> known = {"name"};
  add_names(row.keys, &known);
  add_names<Optimizer>(kCommon, &known);
  const std::string where = str_cat("optimizer '", row.name, "'");
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, where, known, kUnsupportedOptimizerKeys));
  PERCALE_RETURN_IF_ERROR(read_members(json, where, row.keys, out));
  PERCALE_RETURN_IF_ERROR(read_members<Optimizer>(json, where, kCommon, out));
  bool averages = false;
  double decay = 0.99;
  PERCALE_RETURN_IF_ERROR(read_flag(json, "use_ema", &averages));
  PERCALE_RETURN_IF_ERROR(read_number(json, "ema_momentum", 0, kBelowOne, &decay));
  if (averages) out->ema = decay;
  return {};
}

}  // namespace

std::string Optimizer::name() const { return std::string(row_of(kind).name); }

std::vector<std::string> optimizer_names() {
  std::vector<std::string> out;
  for (const OptimizerRow& row : kOptimizers) out.emplace_back(row.name);
  return out;
}

std::vector<NamedFacts> optimizer_facts() {
  std::vector<NamedFacts> out;
  for (const OptimizerRow& row : kOptimizers) {
    NamedFacts& facts = out.emplace_back(NamedFacts{std::string(row.name), std::string(row.doc), {}});
    facts.keys = key_facts(row.keys, row.start());
    for (KeyFacts& key : key_facts<Optimizer>(kCommon, row.start())) facts.keys.push_back(std::move(key));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> optimizer_values(const Optimizer& optimizer) {
  auto out = key_values(row_of(optimizer.kind).keys, optimizer);
  for (auto& value : key_values<Optimizer>(kCommon, optimizer)) out.push_back(std::move(value));
  return out;
}

Result<Optimizer> parse_optimizer(const Json& json) {
  std::string name;
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(name, json.as_string("optimizer"));
  } else {
    PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, "optimizer"));
    PERCALE_RETURN_IF_ERROR(read_text(json, "name", &name));
    if (name.empty()) return json.error("optimizer", "'name' is missing");
  }
  PERCALE_ASSIGN_OR_RETURN(const OptimizerRow* row, find_optimizer(json, name));
  Optimizer out = row->start();
  if (json.is_object()) PERCALE_RETURN_IF_ERROR(read_keys(json, *row, &out));
  if (out.sparse.value_or(false) && !out.has_sparse_form()) {
    return json.error("optimizer", "'", name,
                      "' cannot update single rows: 'sparse' requires sgd, adagrad, adam or ftrl");
  }
  if (out.nesterov && out.momentum == 0) return json.error("optimizer", "'nesterov' requires a momentum above 0");
  return out;
}

Result<Optimizer> parse_optimizer(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, json_or_name(text));
  return parse_optimizer(json);
}

}  // namespace percale
