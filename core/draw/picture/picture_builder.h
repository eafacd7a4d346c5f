// Builds a picture of one function, or of several functions that pass values to each other.
#ifndef PERCALE_CORE_DRAW_PICTURE_PICTURE_BUILDER_H_
#define PERCALE_CORE_DRAW_PICTURE_PICTURE_BUILDER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/draw/picture/picture.h"
#include "core/graph/graph.h"

namespace percale {

// The source of a value: an output of a box or, if `box` < 0, a chip.
struct Origin {
  int32_t box = -1;
  int32_t output = 0;
  LinkKind kind = LinkKind::kValue;
  Chip chip;
};

// Returns text such as "f32 [1,28,28,1]".
std::string type_text(const ValueType& type);

// Borrows the graph, which contains the functions that nodes name, and the added functions. Both
// must outlive the builder.
class PictureBuilder {
 public:
  using InputOrigin = std::function<Origin(size_t input)>;

  PictureBuilder(std::string title, const Graph& graph) : graph_(graph) { picture_.title = std::move(title); }

  int32_t add_input(std::string_view name, const ValueType& type) { return add_end(BoxKind::kInput, name, type); }
  // Adds an output of the picture; connect() sets its source.
  int32_t add_output(std::string_view name, const ValueType& type) { return add_end(BoxKind::kOutput, name, type); }
  // Adds boxes for the nodes of a function. Nodes that only read a variable become chips instead.
  // `inputs` returns the origins of the function's inputs; it is called only from finish() and
  // origin(). Returns the index for origin() and box_of().
  size_t add_function(const Function& function, InputOrigin inputs);
  // Returns the box of a node; -1 for one that became a chip.
  int32_t box_of(size_t function, NodeId node) const { return parts_[function].boxes[static_cast<size_t>(node)]; }
  Box& box(int32_t index) { return picture_.boxes[static_cast<size_t>(index)]; }
  Origin origin(size_t function, ValueId value) const;
  int32_t add_box(Box box);
  // `role` is the name of the input of box `to`.
  void connect(Origin from, int32_t to, const ValueType& type, std::string_view role = {});
  void order(int32_t before, int32_t after);
  // Returns the picture with its boxes in the documented order. Links that would close a cycle are
  // left out.
  Picture finish();

 private:
  struct Part {
    const Function* function;
    InputOrigin inputs;
    std::vector<int32_t> boxes;  // by node
  };
  int32_t add_end(BoxKind kind, std::string_view name, const ValueType& type);
  void link_part(size_t part);

  const Graph& graph_;
  Picture picture_;
  std::vector<Part> parts_;
};

// Returns a picture of the inputs, nodes and outputs of a function of the graph.
Picture picture_of(const Graph& graph, const Function& function);
// Returns pictures of all functions, "main" first.
std::vector<Picture> pictures_of(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_PICTURE_BUILDER_H_
