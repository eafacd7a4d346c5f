// Adds metrics to a graph built by a host. They correspond to a SPEC's 'metrics'.
#ifndef PERCALE_CORE_TRAIN_REWRITE_GRAPH_METRICS_H_
#define PERCALE_CORE_TRAIN_REWRITE_GRAPH_METRICS_H_

#include <string_view>

#include "core/train/rewrite/objective.h"

namespace percale {

// Returns the model with the metrics that `text` describes: a name, or JSON with one or a list of
// names and objects. An object has the keys of a SPEC's metric and "predictions" (a value of main;
// omitted: its only output besides the loss), "labels" (an input; omitted: the only one that the
// predictions do not need), "loss" and "from_logits". "loss" says what the predictions mean. If
// omitted, it is sparse_categorical_crossentropy for integer labels, categorical_crossentropy for
// rows of several numbers, else binary_crossentropy.
Result<Model> add_graph_metrics(const Model& model, std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_GRAPH_METRICS_H_
