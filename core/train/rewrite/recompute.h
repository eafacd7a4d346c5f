// Activation checkpointing: the backward pass rebuilds what the forward pass then need not keep.
#ifndef PERCALE_CORE_TRAIN_REWRITE_RECOMPUTE_H_
#define PERCALE_CORE_TRAIN_REWRITE_RECOMPUTE_H_

#include <string_view>

#include "core/graph/graph.h"
#include "core/text/json.h"

namespace percale {

// When a step rebuilds activations.
struct Recompute {
  enum class When {
    kNever,
    kAlways,
    kAboveBytes,  // where the plan of a shard would hold more than `bytes` otherwise
    kAuto,        // where it would hold more than the engine's memory limit leaves
  };
  When when = When::kNever;
  int64_t bytes = 0;
};
// true, false, a number of bytes from 1 on, also with a unit ("2GB"), or "auto", "on", "off".
Result<Recompute> parse_recompute(const Json& json);

// A graph whose `function` is rewritten: its first `forward` nodes, which hold all that the others differentiate, are cut into
// segments where few bytes cross; but for the last segment, what the others read of a segment's inside is computed once more
// before the first of them that does, from what crosses the cuts. Random nodes draw the same numbers again, so results keep
// their bits. Nodes of which no input of the function is behind, and those with effects, are never repeated. Null where no cut
// would save a twentieth of what is kept. Sizes are those of one row: unknown dims count as 1.
Result<std::shared_ptr<const Graph>> recompute_activations(const Graph& graph, std::string_view function,
                                                           size_t forward);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_RECOMPUTE_H_
