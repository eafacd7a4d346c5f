#include "core/train/optimizer.h"

#include <limits>

#include "core/registry/registry.h"
#include "core/train/json_keys.h"
#include "core/train/state_ops.h"

namespace percale {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

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

// The square root of the sum of all squares.
ValueId global_norm(Emitter& e, const std::vector<ValueId>& gradients) {
  ValueId sum = kNoValue;
  for (ValueId g : gradients) {
    const ValueId squares = e.emit("ReduceSum", {e.emit("Mul", {g, g})}, {{"keepdims", 0}});
    sum = sum == kNoValue ? squares : e.emit("Add", {sum, squares});
  }
  return e.emit("Sqrt", {sum});
}

void clip(Emitter& e, const Optimizer& optimizer, std::vector<ValueId>& gradients) {
  if (gradients.empty()) return;
  if (optimizer.clip_value > 0) {
    for (ValueId& g : gradients) {
      const DType t = e.dtype(g);
      g = e.emit("Clip", {g, e.scalar(t, -optimizer.clip_value), e.scalar(t, optimizer.clip_value)});
    }
  }
  if (optimizer.clip_norm > 0) {
    const DType t = e.dtype(gradients[0]);
    const ValueId limit = e.scalar(t, optimizer.clip_norm);
    const ValueId factor = e.emit("Div", {limit, e.emit("Max", {global_norm(e, gradients), limit})});
    for (ValueId& g : gradients) g = e.emit("Mul", {g, factor});
  }
}

}  // namespace

std::string Optimizer::name() const {
  switch (kind) {
    case Kind::kSgd: return "sgd";
    case Kind::kAdam: return "adam";
    case Kind::kAdamW: return "adamw";
    case Kind::kRmsProp: return "rmsprop";
    case Kind::kAdagrad: return "adagrad";
  }
  return {};
}

std::vector<std::string> Optimizer::slots() const {
  switch (kind) {
    case Kind::kSgd: return momentum > 0 ? std::vector<std::string>{"momentum"} : std::vector<std::string>{};
    case Kind::kAdam:
    case Kind::kAdamW: return {"m", "v"};
    case Kind::kRmsProp:
      return momentum > 0 ? std::vector<std::string>{"square", "momentum"} : std::vector<std::string>{"square"};
    case Kind::kAdagrad: return {"square"};
  }
  return {};
}

double Optimizer::slot_value(std::string_view slot) const {
  return kind == Kind::kAdagrad && slot == "square" ? initial_accumulator_value : 0;
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
    static constexpr std::string_view kCommon[] = {"name", "learning_rate", "global_clipnorm", "clipvalue",
                                                   "weight_decay"};
    static constexpr std::string_view kLater[] = {"amsgrad", "centered", "clipnorm", "use_ema",
                                                  "loss_scale_factor", "gradient_accumulation_steps"};
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
      const std::string nearest = nearest_name(key, candidates);
      return value.error(key, "no such key in optimizer '", name, "'",
                         nearest.empty() ? std::string() : str_cat(", did you mean '", nearest, "'?"));
    }
    PERCALE_RETURN_IF_ERROR(number("global_clipnorm", 0, kMost, &out.clip_norm));
    PERCALE_RETURN_IF_ERROR(number("clipvalue", 0, kMost, &out.clip_value));
    PERCALE_RETURN_IF_ERROR(number("weight_decay", 0, kMost, &out.weight_decay));
    return number("learning_rate", 0, kMost, &out.learning_rate);
  };
  if (name == "sgd") {
    PERCALE_RETURN_IF_ERROR(keys({"momentum", "nesterov"}));
    PERCALE_RETURN_IF_ERROR(number("momentum", 0, 1, &out.momentum));
    PERCALE_RETURN_IF_ERROR(read_flag(json, "nesterov", &out.nesterov));
  } else if (name == "adam" || name == "adamw") {
    out.kind = name == "adam" ? Optimizer::Kind::kAdam : Optimizer::Kind::kAdamW;
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
  } else if (name == "ftrl" || name == "lion" || name == "lamb" || name == "adamax" || name == "nadam" ||
             name == "adadelta" || name == "adafactor") {
    return unimplemented("optimizer '", name, "' is not there yet");
  } else {
    const std::string nearest = nearest_name(name, {"sgd", "adam", "adamw", "rmsprop", "adagrad"});
    return json.error("optimizer", "no optimizer '", name, "'",
                      nearest.empty() ? std::string() : str_cat(", did you mean '", nearest, "'?"));
  }
  if (out.nesterov && out.momentum == 0) return json.error("optimizer", "'nesterov' needs a momentum above 0");
  return out;
}

