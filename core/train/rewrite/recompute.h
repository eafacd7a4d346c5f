// Activation checkpointing: the backward pass recomputes activations that the forward pass then
// does not need to store.
#ifndef PERCALE_CORE_TRAIN_REWRITE_RECOMPUTE_H_
#define PERCALE_CORE_TRAIN_REWRITE_RECOMPUTE_H_

#include <string_view>

#include "core/graph/graph.h"
#include "core/text/json.h"

namespace percale {

// When a step recomputes activations.
struct Recompute {
  enum class When {
    kNever,
    kAlways,
    kAboveBytes,  // if the plan of a shard would otherwise need more than `bytes`
    kAuto,        // if it would otherwise need more than the engine's memory limit leaves
  };
  When when = When::kNever;
  int64_t bytes = 0;
};
// Parses true, false, a number of bytes from 1, also with a unit ("2GB"), or "auto", "on", "off".
Result<Recompute> parse_recompute(const Json& json);

// Returns a graph whose `function` is rewritten; null if no cut would save a twentieth of the
// stored bytes.
//
// The first `forward` nodes are the forward pass; they include everything that is differentiated.
// They are cut into segments where few bytes cross. Activations inside a segment that the backward
// pass reads are computed again, just before their first use there, from the values that cross the
// cuts. The last segment is not recomputed.
//
// Random nodes draw the same numbers again, so results keep their bits. Nodes that depend on no
// input of the function, and those with effects, are never repeated. Sizes are those of one row:
// unknown dims count as 1.
Result<std::shared_ptr<const Graph>> recompute_activations(const Graph& graph, std::string_view function,
                                                           size_t forward);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_RECOMPUTE_H_
