// The table of metrics: names and keys, as a SPEC and the options of a trainer take them.
#include <algorithm>

#include "core/base/similar_name.h"
#include "core/registry/registry.h"
#include "core/train/method/json_keys.h"
#include "core/train/method/metric_ops.h"

namespace percale {
namespace {

using MetricKey = Key<MetricOptions>;
constexpr MetricKey kK = {"k", &MetricOptions::k, "Number of classes among which the wanted one has to be.", 1};
constexpr MetricKey kThreshold = {.name = "threshold",
                                  .value = &MetricOptions::threshold,
                                  .doc = "Probability above which a class counts as predicted.",
                                  .low = 0,
                                  .high = 1,
                                  .fallback = "0.5; in f1_score of several classes the largest"};
constexpr MetricKey kAverage = {.name = "average",
                                .value = &MetricOptions::average,
                                .doc = "How the classes' scores become one.",
                                .choices = "macro|micro|weighted"};
constexpr MetricKey kThresholds = {"num_thresholds", &MetricOptions::num_thresholds,
                                   "Points of the curve under which the area is taken.", 2, 100000};

constexpr MetricKey kAllKeys[] = {kK, kThreshold, kAverage, kThresholds};
constexpr MetricKey kTopKKeys[] = {kK};
constexpr MetricKey kCountKeys[] = {kThreshold};
constexpr MetricKey kF1Keys[] = {kThreshold, kAverage};
constexpr MetricKey kAucKeys[] = {kThresholds};

struct Row {
  std::string_view name, doc;
  std::span<const MetricKey> keys = {};
};
constexpr Row kMetrics[] = {
    {"accuracy", "Part of the rows that are right; which of the three accuracies below follows from the loss."},
    {"acc", "The same as accuracy."},
    {"sparse_categorical_accuracy", "Part of the rows whose largest score is that of the class number."},
    {"categorical_accuracy", "Part of the rows whose largest score is where the label's largest is."},
    {"binary_accuracy", "Part of the elements that are on the label's side of 0.5."},
    {"top_k_categorical_accuracy", "Part of the rows whose class is among the k largest scores; labels are one-hot.",
     kTopKKeys},
    {"sparse_top_k_categorical_accuracy",
     "Part of the rows whose class is among the k largest scores; labels are class numbers.", kTopKKeys},
    {"mse", "The same as mean_squared_error."},
    {"mae", "The same as mean_absolute_error."},
    {"root_mean_squared_error", "Root of the mean squared difference."},
    {"perplexity", "e to the power of the mean cross-entropy."},
    {"precision", "Part of the predicted ones that are right.", kCountKeys},
    {"recall", "Part of the wanted ones that are predicted.", kCountKeys},
    {"f1_score", "Harmonic mean of precision and recall per class.", kF1Keys},
    {"auc", "Area under the ROC curve.", kAucKeys}};
constexpr std::string_view kLaterMetrics[] = {"cosine_similarity", "mean_io_u", "r2_score",
                                              "mean_absolute_percentage_error"};
constexpr std::string_view kLaterKeys[] = {"class_id", "top_k", "curve", "beta", "multi_label"};

Status check_metric_name(const Json& json, const std::string& name) {
  const std::vector<std::string> known = metric_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  if (std::find(std::begin(kLaterMetrics), std::end(kLaterMetrics), name) != std::end(kLaterMetrics)) {
    return unimplemented("metric '", name, "' is not there yet");
  }
  return json.error("metrics", "no metric '", name, "'", did_you_mean(name, known));
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> out;
  for (const Row& row : kMetrics) out.emplace_back(row.name);
  for (std::string& loss : loss_names()) out.push_back(std::move(loss));
  return out;
}

std::vector<NamedFacts> metric_facts() {
  std::vector<NamedFacts> out;
  for (const Row& row : kMetrics) {
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
  add_names<MetricOptions>(kAllKeys, &known);
  known.insert(known.end(), others.begin(), others.end());
  PERCALE_RETURN_IF_ERROR(check_known_keys(json, "metrics", known, kLaterKeys));
  PERCALE_RETURN_IF_ERROR(read_text(json, "name", &out.name));
  if (json.find("metric") != nullptr) {
    out.own_name = out.name;
    PERCALE_RETURN_IF_ERROR(read_text(json, "metric", &out.name));
  }
  if (out.name.empty()) return json.error("metrics", "'name' is missing");
  PERCALE_RETURN_IF_ERROR(check_metric_name(json, out.name));
  PERCALE_RETURN_IF_ERROR(read_members<MetricOptions>(json, "metrics", kAllKeys, &out));
  return out;
}

}  // namespace percale
