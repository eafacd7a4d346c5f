// The side effects of a node, including those of the functions that it carries.
#ifndef PERCALE_CORE_GRAPH_EFFECTS_H_
#define PERCALE_CORE_GRAPH_EFFECTS_H_

#include "core/graph/graph.h"

namespace percale {

struct NodeEffects {
  bool reads = false;    // reads variables
  bool writes = false;   // writes variables, or has any other effect (a print, a queue)
  bool changes = false;  // the same, without ops that only observe (a print)
  // Has an effect that nodes ordered after it rely on. This excludes ops on queues: one function
  // may hold both ends of a queue, and taking an element out does not require that one was put in
  // before.
  bool lasting = false;
  bool random = false;
  bool pure = true;  // same inputs give same outputs, no effect: may be folded, merged, dropped
};

// True if an attribute names a function.
bool carries_functions(const Attributes& attributes);

// Includes the functions that the node carries, and those that they carry. Takes time linear in the
// functions' sizes.
NodeEffects effects_of(const Graph& graph, const Node& node);
// Returns the union of the effects of all nodes of a function.
NodeEffects effects_of(const Graph& graph, const Function& function);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_EFFECTS_H_
