// Combines metric totals of shards and batches: sums over an epoch, then one number per metric.
#ifndef PERCALE_CORE_TRAIN_METHOD_METRICS_H_
#define PERCALE_CORE_TRAIN_METHOD_METRICS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/maths/functions.h"
#include "core/tensor/tensor.h"

namespace percale {

// The rule that makes one number of a metric's totals. Totals are sums, so the division into shards
// and batches does not matter.
enum class MetricRule : uint8_t {
  kMean,        // sum, weight
  kRootMean,    // the square root of kMean
  kExpMean,     // e to the power of kMean
  kRatio,       // hits / count; 0 if the count is 0
  kF1Macro,     // true positives, predicted, actual, each per class: mean F1 of the classes
  kF1Micro,     // ... F1 of the sums over the classes
  kF1Weighted,  // ... mean F1 weighted by the actual count of each class
  // True and false positives, each per threshold in ascending order: the area under the ROC curve
  // by trapezoids. All rows pass the lowest threshold, none the highest.
  kAuc,
};
// Applies the rule to the concatenated elements of all totals. Classes that were neither actual nor
// predicted have an F1 of 0.
double finish_metric(MetricRule rule, std::span<const double> totals, const maths::Functions& functions);

// Returns the element of an f32 or f64 scalar.
double scalar_value(const Tensor& scalar);

// Adds the concatenated elements of all tensors (f32 or f64) to `sums`. An empty `sums` is resized
// first.
void add_totals(std::span<const Tensor> totals, std::vector<double>& sums);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_METRICS_H_
