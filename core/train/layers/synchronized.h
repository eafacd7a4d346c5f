// Which layers normalise a batch as a whole, whatever the shards: a word of the layer's, kept with the graph.
#ifndef PERCALE_CORE_TRAIN_LAYERS_SYNCHRONIZED_H_
#define PERCALE_CORE_TRAIN_LAYERS_SYNCHRONIZED_H_

#include <string_view>

#include "core/graph/builder.h"

namespace percale {

// Keeps among the graph's facts that the layer with this moving mean wants it.
void set_synchronized(Builder& builder, std::string_view moving_mean);
bool is_synchronized(const Graph& graph, std::string_view moving_mean);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_SYNCHRONIZED_H_
