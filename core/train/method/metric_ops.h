// Metrics by Keras' names, as nodes that compute totals: sums over rows, which become one number
// after an epoch.
#ifndef PERCALE_CORE_TRAIN_METHOD_METRIC_OPS_H_
#define PERCALE_CORE_TRAIN_METHOD_METRIC_OPS_H_

#include <optional>
#include <string>
#include <vector>

#include "core/text/json.h"
#include "core/train/method/losses.h"
#include "core/train/method/metrics.h"

namespace percale {

std::vector<std::string> metric_names();
// Every metric with its keys.
std::vector<NamedFacts> metric_facts();

struct MetricOptions {
  std::string name;      // the metric's name, such as "auc"
  std::string own_name;  // name in results; "": as `name`
  int64_t k = 5;         // top-k
  // of probabilities; absent: 0.5; in f1_score of several classes the largest wins
  std::optional<double> threshold;
  std::string average = "macro";  // f1_score: macro, micro or weighted
  int64_t num_thresholds = 200;   // auc
  const std::string& label() const { return own_name.empty() ? name : own_name; }
};
// Parses a name, or {"name": "sparse_top_k_categorical_accuracy", "k": 3}. UNIMPLEMENTED for a
// metric of Keras that is not supported, INVALID_ARGUMENT with the nearest name for an unknown one.
// The object may also have the keys `others`, which the caller reads.
Result<MetricOptions> parse_metric(const Json& json, std::span<const std::string_view> others = {});

struct MetricTotals {
  std::vector<ValueId> values;  // with the dtype of the predictions
  MetricRule rule = MetricRule::kMean;
};

// Adds a metric.
//
// Means: the losses, "mse", "mae", "root_mean_squared_error", "accuracy" or "acc" (the loss decides
// which of the next three), "sparse_categorical_accuracy", "categorical_accuracy",
// "binary_accuracy" (threshold 0.5, or 0 for scores), "top_k_categorical_accuracy",
// "sparse_top_k_categorical_accuracy" (fewer than k scores exceed that of the label), "perplexity"
// (e to the power of the mean cross-entropy).
//
// From counts: "precision", "recall", "f1_score", "auc". Each class is a separate yes/no question;
// scores become probabilities as the loss says.
//
// Metrics ignore the weights of samples and classes.
Result<MetricTotals> add_metric(FunctionBuilder& f, const MetricOptions& metric, const LossOptions& loss,
                                ValueId predictions, ValueId labels);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_METRIC_OPS_H_
