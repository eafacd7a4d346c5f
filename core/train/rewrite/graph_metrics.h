// Metrics of a graph that a host has built: what a SPEC's 'metrics' are to its model.
#ifndef PERCALE_CORE_TRAIN_REWRITE_GRAPH_METRICS_H_
#define PERCALE_CORE_TRAIN_REWRITE_GRAPH_METRICS_H_

#include <string_view>

#include "core/train/rewrite/minimize.h"

namespace percale {

// The model with metrics, as `text` says: a name, or JSON, one of or a list of names and objects with the keys of a SPEC's metric and
// "predictions" (a value of main; omitted: its only output beside the loss), "labels" (an input; omitted: the only one that the
// predictions do not need), "loss" (what the predictions mean; omitted: sparse_categorical_crossentropy for labels that are integers,
// categorical_crossentropy for rows of several numbers, else binary_crossentropy) and "from_logits".
Result<Model> add_graph_metrics(const Model& model, std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_GRAPH_METRICS_H_
