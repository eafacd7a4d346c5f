// Puts bodies of functions in the place of nodes that carry them.
#ifndef PERCALE_CORE_PASSES_SIMPLIFY_INLINE_H_
#define PERCALE_CORE_PASSES_SIMPLIFY_INLINE_H_

#include <functional>
#include <string>

#include "core/graph/graph.h"

namespace percale {

// The function that takes a node's place: its inputs are the node's from `first_input` on, its outputs the node's. What it
// brings is called by its own names with `scope` before them.
struct Callee {
  const Function* function = nullptr;  // null: the node stays
  size_t first_input = 0;
  std::string scope;
};
using CalleeOf = std::function<Callee(const Node& node)>;

// Replaces the nodes of `f` for which `callee_of` names a function, as long as `f` keeps to `max_nodes`. The outputs of the
// nodes keep their names. Nodes of a body come after what the node came after; what came after the node comes after the
// body's effects. True when something was replaced.
bool inline_bodies(const Graph& graph, Function& f, const CalleeOf& callee_of, size_t max_nodes);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_SIMPLIFY_INLINE_H_
