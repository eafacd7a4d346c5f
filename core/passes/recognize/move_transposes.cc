// Exporters that turn images from one layout into the other leave Transposes between a product and the elementwise ops behind it, one on
// each way. f(Transpose(a), Transpose(b)) = Transpose(f(a, b)): what is written out becomes neighbours again, ways that meet need
// one Transpose instead of two, and no bit changes. ReduceMax and ReduceMin read past one.
#include <algorithm>

#include "core/graph/device_hint.h"
#include "core/passes/edit/edit.h"
#include "core/passes/recognize/move_along.h"
#include "core/passes/recognize/recognize.h"

namespace percale {
namespace {

class TransposeMoves {
 public:
  TransposeMoves(const Graph& graph, Function& f) : f_(f), edit_(*graph.registry, f) {}

  // Moves Transposes by one node each; true when something moved.
  Result<bool> run() {
    const size_t count = f_.nodes.size();
    for (size_t i = 0; i < count; ++i) {
      look_through(static_cast<NodeId>(i));
      move(static_cast<NodeId>(i));
    }
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  // The Transpose that makes an operand of the node's and is there for it alone, where it stands as it was; else null.
  const Node* transpose_of(ValueId v, NodeId id) const {
    const Node* node = edit_.maker(v, "Transpose");
    if (node == nullptr || !edit_.used_once(v) || is_new(node->inputs[0])) return nullptr;
    const NodeId part[] = {edit_.id_of(*node)};
    return edit_.closed(part, id) ? node : nullptr;
  }
  // Made in this round: its turn comes in the next.
  bool is_new(ValueId v) const { return f_.value(v).kind == ValueKind::kNode && f_.value(v).def < 0; }

  // A product gave the value, with views and elementwise nodes behind it.
  bool behind_product(ValueId v) const {
    constexpr int kMostSteps = 16;
    for (int step = 0; step < kMostSteps && v != kNoValue && !is_new(v); ++step) {
      const Node* node = edit_.maker(v);
      if (node == nullptr) return false;
      const std::string_view op = node->op->name;
      if (node->op->domain.empty() && (op == "Gemm" || op == "MatMul" || op == "Conv")) return true;
      if (!node->op->has(kElementwise) && !node->op->has(kView)) return false;
      const auto computed = std::find_if(node->inputs.begin(), node->inputs.end(), [&](ValueId input) {
        return input != kNoValue && f_.value(input).kind == ValueKind::kNode;
      });
      v = computed == node->inputs.end() ? kNoValue : *computed;
    }
    return false;
  }

  // The greatest or least over some axes does not ask in which order they come.
  void look_through(NodeId id) {
    const Node& node = f_.node(id);
    const bool extreme = node.op->domain.empty() && (node.op->name == "ReduceMax" || node.op->name == "ReduceMin");
    if (!extreme || names_device(node.device) || node.inputs.size() != 2 || node.attributes.get_int("keepdims", 1) != 0)
      return;
    const Node* transpose = transpose_of(node.inputs[0], id);
    std::vector<int64_t> axes = edit_.integers(node.inputs[1]);
    if (transpose == nullptr || axes.empty()) return;
    const std::vector<int64_t> perm = transpose->attributes.get_ints("perm");
    const auto rank = static_cast<int64_t>(perm.size());
    std::vector<int64_t> stay = perm;  // the dims that are left, in the order of the result
    for (int64_t& axis : axes) {
      if (axis < -rank || axis >= rank) return;
      axis = perm[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
      std::erase(stay, axis);
    }
    if (!std::is_sorted(stay.begin(), stay.end())) return;
    edit_.become(id, node.op->name, {transpose->inputs[0], edit_.ints(axes)}, node.attributes);
  }

  void move(NodeId id) {
    const Node& node = f_.node(id);
    const bool elementwise = node.op->has(kPure) && node.op->has(kElementwise) && !node.op->has(kView);
    if (!elementwise || node.outputs.size() != 1 || names_device(node.device)) return;
    const Shape& shape = f_.type(node.outputs[0]).shape;
    if (!shape.is_static()) return;
    std::vector<ValueId> inputs = node.inputs;
    std::vector<int64_t> perm;
    size_t merged = 0;
    for (ValueId& v : inputs) {
      if (v == kNoValue) continue;
      const Shape& own = f_.type(v).shape;
      if (own.is_static() && own.num_elements() == 1 && own.rank() <= shape.rank()) continue;
      const Node* transpose = own == shape ? transpose_of(v, id) : nullptr;
      if (transpose == nullptr) return;
      const std::vector<int64_t> by = transpose->attributes.get_ints("perm");
      if (by.empty() || (merged > 0 && by != perm)) return;
      perm = by;
      v = transpose->inputs[0];
      ++merged;
    }
    if (merged == 0 || (merged == 1 && !std::any_of(inputs.begin(), inputs.end(),
                                                    [&](ValueId v) { return v != kNoValue && behind_product(v); }))) {
      return;
    }
    const std::string op = op_name(*node.op);
    const ValueId y = edit_.emit(id, op, inputs, node.attributes, node.name);
    edit_.become(id, "Transpose", {y}, {{"perm", std::move(perm)}});
  }

  Function& f_;
  Edit edit_;
};

}  // namespace

Status move_transposes(const Graph& graph, Function& f, PassContext& context) {
  return move_along<TransposeMoves>(graph, f, context);
}

}  // namespace percale