Result<Optimizer> parse_optimizer(std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, json_or_name(text));
  return parse_optimizer(json);
}

Status add_slots(Builder& builder, const Optimizer& optimizer, const Variable& parameter) {
  for (const std::string& slot : optimizer.slots()) {
    Variable v;
    v.name = slot_name(optimizer, parameter, slot);
    v.dtype = parameter.dtype;
    v.shape = parameter.shape;
    v.trainable = false;
    v.slot = true;
    v.initial = filled(v.dtype, v.shape, optimizer.slot_value(slot));
    PERCALE_RETURN_IF_ERROR(builder.add_variable(std::move(v)));
  }
  return {};
}

std::vector<NodeId> apply_optimizer(Emitter& e, const Optimizer& o, const std::vector<Variable>& parameters,
                                    std::vector<ValueId> gradients, ValueId learning_rate, ValueId step) {
  clip(e, o, gradients);
  std::vector<NodeId> out;
  const Graph& graph = e.builder().owner().graph();
  const std::vector<std::string> slots = o.slots();
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<ValueId> operands = {read_variable(e, parameters[i]), gradients[i]};
    std::vector<Variable> written = {parameters[i]};
    for (const std::string& slot : slots) {
      const Variable* v = graph.find_variable(slot_name(o, parameters[i], slot));
      if (v == nullptr) {
        e.fail(internal_error("variable '", slot_name(o, parameters[i], slot), "' is not declared"));
        return {};
      }
      written.push_back(*v);
      written.back().initial = Tensor();
      operands.push_back(read_variable(e, *v));
    }
    if (o.kind == Optimizer::Kind::kRmsProp && slots.size() == 1) operands.push_back(kNoValue);
    operands.push_back(learning_rate);
    Attributes attributes{{"weight_decay", o.weight_decay}};
    std::string_view op;
    switch (o.kind) {
      case Optimizer::Kind::kSgd:
        op = slots.empty() ? "percale:ApplySGD" : "percale:ApplyMomentum";
        if (!slots.empty()) {
          attributes.set("momentum", o.momentum);
          attributes.set("nesterov", o.nesterov);
        }
        break;
      case Optimizer::Kind::kAdam:
      case Optimizer::Kind::kAdamW:
        op = o.kind == Optimizer::Kind::kAdam ? "percale:ApplyAdam" : "percale:ApplyAdamW";
        operands.push_back(step);
        attributes.set("beta1", o.beta_1);
        attributes.set("beta2", o.beta_2);
        attributes.set("epsilon", o.epsilon);
        break;
      case Optimizer::Kind::kRmsProp:
        op = "percale:ApplyRMSProp";
        attributes.set("alpha", o.rho);
        attributes.set("momentum", o.momentum);
        attributes.set("epsilon", o.epsilon);
        break;
      case Optimizer::Kind::kAdagrad:
        op = "percale:ApplyAdagrad";
        attributes.set("epsilon", o.epsilon);
        break;
    }
    const auto results = e.emit_many(op, operands, written.size(), attributes, str_cat("apply/", parameters[i].name));
    for (size_t k = 0; k < written.size(); ++k) out.push_back(assign_variable(e, written[k], results[k]));
  }
  return out;
}

}  // namespace percale
