// Optimizers: their options, and the nodes that apply them.
#ifndef PERCALE_CORE_TRAIN_OPTIMIZER_H_
#define PERCALE_CORE_TRAIN_OPTIMIZER_H_

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/graph/builder.h"

namespace percale {

// A plain value. Keras' words and defaults; the formulas are PyTorch's (epsilon outside the root, the learning rate outside
// momentum).
struct Optimizer {
  enum class Kind { kSgd, kAdam, kAdamW, kRmsProp, kAdagrad };
  Kind kind = Kind::kSgd;
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  double weight_decay = 0;  // adamw: decoupled; the others: added to the gradient
  double rho = 0.9;
  double initial_accumulator_value = 0.1;
  double clip_norm = 0;   // of all gradients together; 0: none
  double clip_value = 0;  // of each element; 0: none

  std::string name() const;  // "adam"
  // What is kept per parameter, in the order of the apply op: "m" becomes the variable `parameter`/adam/m.
  std::vector<std::string> slots() const;
  double slot_value(std::string_view slot) const;
};

// From a name or {"name": "adam", "learning_rate": 0.001, ...}.
Result<Optimizer> parse_optimizer(const Json& json);
// The same from text: a bare name, or JSON.
Result<Optimizer> parse_optimizer(std::string_view text);

// Declares the slot variables of a parameter.
Status add_slots(Builder& builder, const Optimizer& optimizer, const Variable& parameter);

// Emits one update of each parameter from its mean gradient, clipping first, and the nodes that assign parameters and slots.
// `learning_rate`: a scalar of the parameters' dtype; `step`: a scalar i64, from 1 on. Returns the assigning nodes.
std::vector<NodeId> apply_optimizer(Emitter& e, const Optimizer& optimizer, const std::vector<Variable>& parameters,
                                    std::vector<ValueId> gradients, ValueId learning_rate, ValueId step);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_OPTIMIZER_H_
