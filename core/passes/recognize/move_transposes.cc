// Moves Transposes behind elementwise ops. Exporters that convert images between layouts leave a
// Transpose before and behind the elementwise ops that follow a product. Since f(Transpose(a),
// Transpose(b)) = Transpose(f(a, b)), the ops become neighbours of the product again, and branches
// that join need one Transpose instead of two. No bit changes. ReduceMax and ReduceMin skip a
// Transpose before them.
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

  // Moves Transposes by one node each. Returns true if something moved.
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
  // Returns the Transpose that makes operand `v` and has `id` as its only user. Returns null if
  // there is none or if it was moved in this round.
  const Node* transpose_of(ValueId v, NodeId id) const {
    const Node* node = edit_.maker(v, "Transpose");
    if (node == nullptr || !edit_.used_once(v) || is_new(node->inputs[0])) return nullptr;
    const NodeId part[] = {edit_.id_of(*node)};
    return edit_.closed(part, id) ? node : nullptr;
  }
  // True for a value made in this round. It is handled in the next round.
  bool is_new(ValueId v) const { return f_.value(v).kind == ValueKind::kNode && f_.value(v).def < 0; }

  // True if the value comes from a product, possibly through views and elementwise nodes.
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

  // Lets a ReduceMax or ReduceMin skip a Transpose, because the order of its axes does not matter.
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
    std::vector<int64_t> stay = perm;  // remaining dims, in the order of the result
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
