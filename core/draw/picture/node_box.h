// The box of a node, with the facts that a reader can ask for.
#ifndef PERCALE_CORE_DRAW_PICTURE_NODE_BOX_H_
#define PERCALE_CORE_DRAW_PICTURE_NODE_BOX_H_

#include "core/draw/picture/picture.h"
#include "core/graph/graph.h"

namespace percale {

// Without links and chips of inputs; with the chips of a variable that the node assigns and of
// functions that it calls.
Box node_box(const Graph& graph, const Function& function, const Node& node);
// Functions become chips, all other attributes facts.
void add_attributes(Box& box, const Attributes& attributes);
// The chip of a constant: the elements of a small one, the type of any other.
Chip constant_chip(const Value& value, const Tensor& constant);
bool is_variable_read(const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_NODE_BOX_H_
