// The table of metrics: names and keys, as a SPEC and the options of a trainer take them.
#include <algorithm>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/metric_ops.h"

namespace percale {
namespace {

using MetricKey = Key<MetricOptions>;
constexpr MetricKey kK = {"k", &MetricOptions::k,
                          "A prediction counts as correct if the wanted class is among the k largest scores.", 1};
constexpr MetricKey kThreshold = {
    .name = "threshold",
    .value = &MetricOptions::threshold,
    .doc = "Probability above which a class counts as predicted.",
    .low = 0,
    .high = 1,
    .fallback = "0.5; for f1_score of several classes, the class with the largest score counts"};
constexpr MetricKey kAverage = {.name = "average",
                                .value = &MetricOptions::average,
                                .doc = "How to average the scores of the classes.",
                                .choices = "macro|micro|weighted"};
constexpr MetricKey kThresholds = {"num_thresholds", &MetricOptions::num_thresholds,
                                   "Number of points at which the curve is sampled for its area.", 2, 100000};

constexpr MetricKey kMetricKeys[] = {kK, kThreshold, kAverage, kThresholds};
constexpr MetricKey kTopKKeys[] = {kK};
constexpr MetricKey kCountKeys[] = {kThreshold};
constexpr MetricKey kF1Keys[] = {kThreshold, kAverage};
constexpr MetricKey kAucKeys[] = {kThresholds};

struct MetricRow {
  std::string_view name, doc;
  std::span<const MetricKey> keys = {};
};
constexpr MetricRow kMetrics[] = {
    {"accuracy", "Fraction of rows predicted correctly; the loss selects one of the three accuracies below."},
    {"acc", "Same as accuracy."},
    {"sparse_categorical_accuracy", "Fraction of rows whose largest score is at the class index."},
    {"categorical_accuracy", "Fraction of rows whose largest score is where the label is largest."},
    {"binary_accuracy", "Fraction of elements on the same side of 0.5 as the label."},
    {"top_k_categorical_accuracy", "Fraction of rows whose class is among the k largest scores; labels are one-hot.",
     kTopKKeys},
    {"sparse_top_k_categorical_accuracy",
     "Fraction of rows whose class is among the k largest scores; labels are class indices.", kTopKKeys},
    {"mse", "Same as mean_squared_error."},
    {"mae", "Same as mean_absolute_error."},
    {"root_mean_squared_error", "Square root of the mean squared difference."},
    {"perplexity", "e to the power of the mean cross-entropy."},
    {"precision", "Fraction of predicted positives that are correct; each class is a separate yes/no question.",
     kCountKeys},
    {"recall", "Fraction of actual positives that are predicted; each class is a separate yes/no question.",
     kCountKeys},
    {"f1_score", "Harmonic mean of precision and recall, per class.", kF1Keys},
    {"auc", "Area under the ROC curve, by trapezoids.", kAucKeys}};
constexpr std::string_view kByHand = "compute it from the predictions of the model";
constexpr Unsupported kUnsupportedMetrics[] = {
    {"cosine_similarity", kByHand},
    {"mean_io_u", kByHand},
    {"r2_score", "use mean_squared_error, or compute it from the predictions of the model"},
    {"mean_absolute_percentage_error", kByHand}};
constexpr Unsupported kUnsupportedMetricKeys[] = {
    {"class_id", "compute the metric of one class from the predictions of the model"},
    {"top_k", "use top_k_categorical_accuracy, or compute the metric from the predictions of the model"},
    {"curve", "auc is the area under the ROC curve; compute others from the predictions of the model"},
    {"beta", "f1_score weighs precision and recall alike; compute others from precision and recall"},
    {"multi_label", "auc takes all scores together; compute the mean over labels from the predictions of the model"}};

Status check_metric_name(const Json& json, const std::string& name) {
  const std::vector<std::string> known = metric_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  if (const Unsupported* listed = find_unsupported(kUnsupportedMetrics, name)) {
    return unimplemented("metric '", name, "' is not implemented; ", listed->instead);
  }
  return json.error("metrics", "no metric '", name, "'", did_you_mean(name, known));
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const MetricRow& row : kMetrics) out.emplace_back(row.name);
  for (std::string& loss : loss_names()) out.push_back(std::move(loss));
  return out;
}

std::vector<NamedFacts> metric_facts() {
  std::vector<NamedFacts> out;
  for (const MetricRow& row : kMetrics) {
    out.push_back({std::string(row.name), std::string(row.doc), key_facts(row.keys)});
  }
  // A loss that is used as a metric takes its settings from the training loss.
  for (NamedFacts& loss : loss_facts()) out.push_back({std::move(loss.name), std::move(loss.doc), {}});
  return out;
}

Result<MetricOptions> parse_metric(const Json& json, std::span<const std::string_view> others) {
  MetricOptions out;
  if (!json.is_object()) {
    PERCALE_ASSIGN_OR_RETURN(out.name, json.as_string("metrics"));
    PERCALE_RETURN_IF_ERROR(check_metric_name(json, out.name));
    return out;
  }
  std::vector<std::string> known = {"metric", "name"};
  add_names<MetricOptions>(kMetricKeys, &known);
  known.insert(known.end(), others.begin(), others.end());
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, "metrics", known, kUnsupportedMetricKeys));
  PERCALE_RETURN_IF_ERROR(read_text(json, "name", &out.name));
  if (json.find("metric") != nullptr) {
    out.own_name = out.name;
    PERCALE_RETURN_IF_ERROR(read_text(json, "metric", &out.name));
  }
  if (out.name.empty()) return json.error("metrics", "'name' is missing");
  PERCALE_RETURN_IF_ERROR(check_metric_name(json, out.name));
  PERCALE_RETURN_IF_ERROR(read_members<MetricOptions>(json, "metrics", kMetricKeys, &out));
  return out;
}

}  // namespace percale
