// What a node does beyond computing its outputs, the functions that it carries included.
#ifndef PERCALE_CORE_GRAPH_EFFECTS_H_
#define PERCALE_CORE_GRAPH_EFFECTS_H_

#include "core/graph/graph.h"

namespace percale {

struct NodeEffects {
  bool reads = false;    // variables
  bool writes = false;   // variables, or has any other effect (a print, a queue)
  bool changes = false;  // the same without ops that only look (a print)
  bool lasting =
      false;  // has an effect that nodes ordered after it rely on: any but ops on queues, because one function may hold
              // both ends of a queue, and taking an element out does not mean putting one in before
  bool random = false;
  bool pure = true;  // same inputs, same outputs, no effect: may be folded, merged, dropped
};

// True when an attribute names a function.
bool carries_functions(const Attributes& attributes);

// Looks into the functions that the node carries, and into those that they carry. Linear in the functions' sizes.
NodeEffects effects_of(const Graph& graph, const Node& node);
// Of all nodes of a function together.
NodeEffects effects_of(const Graph& graph, const Function& function);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_EFFECTS_H_
