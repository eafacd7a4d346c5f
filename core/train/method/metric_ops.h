// Metrics by Keras' names, as nodes that give totals: sums over rows, which become one number after an epoch.
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
  std::string name;                 // which, "auc"
  std::string own_name;             // what it is called in results; "": as `name`
  int64_t k = 5;                    // top-k
  std::optional<double> threshold;  // of probabilities; unset: 0.5, in f1_score of several classes the largest
  std::string average = "macro";    // f1_score: macro, micro or weighted
  int64_t num_thresholds = 200;     // auc
  const std::string& label() const { return own_name.empty() ? name : own_name; }
};
// From a name, or {"name": "sparse_top_k_categorical_accuracy", "k": 3}. UNIMPLEMENTED for one that Keras has, else
// INVALID_ARGUMENT with the nearest name.
// The caller reads the keys `others`, which an object may also have.
Result<MetricOptions> parse_metric(const Json& json, std::span<const std::string_view> others = {});

struct MetricTotals {
  std::vector<ValueId> values;  // of the predictions' dtype
  MetricRule rule = MetricRule::kMean;
};

// Means: the losses, "mse", "mae", "root_mean_squared_error", "accuracy" or "acc" (which of the three the loss says),
// "sparse_categorical_accuracy", "categorical_accuracy", "binary_accuracy" (the threshold is 0.5, of scores 0),
// "top_k_categorical_accuracy", "sparse_top_k_categorical_accuracy" (fewer than k scores are larger than the wanted one's),
// "perplexity" (e to the power of the mean cross-entropy). Of counts: "precision", "recall", "f1_score", "auc"; each class is
// a question of its own, scores become probabilities as the loss says. Weights of samples and classes do not matter to
// metrics.
Result<MetricTotals> add_metric(FunctionBuilder& f, const MetricOptions& metric, const LossOptions& loss,
                                ValueId predictions, ValueId labels);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_METRIC_OPS_H_
