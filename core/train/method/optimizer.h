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

// Settings for the parameters whose name matches (core/train/method/name_pattern.h). The first
// group that matches applies.
struct ParameterGroup {
  std::string pattern;
  double learning_rate_factor = 1;
  std::optional<double> weight_decay;
};

// Optimizer options. Names and defaults are Keras'; formulas are PyTorch's (epsilon outside the
// root, the learning rate outside momentum). A plain value.
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
  // Limits; 0: none. Applied in this order: elements, the norm of each gradient, the norm of all
  // together.
  double clip_value = 0, clip_each_norm = 0, clip_norm = 0;
  // Moving averages of the parameters, in the variables `parameter`/ema. The first step copies the
  // parameter; later ones compute ema * average + (1 - ema) * parameter. 0: no averages.
  double ema = 0;
  std::vector<ParameterGroup> groups;
  // True: the gradient of a table that is only used for row lookups stays a list of rows
  // (core/autodiff/row_sparse.h), and a step reads and writes just these rows. For SGD and Adagrad
  // the result is the same as with all rows. With momentum, Adam and FTRL the slots of other rows
  // are not updated, as in TensorFlow's sparse optimizers and PyTorch's SparseAdam. Absent: true
  // where the result is the same and the table has kRowsOfLargeTable rows or more.
  std::optional<bool> sparse;

  std::string name() const;  // "adam"
  // Returns the names of the slots of a parameter, in the order of the apply op: "m" becomes the
  // variable `parameter`/adam/m.
  std::vector<std::string> slots() const;
  double slot_value(std::string_view slot) const;
  bool has_sparse_form() const;
  // True if this parameter's gradient may stay rows.
  bool takes_rows(const Variable& parameter) const;
  // Returns INVALID_ARGUMENT if the settings for the parameter change all of its rows in a step.
  Status check_rows(const Variable& parameter) const;
};

inline constexpr int64_t kRowsOfLargeTable = 16384;

// Parses a name or {"name": "adam", "learning_rate": 0.001, ...}.
Result<Optimizer> parse_optimizer(const Json& json);
std::vector<std::string> optimizer_names();
// Every optimizer with its keys.
std::vector<NamedFacts> optimizer_facts();
// The keys that the optimizer's kind takes, with their values as JSON.
std::vector<std::pair<std::string, std::string>> optimizer_values(const Optimizer& optimizer);
// Parses text: a bare name, or JSON.
Result<Optimizer> parse_optimizer(std::string_view text);

// Returns the name of the slot that holds the average of a parameter.
std::string average_name(std::string_view parameter);

// Returns the variables kept for a parameter, without first values: its slots, then its average if
// there is one.
std::vector<Variable> slot_variables(const Optimizer& optimizer, const Variable& parameter);
// Declares these variables.
Status add_slots(Builder& builder, const Optimizer& optimizer, const Variable& parameter);

// The inputs of an update.
struct StepInputs {
  std::vector<ValueId> gradients;  // per parameter
  // per parameter: row numbers of the gradient, as SumRows returns them; kNoValue: all rows
  std::vector<ValueId> rows;
  // A scalar that turns sums into mean gradients; kNoValue: they are means
  ValueId scale = kNoValue;
  ValueId learning_rate = kNoValue;  // a scalar f64
  ValueId step = kNoValue;           // a scalar i64, from 1
  // Used if parameters are rows of larger ones; per parameter, or empty. `wholes`: the gradients of
  // the whole parameters, which norms are computed of. `names`: the names of the whole parameters,
  // which select groups. `devices`: device hints of the nodes.
  std::vector<ValueId> wholes = {};
  std::vector<std::string> names = {}, devices = {};
  // The gradient_squares() of all parameters where this updates some of them; empty: they are
  // computed of the gradients here.
  std::vector<ValueId> squares = {};
};

// Emits what the norm of all gradients together is computed of: the sum of squares of each, after
// the limits that come before that of the norm.
std::vector<ValueId> gradient_squares(Emitter& e, const Optimizer& optimizer, StepInputs inputs);

// Emits one update of each parameter, clipping first. Returns the nodes that assign parameters and
// slots.
std::vector<NodeId> apply_optimizer(Emitter& e, const Optimizer& optimizer, const std::vector<Variable>& parameters,
                                    StepInputs inputs);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_OPTIMIZER_H_
