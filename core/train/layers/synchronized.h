// Marks layers that normalise over the whole batch instead of one shard. The mark is stored in the
// graph's metadata.
#ifndef PERCALE_CORE_TRAIN_LAYERS_SYNCHRONIZED_H_
#define PERCALE_CORE_TRAIN_LAYERS_SYNCHRONIZED_H_

#include <string_view>

#include "core/graph/builder.h"

namespace percale {

// Marks the layer whose moving mean has this name.
void set_synchronized(Builder& builder, std::string_view moving_mean);
bool is_synchronized(const Graph& graph, std::string_view moving_mean);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LAYERS_SYNCHRONIZED_H_
