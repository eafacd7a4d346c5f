// What becomes of the totals that shards and batches give: sums over an epoch, and one number per metric.
#ifndef PERCALE_CORE_TRAIN_METHOD_METRICS_H_
#define PERCALE_CORE_TRAIN_METHOD_METRICS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

// How a metric's totals become one number. Totals are sums, which is why neither the shards nor the batches matter.
enum class MetricRule : uint8_t {
  kMean,        // sum, weight
  kRootMean,    // the square root of it
  kExpMean,     // e to its power
  kRatio,       // hits, of how many; 0 when there are none
  kF1Macro,     // true positives, predicted, wanted, each per class: the mean of the classes' F1
  kF1Micro,     // ... the F1 of the sums over the classes
  kF1Weighted,  // ... the mean weighted by how often a class is wanted
  // True and false positives, each per threshold in ascending order: the area under the ROC curve by trapezoids. The lowest
  // threshold lets all pass, the highest none.
  kAuc,
};
// Of the elements of all totals, one after the other. Classes that were neither wanted nor predicted have an F1 of 0.
double finish_metric(MetricRule rule, std::span<const double> totals);

// The element of an f32 or f64.
double scalar_value(const Tensor& scalar);

// The elements of all tensors (f32 or f64), one after the other, added to `sums`; an empty `sums` gets their number first.
void add_totals(std::span<const Tensor> totals, std::vector<double>& sums);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_METRICS_H_
