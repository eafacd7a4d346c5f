// A Reshape between a product and the elementwise ops behind it keeps them apart, although it does nothing: they become
// neighbours. f(Reshape(x), b) = Reshape(f(x, Reshape(b))); views cost nothing, and no bit changes.
#include <algorithm>

#include "core/graph/device_hint.h"
#include "core/passes/edit.h"
#include "core/passes/passes.h"

namespace percale {
namespace {

class ViewMoves {
 public:
  ViewMoves(const Graph& graph, Function& f) : f_(f), edit_(*graph.registry, f) {}

  // One node's worth of movement along each chain; true when something moved.
  Result<bool> run() {
    const size_t count = f_.nodes.size();
    std::vector<bool> moved(count, false);
    for (size_t i = 0; i < count; ++i) {
      const Node& node = f_.nodes[i];
      // What it reads may have been moved in this round: then its turn comes in the next.
      const bool fresh = std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
        return v != kNoValue && f_.value(v).kind == ValueKind::kNode &&
               (f_.value(v).def < 0 || moved[static_cast<size_t>(f_.value(v).def)]);
      });
      if (fresh && move(static_cast<NodeId>(i))) moved[i] = true;
    }
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  static bool is_view(const Node& node) {
    const std::string_view op = node.op->name;
    return node.op->domain.empty() && (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten");
  }
  // The node that a value comes from through elementwise nodes that are used once each is a product.
  bool behind_product(ValueId v) const {
    for (const Node* node = edit_.maker(v); node != nullptr && edit_.used_once(v); node = edit_.maker(v)) {
      const std::string_view op = node->op->name;
      if (node->op->domain.empty() && (op == "Gemm" || op == "MatMul" || op == "Conv")) return true;
      if (!node->op->has(kElementwise)) return false;
      v = node->inputs[0];
      for (ValueId other : node->inputs) {
        const Node* maker = other == kNoValue ? nullptr : edit_.maker(other);
        if (maker != nullptr && !is_view(*maker)) v = other;
      }
    }
    return false;
  }

  bool move(NodeId id) {
    const Node& node = f_.node(id);
    const bool elementwise = node.op->has(kPure) && node.op->has(kElementwise) && !node.op->has(kView);
    if (!elementwise || node.outputs.size() != 1 || names_device(node.device)) return false;
    const ValueType type = f_.type(node.outputs[0]);
    if (!type.shape.is_static()) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue) continue;
      const Node* view = edit_.maker(node.inputs[i]);
      if (view == nullptr || !is_view(*view) || !edit_.used_once(node.inputs[i])) continue;
      const NodeId part[] = {edit_.id_of(*view)};
      const ValueId x = view->inputs[0];
      const Shape shape = f_.type(x).shape;
      if (!(f_.type(node.inputs[i]).shape == type.shape) || !shape.is_static() || !edit_.closed(part, id)) continue;
      if (!behind_product(x) || !others_fit(node, i, type.shape, shape)) continue;
      carry_out(id, i, x, type.shape, shape);
      return true;
    }
    return false;
  }

  // Whether the other operands mean the same over `shape`: whole ones, which are reshaped too, single elements, and rows of a
  // last dim that stays.
  bool others_fit(const Node& node, size_t first, const Shape& whole, const Shape& shape) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i == first || node.inputs[i] == kNoValue) continue;
      const Shape& other = f_.type(node.inputs[i]).shape;
      if (!other.is_static()) return false;
      if (other == whole || (other.num_elements() == 1 && other.rank() <= shape.rank())) continue;
      const bool row = shape.rank() > 0 && whole.rank() > 0 && other.rank() == 1 && shape.back() == whole.back() &&
                       other.back() == whole.back();
      if (!row) return false;
    }
    return true;
  }

  void carry_out(NodeId id, size_t first, ValueId x, const Shape& whole, const Shape& shape) {
    std::vector<ValueId> inputs = f_.node(id).inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i == first) {
        inputs[i] = x;
      } else if (inputs[i] != kNoValue && f_.type(inputs[i]).shape == whole && whole.num_elements() != 1) {
        inputs[i] =
            edit_.emit(id, "Reshape", {inputs[i], edit_.ints({shape.begin(), shape.end()})}, {{"allowzero", 1}});
      }
    }
    const Node& node = f_.node(id);
    const std::string op = node.op->domain.empty() ? std::string(node.op->name) : op_name(*node.op);
    const ValueId y = edit_.emit(id, op, inputs, node.attributes, node.name);
    edit_.become(id, "Reshape", {y, edit_.ints({whole.begin(), whole.end()})}, {{"allowzero", 1}});
  }

  Function& f_;
  Edit edit_;
};

// Along chains of so many nodes.
constexpr int kMostRounds = 16;

}  // namespace

Status move_views(const Graph& graph, Function& f, PassContext& context) {
  for (int round = 0; round < kMostRounds; ++round) {
    PERCALE_ASSIGN_OR_RETURN(const bool changed, ViewMoves(graph, f).run());
    if (!changed) return {};
    // Views of views become one.
    if (!context.disabled.contains("algebra")) PERCALE_RETURN_IF_ERROR(algebra(graph, f, context));
    PERCALE_RETURN_IF_ERROR(dead_code(graph, f, context));
  }
  return {};
}

}  // namespace percale
