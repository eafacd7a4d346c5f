// The model of a drawing: boxes and the links between them, without any geometry.
#ifndef PERCALE_CORE_DRAW_PICTURE_PICTURE_H_
#define PERCALE_CORE_DRAW_PICTURE_PICTURE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace percale {

enum class ChipKind : uint8_t { kVariable, kConstant, kAssigned, kFunction };

// A variable or constant beside the box that reads or assigns it, or a function that the box calls.
struct Chip {
  ChipKind kind = ChipKind::kConstant;
  std::string name;    // may be empty
  std::string detail;  // the type, or the elements of a small constant
  std::string role;    // the input or attribute of the node that it is; may be empty
};

// How a node is coloured.
enum class Tint : uint8_t { kPlain, kElementwise, kView, kWeighted };

enum class BoxKind : uint8_t { kNode, kInput, kOutput };

struct Box {
  BoxKind kind = BoxKind::kNode;
  std::string name;
  std::string title;   // the op of a node; the name of an input or output
  std::string detail;  // the type of an input or output; device and kernel of a planned node
  std::string device;  // "" outside of plans
  Tint tint = Tint::kPlain;
  // Equal for nodes of the same op, attributes and types; "" is like nothing.
  std::string likeness;
  double microseconds = -1;  // per run, as a trace measured them; negative: unknown
  std::vector<Chip> chips;
  std::vector<std::pair<std::string, std::string>> facts;  // shown when a reader asks for them
};

enum class LinkKind : uint8_t { kValue, kTransfer, kOrder };

struct Link {
  int32_t from = 0, to = 0;  // boxes; from < to
  int32_t output = 0;        // of the box `from`; links of one output carry one value
  LinkKind kind = LinkKind::kValue;
  std::string label;  // the type of the value
};

// Inputs come first, then nodes in topological order, then outputs.
struct Picture {
  std::string title;
  std::vector<Box> boxes;
  std::vector<Link> links;
};

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_PICTURE_H_
