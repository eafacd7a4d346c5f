// The graph of a SPEC's model, with its losses and metrics.
#include <algorithm>

#include "core/base/similar_name.h"
#include "core/train/layers/layers.h"
#include "core/train/rewrite/graph_losses.h"
#include "core/train/spec.h"

namespace percale {
namespace {

// Adds the layers of a SPEC one after the other.
class LayerStack {
 public:
  LayerStack(FunctionBuilder& f, DType floats) : f_(f), floats_(floats) {}

  // The values that layers can name as inputs. The first layer follows the only one.
  void give(const std::string& name, ValueId value) {
    named_.emplace_back(name, value);
    last_ = named_.size() == 1 ? value : kNoValue;
  }

  Status add(const LayerSpec& layer) {
    std::vector<ValueId> inputs;
    for (const std::string& name : layer.inputs) {
      PERCALE_ASSIGN_OR_RETURN(inputs.emplace_back(), find(name, str_cat(layer.where, ": 'inputs'")));
    }
    if (inputs.empty() && last_ == kNoValue) {
      return invalid_argument(layer.where, ": 'inputs': there are several values, which of them does ", layer.layer,
                              " take?");
    }
    if (inputs.empty()) inputs.push_back(last_);
    const auto value = add_layer(f_, layer.layer, layer.name, inputs, layer.attributes, floats_);
    if (!value.ok()) return value.status().with_context(layer.where);
    last_ = *value;
    named_.emplace_back(f_.function().value(last_).name, last_);
    return {};
  }

  // The value that a target names; the last layer's for "".
  Result<ValueId> target(const std::string& name) const {
    if (!name.empty()) return find(name, "loss");
    if (last_ != kNoValue) return last_;
    return invalid_argument(
        "there are several values: which of them is compared with the labels? Name it in 'loss': "
        "{\"NAME\": \"mse\"}");
  }

 private:
  Result<ValueId> find(const std::string& name, std::string_view where) const {
    const auto found = std::find_if(named_.rbegin(), named_.rend(), [&](const auto& n) { return n.first == name; });
    if (found != named_.rend()) return found->second;
    // Further outputs of a layer, such as the states of a recurrent one.
    const size_t slash = name.rfind('/');
    const bool of_layer = slash != std::string::npos && std::any_of(named_.begin(), named_.end(), [&](const auto& n) {
                            return n.first == name.substr(0, slash);
                          });
    if (const ValueId value = f_.function().find_value(name); of_layer && value != kNoValue) return value;
    std::vector<std::string> known;
    for (const auto& [own, value] : named_) known.push_back(own);
    return invalid_argument(where, ": there is no layer '", name, "' before it", did_you_mean(name, known));
  }

  FunctionBuilder& f_;
  const DType floats_;  // of parameters
  std::vector<std::pair<std::string, ValueId>> named_;
  ValueId last_ = kNoValue;
};

// The inputs of the loss besides the predictions.
ValueType label_type(const TargetSpec& target, ValueType predictions) {
  if (!wants_class_numbers(target.loss)) return predictions;
  ValueType out{DType::kI64, predictions.shape};
  if (const Shape whole = predictions.shape; whole.known_rank() && whole.rank() > 1) {
    out.shape = Shape();
    for (size_t i = 0; i + 1 < whole.rank(); ++i) out.shape.push_back(whole[i]);
  }
  return out;
}

// The parts of a model's objective, target by target.
class ObjectiveBuilder {
 public:
  ObjectiveBuilder(FunctionBuilder& f, bool several) : f_(f), several_(several) {}

  Status add(const TargetSpec& target, ValueId predictions, ValueId labels, ValueId weight) {
    const std::string own = several_ ? target.name + "/" : "";
    f_.set_name_prefix("loss/" + own);
    PERCALE_ASSIGN_OR_RETURN(const WeightedSum loss, add_loss(f_, target.loss, predictions, labels, weight));
    sums_.push_back(loss);
    weights_.push_back(target.weight);
    outputs_.push_back(predictions);
    objective_.predictions.push_back(name(predictions));
    if (several_) add_metric_totals(target.name + "_loss", {{loss.sum, loss.weight}, MetricRule::kMean});
    for (const MetricOptions& metric : target.metrics) {
      const std::string label = several_ ? str_cat(target.name, "_", metric.label()) : metric.label();
      f_.set_name_prefix(label + "/");
      PERCALE_ASSIGN_OR_RETURN(const MetricTotals totals, add_metric(f_, metric, target.loss, predictions, labels));
      add_metric_totals(label, totals);
    }
    f_.set_name_prefix("");
    return {};
  }

