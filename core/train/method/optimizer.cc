#include "core/train/method/optimizer.h"

#include <map>

#include "core/train/layers/state_ops.h"
#include "core/train/method/name_pattern.h"

namespace percale {
namespace {

std::string slot_name(const Optimizer& optimizer, const Variable& parameter, std::string_view slot) {
  return str_cat(parameter.name, "/", optimizer.name(), "/", slot);
}

Tensor filled(DType dtype, const Shape& shape, double value) {
  const auto fill = [&]<class T>(T v) {
    const std::vector<T> values(static_cast<size_t>(shape.num_elements()), v);
    return Tensor::of(shape, std::span<const T>(values));
  };
  return dtype == DType::kF64 ? fill(value) : fill(static_cast<float>(value));
}

Variable slot_variable(const Variable& parameter, std::string name) {
  Variable out = parameter;
  out.name = std::move(name);
  out.trainable = false;
  out.slot = true;
  out.initial = Tensor();
  return out;
}

// Returns the sum of squares of the elements.
ValueId square_of(Emitter& e, ValueId gradient) {
  return e.emit("ReduceSum", {e.emit("Mul", {gradient, gradient})}, {{"keepdims", 0}});
}

// Returns the square root of the sum of these.
ValueId norm_of(Emitter& e, const std::vector<ValueId>& squares) {
  ValueId sum = squares[0];
  for (size_t i = 1; i < squares.size(); ++i) sum = e.emit("Add", {sum, squares[i]});
  return e.emit("Sqrt", {sum});
}

// Replaces each gradient and each whole gradient by `change` of it. A value that occurs twice is
// changed once.
template <class Change>
void change_gradients(StepInputs& in, Change&& change) {
  std::map<ValueId, ValueId> changed;
  for (auto* list : {&in.gradients, &in.wholes}) {
    for (ValueId& g : *list) {
      const auto [at, added] = changed.emplace(g, kNoValue);
      if (added) at->second = change(g);
      g = at->second;
    }
  }
}

// Multiplies the gradients by the scale, so that no scale remains.
void apply_scale(Emitter& e, StepInputs& in) {
  if (in.scale == kNoValue) return;
  change_gradients(in, [&](ValueId g) { return e.emit("Mul", {g, in.scale}); });
  in.scale = kNoValue;
}

// Returns a factor that reduces a norm to at most `most`.
ValueId factor_of(Emitter& e, ValueId norm, double most) {
  const ValueId limit = e.scalar(e.dtype(norm), most);
  return e.emit("Div", {limit, e.emit("Max", {norm, limit})});
}

// The limits of elements, and of each gradient's norm.
void clip_each(Emitter& e, const Optimizer& optimizer, StepInputs& in) {
  if (in.gradients.empty()) return;
  const DType dtype = e.dtype(in.gradients[0]);
  if (optimizer.clip_value > 0) {
    apply_scale(e, in);
    change_gradients(in, [&](ValueId g) {
      return e.emit("Clip", {g, e.scalar(dtype, -optimizer.clip_value), e.scalar(dtype, optimizer.clip_value)});
    });
  }
  if (optimizer.clip_each_norm > 0) {
    apply_scale(e, in);
    const std::vector<ValueId>& wholes = in.wholes.empty() ? in.gradients : in.wholes;
    std::map<ValueId, ValueId> whole_of, factors;
    for (size_t i = 0; i < wholes.size(); ++i) whole_of[in.gradients[i]] = whole_of[wholes[i]] = wholes[i];
    change_gradients(in, [&](ValueId g) {
      const auto [at, added] = factors.emplace(whole_of[g], kNoValue);
      if (added) at->second = factor_of(e, norm_of(e, {square_of(e, whole_of[g])}), optimizer.clip_each_norm);
      return e.emit("Mul", {g, at->second});
    });
  }
}

// The squares of the whole gradients, in the order of the parameters.
std::vector<ValueId> squares_of(Emitter& e, const StepInputs& in) {
  std::vector<ValueId> out;
  ValueId last = kNoValue;  // parts of a parameter follow each other
  for (ValueId g : in.wholes.empty() ? in.gradients : in.wholes) {
    if (g != last) out.push_back(square_of(e, g));
    last = g;
  }
  return out;
}

// The limit of all gradients' norm. One factor for all goes into the scale, so that no gradient is
// written again.
void clip_together(Emitter& e, const Optimizer& optimizer, StepInputs& in) {
  if (optimizer.clip_norm == 0 || in.gradients.empty()) return;
  ValueId norm = norm_of(e, in.squares.empty() ? squares_of(e, in) : in.squares);
  if (in.scale != kNoValue) norm = e.emit("Mul", {norm, in.scale});
  const ValueId all = factor_of(e, norm, optimizer.clip_norm);
  in.scale = in.scale == kNoValue ? all : e.emit("Mul", {in.scale, all});
}

}  // namespace

std::vector<ValueId> gradient_squares(Emitter& e, const Optimizer& optimizer, StepInputs in) {
  clip_each(e, optimizer, in);
  return squares_of(e, in);
}

std::vector<std::string> Optimizer::slots() const {
  switch (kind) {
    case Kind::kSgd: return momentum > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
    case Kind::kAdam:
    case Kind::kAdamW:
    case Kind::kLamb: return {"m", "v"};
    case Kind::kFtrl: return {"accumulator", "linear"};
    case Kind::kLion: return {"m"};
    case Kind::kRmsProp:
      return momentum > 0 ? std::vector<std::string>{"square", "momentum"} : std::vector<std::string>{"square"};
    case Kind::kAdagrad: return {"square"};
  }
  return {};
}

double Optimizer::slot_value(std::string_view slot) const {
  const bool accumulates =
      (kind == Kind::kAdagrad && slot == "square") || (kind == Kind::kFtrl && slot == "accumulator");
  return accumulates ? initial_accumulator_value : 0;
}

std::string average_name(std::string_view parameter) { return str_cat(parameter, "/ema"); }

std::vector<Variable> slot_variables(const Optimizer& optimizer, const Variable& parameter) {
  std::vector<Variable> out;
  for (const std::string& slot : optimizer.slots()) {
    out.push_back(slot_variable(parameter, slot_name(optimizer, parameter, slot)));
  }
  if (optimizer.ema > 0) out.push_back(slot_variable(parameter, average_name(parameter.name)));
  return out;
}

Status add_slots(Builder& builder, const Optimizer& optimizer, const Variable& parameter) {
  const std::vector<std::string> slots = optimizer.slots();
  std::vector<Variable> variables = slot_variables(optimizer, parameter);
  for (size_t i = 0; i < variables.size(); ++i) {
    Variable& v = variables[i];
    v.initial = filled(v.dtype, v.shape, i < slots.size() ? optimizer.slot_value(slots[i]) : 0);
    PERCALE_RETURN_IF_ERROR(builder.add_variable(std::move(v)));
  }
  return {};
}

namespace {

// The op that applies an optimizer, and its attributes that do not depend on the group.
struct Step {
  std::string_view op;
  Attributes attributes;
  bool counts = false;  // takes the step number
  bool decays = true;   // has the attribute weight_decay
};

Step step_of(const Optimizer& o) {
  const Attributes betas{{"beta1", o.beta_1}, {"beta2", o.beta_2}, {"epsilon", o.epsilon}};
  switch (o.kind) {
    case Optimizer::Kind::kSgd:
      if (o.momentum == 0) return {"percale:ApplySGD", {}};
      return {"percale:ApplyMomentum", {{"momentum", o.momentum}, {"nesterov", o.nesterov}}};
    case Optimizer::Kind::kAdam: return {"percale:ApplyAdam", betas, true};
    case Optimizer::Kind::kAdamW: return {"percale:ApplyAdamW", betas, true};
    case Optimizer::Kind::kLamb: return {"percale:ApplyLAMB", betas, true};
    case Optimizer::Kind::kRmsProp:
      return {"percale:ApplyRMSProp", {{"alpha", o.rho}, {"momentum", o.momentum}, {"epsilon", o.epsilon}}};
    case Optimizer::Kind::kAdagrad: return {"percale:ApplyAdagrad", {{"epsilon", o.epsilon}}};
    case Optimizer::Kind::kLion: return {"percale:ApplyLion", {{"beta1", o.beta_1}, {"beta2", o.beta_2}}};
    case Optimizer::Kind::kFtrl:
      return {"percale:ApplyFtrl",
              {{"learning_rate_power", o.learning_rate_power},
               {"l1", o.l1},
               {"l2", o.l2},
               {"l2_shrinkage", o.l2_shrinkage},
               {"beta", o.beta}},
              false,
              false};
  }
  return {};
}

// Assigns decay * average + (1 - decay) * parameter. The decay is 0 in the first step.
NodeId update_average(Emitter& e, const Variable& average, ValueId parameter, ValueId decay) {
  const ValueId rest = e.emit("Sub", {e.scalar(average.dtype, 1), decay});
  return assign_variable(
      e, average, e.emit("Add", {e.emit("Mul", {decay, read_variable(e, average)}), e.emit("Mul", {rest, parameter})}));
}

ParameterGroup group_of(const Optimizer& o, const std::string& parameter) {
  for (const ParameterGroup& group : o.groups) {
    if (matches_pattern(group.pattern, parameter)) return group;
  }
  return {};
}

// Returns the sparse variant of a step's op, which updates single rows.
std::string sparse_op(std::string_view op) {
  constexpr std::string_view kDomain = "percale:";
  return str_cat(kDomain, "Sparse", op.substr(kDomain.size()));
}

}  // namespace

bool Optimizer::has_sparse_form() const {
  return kind == Kind::kSgd || kind == Kind::kAdagrad || kind == Kind::kAdam || kind == Kind::kFtrl;
}

bool Optimizer::takes_rows(const Variable& parameter) const {
  if (sparse.has_value()) return *sparse && has_sparse_form();
  // True if a gradient of zeros changes nothing: without momentum, and for Adagrad unless it would
  // divide zero by zero.
  const bool same = (kind == Kind::kSgd && momentum == 0) ||
                    (kind == Kind::kAdagrad && (epsilon > 0 || initial_accumulator_value > 0));
  return same && check_rows(parameter).ok() && parameter.shape.rank() > 0 && parameter.shape[0] >= kRowsOfLargeTable;
}

Status Optimizer::check_rows(const Variable& parameter) const {
  const bool decays = group_of(*this, parameter.name).weight_decay.value_or(weight_decay) > 0;
  if (!decays && ema == 0) return {};
  return invalid_argument("optimizer '", name(), "': 'sparse' updates only the rows of '", parameter.name,
                          "' that a step looks up, but ", decays ? "weight_decay" : "ema", " changes all rows",
                          decays ? "; put it into a group with a weight_decay of 0" : "");
}

std::vector<NodeId> apply_optimizer(Emitter& e, const Optimizer& o, const std::vector<Variable>& parameters,
                                    StepInputs in) {
  clip_each(e, o, in);
  clip_together(e, o, in);
  std::vector<NodeId> out;
  const std::vector<std::string> slots = o.slots();
  const Step how = step_of(o);
  ValueId decay = kNoValue;
  if (o.ema > 0 && !parameters.empty()) {
    const DType t = parameters[0].dtype;
    const ValueId later = e.emit("Greater", {in.step, e.constant(Tensor::scalar(int64_t{1}))});
    decay = e.emit("Mul", {e.emit("Cast", {later}, {{"to", t}}), e.scalar(t, o.ema)});
  }
  const std::string device = e.builder().device();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterGroup group = group_of(o, in.names.empty() ? parameters[i].name : in.names[i]);
    if (!in.devices.empty()) e.builder().set_device(in.devices[i]);
    const double weight_decay = group.weight_decay.value_or(o.weight_decay);
    const ValueId value = read_variable(e, parameters[i]);
    ValueId gradient = in.gradients[i], scale = in.scale;
    Attributes attributes = how.attributes;
    const ValueId rows = i < in.rows.size() ? in.rows[i] : kNoValue;
    if (rows != kNoValue) {  // no weight decay: see check_rows()
    } else if (how.decays) {
      attributes.set("weight_decay", weight_decay);
    } else if (weight_decay > 0) {
      if (scale != kNoValue) gradient = e.emit("Mul", {gradient, scale});
      scale = kNoValue;
      gradient = e.emit("Add", {gradient, e.emit("Mul", {value, e.scalar(parameters[i].dtype, weight_decay)})});
    }
    std::vector<ValueId> operands = {value};
    if (rows != kNoValue) operands.push_back(rows);
    operands.push_back(gradient);
    std::vector<Variable> written = {parameters[i]};
    for (const std::string& slot : slots) {
      written.push_back(slot_variable(parameters[i], slot_name(o, parameters[i], slot)));
      operands.push_back(read_variable(e, written.back()));
    }
    if (o.kind == Optimizer::Kind::kRmsProp && slots.size() == 1) operands.push_back(kNoValue);
    operands.push_back(group.learning_rate_factor == 1
                           ? in.learning_rate
                           : e.emit("Mul", {in.learning_rate, e.constant(Tensor::scalar(group.learning_rate_factor))}));
    if (how.counts) operands.push_back(in.step);
    if (scale != kNoValue) operands.push_back(scale);
    const std::string op = rows != kNoValue ? sparse_op(how.op) : std::string(how.op);
    const auto results = e.emit_many(op, operands, written.size(), attributes, str_cat("apply/", parameters[i].name));
    if (!e.status().ok()) return {};
    for (size_t k = 0; k < written.size(); ++k) out.push_back(assign_variable(e, written[k], results[k]));
    if (o.ema > 0) {
      out.push_back(
          update_average(e, slot_variable(parameters[i], average_name(parameters[i].name)), results[0], decay));
    }
  }
  e.builder().set_device(device);
  return out;
}

}  // namespace percale
