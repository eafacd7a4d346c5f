// Optimizers: their options, and the nodes that apply them.
#ifndef PERCALE_CORE_TRAIN_METHOD_OPTIMIZER_H_
#define PERCALE_CORE_TRAIN_METHOD_OPTIMIZER_H_

#include <optional>
#include <string>
#include <vector>

#include "core/graph/builder.h"
#include "core/text/json.h"
#include "core/train/method/key_table.h"

namespace percale {

// What is different for the parameters whose name matches (core/train/method/name_pattern.h). The first group that matches counts.
struct ParameterGroup {
  std::string pattern;
  double learning_rate_factor = 1;
  std::optional<double> weight_decay;
};

// A plain value. Keras' words and defaults; the formulas are PyTorch's (epsilon outside the root, the learning rate outside
// momentum).
struct Optimizer {
  enum class Kind { kSgd, kAdam, kAdamW, kRmsProp, kAdagrad, kFtrl, kLion, kLamb };
  Kind kind = Kind::kSgd;
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  double weight_decay = 0;  // adamw, lion, lamb: decoupled; the others: added to the gradient
  double rho = 0.9;
  double initial_accumulator_value = 0.1;
  double learning_rate_power = -0.5, l1 = 0, l2 = 0, l2_shrinkage = 0, beta = 0;  // ftrl
  // Each 0: none. One after the other: elements, the norm of each gradient, the norm of all together.
  double clip_value = 0, clip_each_norm = 0, clip_norm = 0;
  // Averages of the parameters, in the variables `parameter`/ema: after the first step the parameter, then
  // ema * average + (1 - ema) * parameter. 0: none.
  double ema = 0;
  std::vector<ParameterGroup> groups;
  // Whether the gradient of a table that rows are only looked up in stays rows (core/autodiff/row_sparse.h), so that a step reads
  // and writes the rows that it looked up alone. SGD and Adagrad then do what they do with all rows. With momentum, Adam and FTRL
  // the slots of other rows wait, as in TensorFlow's sparse optimizers and PyTorch's SparseAdam. Not said: where it changes
  // nothing, from kRowsOfLargeTable rows on.
  std::optional<bool> sparse;

  std::string name() const;  // "adam"
  // What is kept per parameter, in the order of the apply op: "m" becomes the variable `parameter`/adam/m.
  std::vector<std::string> slots() const;
  double slot_value(std::string_view slot) const;
  bool has_sparse_form() const;
  // Whether this parameter's gradient may stay rows.
  bool takes_rows(const Variable& parameter) const;
  // INVALID_ARGUMENT where what is done to the parameter moves all of its rows.
  Status check_rows(const Variable& parameter) const;
};

inline constexpr int64_t kRowsOfLargeTable = 16384;

// From a name or {"name": "adam", "learning_rate": 0.001, ...}.
Result<Optimizer> parse_optimizer(const Json& json);
std::vector<std::string> optimizer_names();
// Every optimizer with its keys.
std::vector<NamedFacts> optimizer_facts();
// The keys that the optimizer's kind takes, with their values as JSON.
std::vector<std::pair<std::string, std::string>> optimizer_values(const Optimizer& optimizer);
// The same from text: a bare name, or JSON.
Result<Optimizer> parse_optimizer(std::string_view text);

// The slot that holds the average of a parameter.
std::string average_name(std::string_view parameter);

// What is kept of a parameter, without first values: its slots, then its average where there is one.
std::vector<Variable> slot_variables(const Optimizer& optimizer, const Variable& parameter);
// Declares them.
Status add_slots(Builder& builder, const Optimizer& optimizer, const Variable& parameter);

// What an update is made from.
struct StepInputs {
  std::vector<ValueId> gradients;  // per parameter
  std::vector<ValueId> rows;  // per parameter: of which rows the gradient is, as SumRows gives it; kNoValue: of all
  ValueId scale = kNoValue;   // a scalar that makes them mean gradients; kNoValue: they are
  ValueId learning_rate = kNoValue;  // a scalar f64
  ValueId step = kNoValue;           // a scalar i64, from 1 on
  // Where parameters are rows of larger ones; each per parameter, or empty. The gradient of the whole, which norms are of; the
  // whole's name, which groups go by; the device hint of the nodes.
  std::vector<ValueId> wholes = {};
  std::vector<std::string> names = {}, devices = {};
};

// Emits one update of each parameter, clipping first, and the nodes that assign parameters and slots; returns these.
std::vector<NodeId> apply_optimizer(Emitter& e, const Optimizer& optimizer, const std::vector<Variable>& parameters,
                                    StepInputs inputs);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_OPTIMIZER_H_
