// A model with the values that a trainer needs: the loss, metrics and predictions.
#ifndef PERCALE_CORE_TRAIN_REWRITE_OBJECTIVE_H_
#define PERCALE_CORE_TRAIN_REWRITE_OBJECTIVE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/train/method/metrics.h"

namespace percale {

// The values of "main", by name, that a trainer needs.
struct Objective {
  std::string loss_sum, loss_weight;  // the mean loss is sum / weight, over any number of batches
  struct Metric {
    std::string name;
    MetricRule rule = MetricRule::kMean;
    std::vector<std::string> totals;  // floats of static shapes
  };
  std::vector<Metric> metrics;
  std::vector<std::string> predictions;  // outputs for inference; may be empty
};

// A model with its objective.
struct Model {
  std::shared_ptr<const Graph> graph;
  Objective objective;
};

// Makes a model of a graph whose output `loss` (empty: the only scalar float output) is a mean over
// the rows of a batch. Its loss sum is the loss times the number of rows of the first input, its
// weight that number.
Result<Model> model_of_mean_loss(const Graph& graph, std::string_view loss);

// Returns a value of the function. NOT_FOUND without it.
Result<ValueId> require_value(const Function& f, std::string_view name);
// INVALID_ARGUMENT also if the value is not a floating-point scalar.
Result<ValueId> require_scalar(const Function& f, std::string_view name);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_OBJECTIVE_H_
