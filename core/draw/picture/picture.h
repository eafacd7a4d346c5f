// The model of a drawing: boxes and links, without geometry.
#ifndef PERCALE_CORE_DRAW_PICTURE_PICTURE_H_
#define PERCALE_CORE_DRAW_PICTURE_PICTURE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace percale {

enum class ChipKind : uint8_t { kVariable, kConstant, kAssigned, kFunction };

// A small label beside a box: a variable or constant that it reads, a variable that it assigns, or
// a function that it calls.
struct Chip {
  ChipKind kind = ChipKind::kConstant;
  std::string name;    // may be empty
  std::string detail;  // the type, or the elements of a small constant
  std::string role;    // the input or attribute name; may be empty
};

// The colour class of a node.
enum class Tint : uint8_t { kPlain, kElementwise, kView, kWeighted };

enum class BoxKind : uint8_t { kNode, kInput, kOutput };

struct Box {
  BoxKind kind = BoxKind::kNode;
  std::string name;
  std::string title;   // op of a node; name of an input or output
  std::string detail;  // type of an input or output; device and kernel of a planned node
  std::string device;  // "" outside of plans
  Tint tint = Tint::kPlain;
  // Equal for nodes with equal op, attributes and types; "" equals nothing.
  std::string likeness;
  double microseconds = -1;  // measured time per run; negative: unknown
  std::vector<Chip> chips;
  std::vector<std::pair<std::string, std::string>> facts;  // shown on demand
};

enum class LinkKind : uint8_t { kValue, kTransfer, kOrder };

struct Link {
  int32_t from = 0, to = 0;  // boxes; from < to
  int32_t output = 0;        // output number of box `from`; links of one output carry one value
  LinkKind kind = LinkKind::kValue;
  std::string label;  // type of the value
};

// Boxes are ordered: inputs, then nodes in topological order, then outputs.
struct Picture {
  std::string title;
  std::vector<Box> boxes;
  std::vector<Link> links;
};

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_PICTURE_H_
