// Makes a picture of one function, or of several that hand values to each other.
#ifndef PERCALE_CORE_DRAW_PICTURE_PICTURE_BUILDER_H_
#define PERCALE_CORE_DRAW_PICTURE_PICTURE_BUILDER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/draw/picture/picture.h"
#include "core/graph/graph.h"

namespace percale {

// Where a value comes from: an output of a box, or, with `box` < 0, a chip.
struct Origin {
  int32_t box = -1;
  int32_t output = 0;
  LinkKind kind = LinkKind::kValue;
  Chip chip;
};

// "f32 [1,28,28,1]"
std::string type_text(const ValueType& type);

// The graph, which holds the functions that nodes name, and the functions added must outlive the
// builder.
class PictureBuilder {
 public:
  using InputOrigin = std::function<Origin(size_t input)>;

  PictureBuilder(std::string title, const Graph& graph) : graph_(graph) { picture_.title = std::move(title); }

  int32_t add_input(std::string_view name, const ValueType& type) { return add_end(BoxKind::kInput, name, type); }
  // An output of the whole; connect() says what it shows.
  int32_t add_output(std::string_view name, const ValueType& type) { return add_end(BoxKind::kOutput, name, type); }
  // Boxes for the nodes, all but those that only read a variable, which become chips. `inputs`
  // tells where the function's inputs come from; it is first called within finish() or origin().
  // Returns a number for origin().
  size_t add_function(const Function& function, InputOrigin inputs);
  // The box of a node; -1 for one that became a chip.
  int32_t box_of(size_t function, NodeId node) const { return parts_[function].boxes[static_cast<size_t>(node)]; }
  Box& box(int32_t index) { return picture_.boxes[static_cast<size_t>(index)]; }
  Origin origin(size_t function, ValueId value) const;
  int32_t add_box(Box box);
  // `role`: the input of the box that it is.
  void connect(Origin from, int32_t to, const ValueType& type, std::string_view role = {});
  void order(int32_t before, int32_t after);
  // The boxes in the order that Picture promises. Links that would close a circle are left out.
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

// The inputs, nodes and outputs of a function of the graph.
Picture picture_of(const Graph& graph, const Function& function);
// Pictures of all functions, "main" first.
std::vector<Picture> pictures_of(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_PICTURE_BUILDER_H_
