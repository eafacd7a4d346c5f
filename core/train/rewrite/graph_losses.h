// Losses of a graph that a host has built: what a SPEC's 'loss' is to its model, for any number of outputs.
#ifndef PERCALE_CORE_TRAIN_REWRITE_GRAPH_LOSSES_H_
#define PERCALE_CORE_TRAIN_REWRITE_GRAPH_LOSSES_H_

#include <string_view>

#include "core/train/method/losses.h"
#include "core/train/rewrite/minimize.h"

namespace percale {

// The model whose loss `text` says: JSON, an object or a list of them, each with the keys of a SPEC's loss, 'class_weight', and
// "labels" (an input), "predictions" (a value; omitted: the graph's only output), "sample_weight" (an input; omitted: none) and "weight"
// (of this loss among several, 1 when omitted). The mean loss is exact over shards and batches. Of several losses it is the sum of their
// means, each times its weight, and the mean of each becomes a metric called "<predictions>_loss".
Result<Model> model_of_losses(const Graph& graph, std::string_view text);

// The sum of the means of several losses, each times its weight, as a mean over the rows of the first input.
Result<WeightedSum> combined_loss(FunctionBuilder& f, const std::vector<WeightedSum>& sums,
                                  const std::vector<double>& weights);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_GRAPH_LOSSES_H_
