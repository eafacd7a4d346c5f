// Replaces the rotation of embeddings, written out as x cos + concat(-x[h:], x[:h]) sin over the
// last dim, by percale:FusedRotary. The op computes the same products and sums, so no bit changes.
#include <array>
#include <vector>

#include "core/graph/device_hint.h"
#include "core/passes/edit/edit.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

class RotaryRecognition {
 public:
  RotaryRecognition(const Graph& graph, Function& f, const PassContext& context)
      : f_(f), context_(context), edit_(*graph.registry, f) {}

  Result<bool> run() {
    for (size_t i = 0; i < f_.nodes.size(); ++i) match(static_cast<NodeId>(i));
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  using Nodes = std::vector<NodeId>;

  bool is_last(int64_t axis, const Shape& shape) const {
    return axis == -1 || axis == static_cast<int64_t>(shape.rank()) - 1;
  }

  // Returns the value whose last dim `v` is half `which` of, by a Slice or an output of a Split.
  // Returns kNoValue for others.
  ValueId half_of(ValueId v, size_t which, Nodes& nodes) const {
    const Value& value = f_.value(v);
    if (value.kind != ValueKind::kNode || value.def < 0) return kNoValue;
    const Node& node = f_.node(value.def);
    if (!node.op->domain.empty() || node.inputs.empty()) return kNoValue;
    const Shape& whole = f_.type(node.inputs[0]).shape;
    if (!whole.is_static() || whole.rank() == 0 || whole.back() % 2 != 0) return kNoValue;
    const int64_t half = whole.back() / 2;
    if (node.op->name == "Split") {
      const bool two = node.outputs.size() == 2 && f_.type(v).shape.back() == half;
      if (!two || static_cast<size_t>(value.output) != which || !is_last(node.attributes.get_int("axis"), whole)) {
        return kNoValue;
      }
    } else if (node.op->name == "Slice" && node.inputs.size() >= 4) {
      const auto starts = edit_.integers(node.inputs[1]), axes = edit_.integers(node.inputs[3]);
      if (starts.size() != 1 || axes.size() != 1 || !is_last(axes[0], whole)) return kNoValue;
      if (node.inputs.size() > 4 && edit_.integers(node.inputs[4]) != std::vector<int64_t>{1}) return kNoValue;
      const int64_t from = which == 0 ? 0 : half;
      if (starts[0] != from && starts[0] != from - whole.back()) return kNoValue;
      if (f_.type(v).shape.rank() != whole.rank() || f_.type(v).shape.back() != half) return kNoValue;
    } else {
      return kNoValue;
    }
    nodes.push_back(value.def);
    return node.inputs[0];
  }

  // Returns x if `v` is x with its halves swapped and the new first half negated.
  ValueId turned(ValueId v, Nodes& nodes) const {
    const Node* joined = edit_.maker(v, "Concat");
    if (joined == nullptr || joined->inputs.size() != 2) return kNoValue;
    if (!is_last(joined->attributes.get_int("axis"), f_.type(v).shape)) return kNoValue;
    const Node* minus = edit_.maker(joined->inputs[0], "Neg");
    if (minus == nullptr) return kNoValue;
    nodes.push_back(edit_.id_of(*joined));
    nodes.push_back(edit_.id_of(*minus));
    const ValueId x = half_of(minus->inputs[0], 1, nodes);
    return x != kNoValue && half_of(joined->inputs[1], 0, nodes) == x ? x : kNoValue;
  }

  void match(NodeId id) {
    const Node& sum = f_.node(id);
    if (names_device(sum.device) || !sum.op->domain.empty() || sum.op->name != "Add") return;
    const ValueType type = f_.type(sum.outputs[0]);
    if (!is_float(type.dtype) || !type.shape.is_static()) return;
    for (size_t i = 0; i < 2; ++i) {
      const Node *straight = edit_.maker(sum.inputs[i], "Mul"), *across = edit_.maker(sum.inputs[1 - i], "Mul");
      if (straight == nullptr || across == nullptr) return;
      for (size_t k = 0; k < 2; ++k) {
        Nodes nodes{edit_.id_of(*straight), edit_.id_of(*across)};
        const ValueId x = turned(across->inputs[k], nodes);
        if (x == kNoValue || !(f_.type(x) == type)) continue;
        const size_t at = straight->inputs[0] == x ? 0 : 1;
        if (straight->inputs[at] != x || !edit_.closed(nodes, id)) continue;
        const std::vector<ValueId> inputs{x, straight->inputs[1 - at], across->inputs[1 - k]};
        if (!claimed(id, inputs)) return;
        edit_.become(id, "percale:FusedRotary", inputs);
        return;
      }
    }
  }

  bool claimed(NodeId id, const std::vector<ValueId>& inputs) const {
    Node asked = f_.node(id);
    asked.op = edit_.schema("percale:FusedRotary");
    asked.inputs = inputs;
    asked.attributes = {};
    return asked.op != nullptr && context_.claims(f_, asked);
  }

  Function& f_;
  const PassContext& context_;
  Edit edit_;
};

}  // namespace

Status recognize_rotary(const Graph& graph, Function& f, PassContext& context) {
  if constexpr (!is_built("FusedRotary")) return {};
  if (!context.claims) return {};
  PERCALE_ASSIGN_OR_RETURN(const bool changed, RotaryRecognition(graph, f, context).run());
  return changed ? dead_code(graph, f, context) : Status();
}

}  // namespace percale
