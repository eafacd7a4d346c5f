// Converts models that were exported during training to their inference form.
#ifndef PERCALE_CORE_TRAIN_REWRITE_INFERENCE_FORM_H_
#define PERCALE_CORE_TRAIN_REWRITE_INFERENCE_FORM_H_

#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// Converts "main" from the training form that exporters write to the inference form, from which
// training_form() makes the training form again. Dropout that a constant switches on is switched
// off. BatchNormalization whose running statistics are variables uses them instead of the batch's;
// its outputs running_mean and running_var become the variables' values. Nodes that are switched by
// an input, or whose statistics are not variables, stay. Returns `graph` if nothing changes.
Result<std::shared_ptr<const Graph>> inference_form(std::shared_ptr<const Graph> graph);

// Returns the graph of one function: main reduced to the nodes that the named values need. These
// become its outputs. Slots and training functions are omitted.
Result<std::shared_ptr<const Graph>> inference_graph(const Graph& graph, const std::vector<std::string>& outputs);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_INFERENCE_FORM_H_
