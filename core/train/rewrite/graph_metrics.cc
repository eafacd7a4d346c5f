#include "core/train/rewrite/graph_metrics.h"

#include <algorithm>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/metric_ops.h"

namespace percale {
namespace {

// A metric with the values it applies to.
struct GraphMetric {
  MetricOptions metric;
  LossOptions loss;  // name "": chosen by the labels
  std::string predictions, labels;
};

Result<GraphMetric> parse_graph_metric(const Json& json) {
  static constexpr std::string_view kKeys[] = {"predictions", "labels", "loss", "from_logits"};
  GraphMetric out;
  PERCALE_ASSIGN_OR_RETURN(out.metric, parse_metric(json, kKeys));
  if (!json.is_object()) return out;
  PERCALE_RETURN_IF_ERROR(read_text(json, "predictions", &out.predictions));
  PERCALE_RETURN_IF_ERROR(read_text(json, "labels", &out.labels));
  PERCALE_RETURN_IF_ERROR(read_text(json, "loss", &out.loss.name));
  out.loss.name = std::string(whole_loss_name(out.loss.name));
  if (!out.loss.name.empty()) PERCALE_RETURN_IF_ERROR(check_loss_name(out.loss.name));
  PERCALE_RETURN_IF_ERROR(read_flag(json, "from_logits", &out.loss.from_logits));
  return out;
}

std::string quoted(const Function& f, const std::vector<ValueId>& values) {
  std::string out;
  for (ValueId id : values) out += str_cat(out.empty() ? "" : ", ", "'", f.value(id).name, "'");
  return out.empty() ? "none" : out;
}

Result<ValueId> named(const Function& f, std::string_view name, const std::vector<ValueId>& known) {
  std::vector<std::string> names;
  for (ValueId id : known) {
    if (f.value(id).name == name) return id;
    names.push_back(f.value(id).name);
  }
  return not_found("the graph has no value '", name, "'", did_you_mean(name, names));
}

// Returns the inputs of the function that a value does not need.
std::vector<ValueId> inputs_apart_from(const Function& f, ValueId of) {
  std::vector<bool> needed(f.values.size(), false);
  std::vector<ValueId> open = {of};
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    if (id == kNoValue || needed[static_cast<size_t>(id)]) continue;
    needed[static_cast<size_t>(id)] = true;
    const Value& value = f.value(id);
    if (value.kind != ValueKind::kNode) continue;
    const auto& inputs = f.node(value.def).inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  std::vector<ValueId> out;
  for (ValueId id : f.inputs) {
    if (!needed[static_cast<size_t>(id)]) out.push_back(id);
  }
  return out;
}

Status add_graph_metric(FunctionBuilder& f, const Objective& before, GraphMetric asked, Objective& objective) {
  const Function& main = f.function();
  std::vector<ValueId> all(main.values.size()), outputs;
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<ValueId>(i);
  for (const std::string& name : before.predictions) outputs.push_back(main.find_value(name));
  if (asked.predictions.empty() && outputs.empty()) {
    return invalid_argument("the graph has no outputs besides the loss that a metric could use");
  }
  if (asked.predictions.empty() && outputs.size() != 1) {
    return invalid_argument(
        "'predictions' must name the output that the metric uses: besides the loss the graph has the outputs ",
        quoted(main, outputs));
  }
  ValueId predictions = kNoValue, labels = kNoValue;
  if (asked.predictions.empty()) {
    predictions = outputs[0];
  } else {
    PERCALE_ASSIGN_OR_RETURN(predictions, named(main, asked.predictions, all));
  }
  const std::vector<ValueId> apart = inputs_apart_from(main, predictions);
  if (asked.labels.empty() && apart.size() != 1) {
    return invalid_argument("'labels' must name the input that is compared with '", main.value(predictions).name,
                            "': the inputs that it does not need are ", quoted(main, apart));
  }
  if (asked.labels.empty()) {
    labels = apart[0];
  } else {
    PERCALE_ASSIGN_OR_RETURN(labels, named(main, asked.labels, main.inputs));
  }
  if (asked.loss.name.empty()) {
    const Shape& shape = main.type(predictions).shape;
    const bool several = shape.known_rank() && shape.rank() > 1 && shape[shape.rank() - 1] != 1;
    asked.loss.name = is_integer(main.type(labels).dtype) ? "sparse_categorical_crossentropy"
                      : several                           ? "categorical_crossentropy"
                                                          : "binary_crossentropy";
  }
  PERCALE_ASSIGN_OR_RETURN(const MetricTotals totals, add_metric(f, asked.metric, asked.loss, predictions, labels));
  auto& own = objective.metrics.emplace_back(Objective::Metric{asked.metric.label(), totals.rule, {}});
  for (ValueId id : totals.values) own.totals.push_back(f.function().value(id).name);
  return {};
}

}  // namespace

Result<Model> add_graph_metrics(const Model& model, std::string_view text) {
  const bool list = text.substr(std::min(text.find_first_not_of(" \t\n"), text.size())).starts_with('[');
  PERCALE_ASSIGN_OR_RETURN(const Json json, list ? Json::parse(text) : json_or_name(text));
  Model out{nullptr, model.objective};
  Builder b(*model.graph);
  FunctionBuilder& f = b.main();
  for (size_t i = 0; i < (json.is_array() ? json.size() : 1); ++i) {
    const Json& entry = json.is_array() ? json.item(i) : json;
    PERCALE_ASSIGN_OR_RETURN(GraphMetric asked, parse_graph_metric(entry));
    const std::string label = asked.metric.label();
    for (const Objective::Metric& earlier : out.objective.metrics) {
      if (earlier.name == label) return entry.error("metrics", "two metrics have the name '", label, "'");
    }
    f.set_name_prefix(label + "/");
    const Status status = add_graph_metric(f, model.objective, std::move(asked), out.objective);
    f.set_name_prefix("");
    if (!status.ok()) return status.with_context(str_cat("metric '", label, "'"));
  }
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  return out;
}

}  // namespace percale