  // Sets the function's outputs.
  Result<Objective> finish() {
    WeightedSum loss = sums_[0];
    if (several_ || weights_[0] != 1) {
      PERCALE_ASSIGN_OR_RETURN(loss, combined_loss(f_, sums_, weights_));
    }
    objective_.loss_sum = name(loss.sum);
    objective_.loss_weight = name(loss.weight);
    outputs_.insert(outputs_.end(), {loss.sum, loss.weight});
    outputs_.insert(outputs_.end(), totals_.begin(), totals_.end());
    PERCALE_RETURN_IF_ERROR(f_.set_outputs(outputs_));
    return std::move(objective_);
  }

 private:
  std::string name(ValueId id) const { return f_.function().value(id).name; }

  void add_metric_totals(const std::string& label, const MetricTotals& totals) {
    auto& own = objective_.metrics.emplace_back(Objective::Metric{label, totals.rule, {}});
    for (ValueId id : totals.values) {
      totals_.push_back(id);
      own.totals.push_back(name(id));
    }
  }

  FunctionBuilder& f_;
  const bool several_;
  Objective objective_;
  std::vector<WeightedSum> sums_;
  std::vector<double> weights_;
  std::vector<ValueId> outputs_, totals_;
};

}  // namespace

std::string label_name(std::string_view target) { return target.empty() ? "y" : str_cat("y/", target); }

DType input_dtype(const Spec& spec, std::string_view input) {
  bool read = false;
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    if (layer.inputs.empty() ? i != 0 : std::ranges::count(layer.inputs, input) == 0) continue;
    const Layer* known = find_layer(layer.layer);
    if (known == nullptr || !known->takes_ids) return spec.dtype;
    read = true;
  }
  return read ? DType::kI64 : spec.dtype;
}

Result<Model> build_model(const Spec& spec, std::shared_ptr<const Registry> registry, const ModelInputs& inputs,
                          const Graph* body) {
  std::optional<Builder> from;
  if (body != nullptr) {
    from.emplace(*body);
  } else {
    from.emplace(std::move(registry));
  }
  Builder& b = *from;
  FunctionBuilder& f = b.main();
  LayerStack layers(f, spec.dtype);
  if (body == nullptr) {
    for (const auto& [name, shape] : inputs.x) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId input, f.add_input(name, input_dtype(spec, name), shape));
      layers.give(name, input);
    }
  } else {
    const std::vector<ValueId> outputs = f.function().outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      layers.give(i < spec.outputs.size() ? spec.outputs[i] : f.function().value(outputs[i]).name, outputs[i]);
    }
  }
  std::vector<ValueId> labels;
  for (const TargetSpec& target : spec.targets) {
    const auto known = inputs.y.find(label_name(target.name));
    labels.push_back(kNoValue);
    if (known == inputs.y.end()) continue;
    PERCALE_ASSIGN_OR_RETURN(labels.back(), f.add_input(known->first, known->second.dtype, known->second.shape));
  }
  ValueId weight = kNoValue;
  if (inputs.sample_weight) {
    PERCALE_ASSIGN_OR_RETURN(weight,
                             f.add_input("sample_weight", inputs.sample_weight->dtype, inputs.sample_weight->shape));
  }
  for (const LayerSpec& layer : spec.layers) PERCALE_RETURN_IF_ERROR(layers.add(layer));

  ObjectiveBuilder objective(f, spec.targets.size() > 1);
  for (size_t i = 0; i < spec.targets.size(); ++i) {
    const TargetSpec& target = spec.targets[i];
    PERCALE_ASSIGN_OR_RETURN(const ValueId predictions, layers.target(target.name));
    if (labels[i] == kNoValue) {
      const ValueType type = label_type(target, f.function().type(predictions));
      PERCALE_ASSIGN_OR_RETURN(labels[i], f.add_input(label_name(target.name), type.dtype, type.shape));
    }
    PERCALE_RETURN_IF_ERROR(objective.add(target, predictions, labels[i], weight));
  }
  Model out;
  PERCALE_ASSIGN_OR_RETURN(out.objective, objective.finish());
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  return out;
}

Result<Model> build_model(const Spec& spec, std::shared_ptr<const Registry> registry, const Shape& x_shape,
                          const std::optional<ValueType>& y, const std::optional<ValueType>& sample_weight) {
  ModelInputs inputs{{{"x", x_shape}}, {}, sample_weight};
  if (y) inputs.y.emplace("y", *y);
  return build_model(spec, std::move(registry), inputs);
}

}  // namespace percale
