// The box of a node, with the details that a reader can ask for.
#ifndef PERCALE_CORE_DRAW_PICTURE_NODE_BOX_H_
#define PERCALE_CORE_DRAW_PICTURE_NODE_BOX_H_

#include "core/draw/picture/picture.h"
#include "core/graph/graph.h"

namespace percale {

// Returns the box of a node, without links and chips of inputs. It has chips for a variable that
// the node assigns and for functions that it calls.
Box node_box(const Graph& graph, const Function& function, const Node& node);
// Adds functions as chips, and all other attributes as facts.
void add_attributes(Box& box, const Attributes& attributes);
// Returns the chip of a constant: the elements of a small one, or else its type.
Chip constant_chip(const Value& value, const Tensor& constant);
bool is_variable_read(const Node& node);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_NODE_BOX_H_
