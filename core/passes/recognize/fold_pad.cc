// Turns zeros that a Pad puts around an image before a convolution into the convolution's own
// padding. Converters write a separate Pad if the two ends differ, and that copy may cost as much
// as the convolution.
#include <algorithm>

#include "core/passes/edit/edit.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

class PadFolding {
 public:
  PadFolding(const Graph& graph, Function& f) : f_(f), edit_(*graph.registry, f) {}

  Status run() {
    const size_t count = f_.nodes.size();
    for (size_t i = 0; i < count; ++i) fold(static_cast<NodeId>(i));
    return edit_.finish();
  }

 private:
  // Returns the number of zeros around each spatial dim: all begins, then all ends. Returns an
  // empty list if the node does anything else.
  std::vector<int64_t> zeros_of(const Node& pad) const {
    const bool constant = pad.attributes.get_string("mode", "constant") == "constant";
    const bool zero = pad.inputs.size() < 3 || pad.inputs[2] == kNoValue || edit_.is_number(pad.inputs[2], 0);
    const Shape& shape = f_.type(pad.inputs[0]).shape;
    const std::vector<int64_t> given = edit_.integers(pad.inputs[1]);
    if (!constant || !zero || !shape.known_rank() || shape.rank() < 3 || given.empty()) return {};
    const auto rank = static_cast<int64_t>(shape.rank());
    std::vector<int64_t> axes;
    if (pad.inputs.size() > 3 && pad.inputs[3] != kNoValue) {
      axes = edit_.integers(pad.inputs[3]);
    } else {
      for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
    }
    if (given.size() != 2 * axes.size()) return {};
    const size_t spatial = shape.rank() - 2;
    std::vector<int64_t> out(2 * spatial, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      const int64_t axis = axes[i] + (axes[i] < 0 ? rank : 0), begin = given[i], end = given[axes.size() + i];
      if (axis < 0 || axis >= rank || begin < 0 || end < 0) return {};
      if (axis < 2 && begin + end > 0) return {};
      if (axis < 2) continue;
      out[static_cast<size_t>(axis) - 2] = begin;
      out[static_cast<size_t>(axis) - 2 + spatial] = end;
    }
    return out;
  }

  void fold(NodeId id) {
    const Node& node = f_.node(id);
    if (!node.op->domain.empty() || node.op->name != "Conv") return;
    const Node* pad = edit_.maker(node.inputs[0], "Pad");
    if (pad == nullptr || pad->device != node.device) return;
    std::vector<int64_t> zeros = zeros_of(*pad);
    const std::string_view by = node.attributes.get_string("auto_pad", "NOTSET");
    if (zeros.empty() || (by != "NOTSET" && by != "VALID")) return;
    const std::vector<int64_t> own = by == "VALID" ? std::vector<int64_t>() : node.attributes.get_ints("pads");
    if (!own.empty() && own.size() != zeros.size()) return;
    for (size_t i = 0; i < own.size(); ++i) zeros[i] += own[i];
    Attributes attributes = node.attributes;
    attributes.erase("auto_pad");
    attributes.set("pads", std::move(zeros));
    std::vector<ValueId> inputs = node.inputs;
    inputs[0] = pad->inputs[0];
    edit_.become(id, "Conv", std::move(inputs), std::move(attributes));
  }

  Function& f_;
  Edit edit_;
};

}  // namespace

Status fold_pad(const Graph& graph, Function& f, PassContext& context) {
  if constexpr (!is_built("Pad")) return {};
  if (trains(graph, f)) return {};
  PERCALE_RETURN_IF_ERROR(PadFolding(graph, f).run());
  return dead_code(graph, f, context);
}

}  // namespace percale
