// Turns the totals of an objective into its loss and metrics.
#ifndef PERCALE_CORE_TRAIN_EPOCH_OBJECTIVE_TOTALS_H_
#define PERCALE_CORE_TRAIN_EPOCH_OBJECTIVE_TOTALS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "core/registry/numerics.h"
#include "core/train/method/monitor.h"
#include "core/train/rewrite/objective.h"
#include "core/train/shards/step_layout.h"

namespace percale {

class ObjectiveTotals {
 public:
  // `f`: a function whose first outputs are the totals of the objective.
  ObjectiveTotals(const Objective& objective, const Function& f, Numerics numerics);

  std::vector<std::string> metric_names() const;
  // The values of a model's main function that are the totals, in the order of
  // StepLayout::totals().
  const std::vector<std::string>& values() const { return values_; }
  // The number of elements of all totals.
  size_t count() const { return count_; }
  // "loss" and the metrics, for sums of the elements of all totals.
  NamedNumbers finish(const std::vector<double>& sums) const;

 private:
  struct Metric {
    std::string name;
    MetricRule rule;
    IndexSpan elements;
  };
  std::vector<std::string> values_;
  std::vector<Metric> metrics_;
  size_t count_ = 0;
  const maths::Functions& functions_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_EPOCH_OBJECTIVE_TOTALS_H_
