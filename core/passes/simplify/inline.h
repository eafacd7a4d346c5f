// Replaces nodes that carry functions by the bodies of those functions.
#ifndef PERCALE_CORE_PASSES_SIMPLIFY_INLINE_H_
#define PERCALE_CORE_PASSES_SIMPLIFY_INLINE_H_

#include <functional>
#include <string>

#include "core/graph/graph.h"

namespace percale {

// The function that replaces a node. Its inputs are the node's inputs from `first_input` on; its
// outputs are the node's outputs. Names of the body are prefixed with `scope`.
struct Callee {
  const Function* function = nullptr;  // null: the node stays
  size_t first_input = 0;
  std::string scope;
};
using CalleeOf = std::function<Callee(const Node& node)>;

// Replaces the nodes of `f` for which `callee_of` returns a function, as long as `f` has at most
// `max_nodes` nodes. The outputs of the nodes keep their names. Nodes of a body inherit the control
// edges of the replaced node. Nodes that waited for the replaced node wait for the effects of the
// body. Returns true if a node was replaced.
bool inline_bodies(const Graph& graph, Function& f, const CalleeOf& callee_of, size_t max_nodes);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_SIMPLIFY_INLINE_H_
