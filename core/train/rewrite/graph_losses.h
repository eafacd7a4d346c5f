// Adds losses to a graph built by a host, with any number of outputs. They correspond to a SPEC's
// 'loss'.
#ifndef PERCALE_CORE_TRAIN_REWRITE_GRAPH_LOSSES_H_
#define PERCALE_CORE_TRAIN_REWRITE_GRAPH_LOSSES_H_

#include <string_view>

#include "core/train/method/losses.h"
#include "core/train/rewrite/objective.h"

namespace percale {

// Returns the model with the losses that `text` describes: a JSON object or a list of them. Each
// has the keys of a SPEC's loss, 'class_weight', and "labels" (an input), "predictions" (a value;
// omitted: the graph's only output), "sample_weight" (an input; omitted: none) and "weight" (of
// this loss among several; 1 if omitted). The mean loss is exact over shards and batches. For
// several losses it is the sum of their weighted means, and each mean becomes a metric called
// "<predictions>_loss".
Result<Model> model_of_losses(const Graph& graph, std::string_view text);

// Returns the weighted sum of the means of several losses, as a mean over the rows of the first
// input.
Result<WeightedSum> combined_loss(FunctionBuilder& f, const std::vector<WeightedSum>& sums,
                                  const std::vector<double>& weights);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_GRAPH_LOSSES_H_
