// What becomes of the totals that shards and batches give: sums over an epoch, and one number per metric.
#ifndef PERCALE_CORE_TRAIN_METRICS_H_
#define PERCALE_CORE_TRAIN_METRICS_H_

#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

// The elements of all tensors (f32 or f64), one after the other, added to `sums`; an empty `sums` gets their number first.
void add_totals(std::span<const Tensor> totals, std::vector<double>& sums);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METRICS_H_
