// The loop shared by passes that move nodes of one kind behind the next node.
#ifndef PERCALE_CORE_PASSES_RECOGNIZE_MOVE_ALONG_H_
#define PERCALE_CORE_PASSES_RECOGNIZE_MOVE_ALONG_H_

#include "core/passes/simplify/simplify.h"

namespace percale {

// Repeats Moves(graph, f).run() until nothing changes, at most kMostRounds times. algebra() then
// merges nodes that became adjacent.
template <class Moves>
Status move_along(const Graph& graph, Function& f, PassContext& context) {
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    PERCALE_ASSIGN_OR_RETURN(const bool changed, Moves(graph, f).run());
    if (!changed) return {};
    if (!context.disabled.contains("algebra")) PERCALE_RETURN_IF_ERROR(algebra(graph, f, context));
    PERCALE_RETURN_IF_ERROR(dead_code(graph, f, context));
  }
  return {};
}

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_RECOGNIZE_MOVE_ALONG_H_
