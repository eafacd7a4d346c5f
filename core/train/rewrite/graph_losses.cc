#include "core/train/rewrite/graph_losses.h"

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

struct GraphLoss {
  LossOptions loss;
  std::string predictions, labels, sample_weight;
  double weight = 1;
};

constexpr Key<GraphLoss> kGraphLossKeys[] = {
    {"predictions", &GraphLoss::predictions, "The value that the loss is computed from; default: the only output."},
    {"labels", &GraphLoss::labels, "The input that the predictions are compared with."},
    {"sample_weight", &GraphLoss::sample_weight, "The input that holds a weight for each row."},
    {"weight", &GraphLoss::weight, "Factor of this loss in a sum of several.", 0}};

Result<GraphLoss> parse_graph_loss(const Json& json) {
  GraphLoss out;
  std::vector<std::string> known = {"class_weight"};
  add_loss_key_names(&known);
  add_names<GraphLoss>(kGraphLossKeys, &known);
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, "loss", known));
  PERCALE_RETURN_IF_ERROR(read_loss_keys(json, &out.loss));
  PERCALE_RETURN_IF_ERROR(read_class_weight(json, &out.loss));
  PERCALE_RETURN_IF_ERROR(read_members<GraphLoss>(json, "loss", kGraphLossKeys, &out));
  if (out.labels.empty())
    return json.error("loss", "'labels' must name the input that the predictions are compared with");
  return out;
}

Result<ValueId> find_input(const Function& f, std::string_view key, const std::string& name) {
  std::vector<std::string> names;
  for (const ValueId id : f.inputs) {
    if (f.value(id).name == name) return id;
    names.push_back(f.value(id).name);
  }
  return not_found("loss: '", key, "': the graph has no input '", name, "'", did_you_mean(name, names));
}

Result<ValueId> find_predictions(const Function& f, const std::string& name) {
  if (name.empty()) {
    if (f.outputs.size() == 1) return f.outputs[0];
    return f.outputs.empty()
               ? invalid_argument("loss: the graph has no outputs; set the outputs that the loss is computed from")
               : invalid_argument("loss: 'predictions' must name the graph output that the loss is computed from");
  }
  const ValueId id = f.find_value(name);
  if (id != kNoValue) return id;
  return not_found("loss: 'predictions': the graph has no value '", name, "'");
}

// Adds one loss. Returns also the predictions' name.
Result<WeightedSum> add_graph_loss(FunctionBuilder& f, const GraphLoss& asked, std::string* predictions_name) {
  PERCALE_ASSIGN_OR_RETURN(const ValueId predictions, find_predictions(f.function(), asked.predictions));
  PERCALE_ASSIGN_OR_RETURN(const ValueId labels, find_input(f.function(), "labels", asked.labels));
  ValueId sample_weight = kNoValue;
  if (!asked.sample_weight.empty()) {
    PERCALE_ASSIGN_OR_RETURN(sample_weight, find_input(f.function(), "sample_weight", asked.sample_weight));
  }
  *predictions_name = f.function().value(predictions).name;
  f.set_name_prefix(str_cat("loss/", *predictions_name, "/"));
  auto out = add_loss(f, asked.loss, predictions, labels, sample_weight);
  f.set_name_prefix("");
  return out;
}

}  // namespace

Result<WeightedSum> combined_loss(FunctionBuilder& f, const std::vector<WeightedSum>& sums,
                                  const std::vector<double>& weights) {
  Emitter e(f);
  f.set_name_prefix("loss/");
  const DType type = e.dtype(sums[0].sum);
  ValueId total = kNoValue;
  for (size_t i = 0; i < sums.size(); ++i) {
    ValueId mean = e.emit("Div", {sums[i].sum, sums[i].weight});
    if (e.dtype(mean) != type) mean = e.emit("Cast", {mean}, {{"to", type}});
    const ValueId part = e.emit("Mul", {mean, e.scalar(type, weights[i])});
    total = total == kNoValue ? part : e.emit("Add", {total, part});
  }
  const ValueId shape = e.emit("Shape", {f.function().inputs[0]});
  const ValueId rows =
      e.emit("Cast", {e.emit("Gather", {shape, e.constant(Tensor::scalar(int64_t{0}))})}, {{"to", type}});
  const WeightedSum out{e.emit("Mul", {total, rows}), rows};
  f.set_name_prefix("");
  PERCALE_RETURN_IF_ERROR(e.status());
  return out;
}

Result<Model> model_of_losses(const Graph& graph, std::string_view text) {
  PERCALE_ASSIGN_OR_RETURN(const Json json, Json::parse(text));
  Model out;
  for (const ValueId id : graph.main().outputs) out.objective.predictions.push_back(graph.main().value(id).name);
  Builder b(graph);
  FunctionBuilder& f = b.main();
  std::vector<WeightedSum> sums;
  std::vector<double> weights;
  const size_t count = json.is_array() ? json.size() : 1;
  if (count == 0) return json.error("loss", "the list is empty");
  for (size_t i = 0; i < count; ++i) {
    PERCALE_ASSIGN_OR_RETURN(const GraphLoss asked, parse_graph_loss(json.is_array() ? json.item(i) : json));
    std::string name;
    PERCALE_ASSIGN_OR_RETURN(const WeightedSum sum, add_graph_loss(f, asked, &name));
    for (const Objective::Metric& earlier : out.objective.metrics) {
      if (earlier.name == name + "_loss") return json.error("loss", "two losses use the predictions '", name, "'");
    }
    sums.push_back(sum);
    weights.push_back(asked.weight);
    if (count == 1) continue;
    out.objective.metrics.push_back(
        {name + "_loss", MetricRule::kMean, {f.function().value(sum.sum).name, f.function().value(sum.weight).name}});
  }
  WeightedSum loss = sums[0];
  if (count > 1 || weights[0] != 1) {
    PERCALE_ASSIGN_OR_RETURN(loss, combined_loss(f, sums, weights));
  }
  out.objective.loss_sum = f.function().value(loss.sum).name;
  out.objective.loss_weight = f.function().value(loss.weight).name;
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  return out;
}

}  // namespace percale
