// Moves a Reshape between a product and the elementwise ops behind it past those ops, so that they
// become neighbours of the product. f(Reshape(x), b) = Reshape(f(x, Reshape(b))). Views cost
// nothing, and no bit changes.
#include <algorithm>
#include <optional>

#include "core/graph/device_hint.h"
#include "core/passes/edit/edit.h"
#include "core/passes/recognize/move_along.h"
#include "core/passes/recognize/recognize.h"

namespace percale {
namespace {

class ViewMoves {
 public:
  ViewMoves(const Graph& graph, Function& f) : f_(f), edit_(*graph.registry, f) {}

  // Moves each view by one node. Returns true if something moved.
  Result<bool> run() {
    const size_t count = f_.nodes.size();
    std::vector<bool> moved(count, false);
    for (size_t i = 0; i < count; ++i) {
      const Node& node = f_.nodes[i];
      // If an input was moved in this round, the node is handled in the next round.
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
  // True if the value comes from a product through elementwise nodes that are used once each.
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

  // True for a pool over the whole image, whose result does not depend on the spatial dims.
  static bool pools_all(const Node& node) {
    const std::string_view op = node.op->name;
    return node.op->domain.empty() && (op == "GlobalMaxPool" || op == "GlobalAveragePool");
  }
  static bool same_images(const Shape& a, const Shape& b) {
    return a.rank() > 2 && b.rank() > 2 && a[0] == b[0] && a[1] == b[1];
  }

  bool move(NodeId id) {
    const Node& node = f_.node(id);
    const bool pool = pools_all(node);
    const bool elementwise = node.op->has(kPure) && node.op->has(kElementwise) && !node.op->has(kView);
    if (!(elementwise || pool) || node.outputs.size() != 1 || names_device(node.device)) return false;
    const ValueType type = f_.type(node.outputs[0]);
    if (!type.shape.is_static()) return false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue) continue;
      const Node* view = edit_.maker(node.inputs[i]);
      if (view == nullptr || !is_view(*view) || !edit_.used_once(node.inputs[i])) continue;
      const NodeId part[] = {edit_.id_of(*view)};
      const ValueId x = view->inputs[0];
      const Shape shape = f_.type(x).shape;
      const Shape seen_shape = f_.type(node.inputs[i]).shape;
      const bool fits = pool ? seen_shape.is_static() && same_images(seen_shape, shape) : seen_shape == type.shape;
      if (!fits || !shape.is_static() || !edit_.closed(part, id) || !behind_product(x)) continue;
      if (!others_fit(node, i, type.shape, shape)) continue;
      carry_out(id, i, x, type.shape, shape);
      return true;
    }
    return false;
  }

  // Returns the shape that an operand of shape `other` must have to broadcast over `shape` as it
  // does over `whole`. Supports operands of the whole shape, of one element, and rows along a last
  // dim that stays. Other operands are supported if `shape` and `whole` differ only in dims of 1.
  static std::optional<Shape> beside(const Shape& other, const Shape& whole, const Shape& shape) {
    if (!other.is_static()) return std::nullopt;
    if (other == whole) return shape;
    if (other.num_elements() == 1 && other.rank() <= shape.rank()) return other;
    if (other.rank() == 1 && shape.rank() > 0 && shape.back() == whole.back() && other.back() == whole.back())
      return other;
    if (other.rank() > whole.rank()) return std::nullopt;
    Shape out = shape;
    size_t at = 0;  // index into `whole`
    const auto pass_ones = [&] {
      while (at < whole.rank() && whole[at] == 1) ++at;
    };
    for (size_t i = 0; i < shape.rank(); ++i) {
      if (shape[i] == 1) continue;
      pass_ones();
      if (at == whole.rank() || whole[at] != shape[i]) return std::nullopt;
      const size_t absent = whole.rank() - other.rank();
      out[i] = at < absent ? 1 : other[at - absent];
      ++at;
    }
    pass_ones();
    return at == whole.rank() ? std::optional(out) : std::nullopt;
  }

  bool others_fit(const Node& node, size_t first, const Shape& whole, const Shape& shape) const {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i != first && node.inputs[i] != kNoValue && !beside(f_.type(node.inputs[i]).shape, whole, shape))
        return false;
    }
    return true;
  }

  void carry_out(NodeId id, size_t first, ValueId x, const Shape& whole, const Shape& shape) {
    std::vector<ValueId> inputs = f_.node(id).inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i == first) {
        inputs[i] = x;
      } else if (inputs[i] != kNoValue) {
        inputs[i] = seen_as(id, inputs[i], *beside(f_.type(inputs[i]).shape, whole, shape));
      }
    }
    const Node& node = f_.node(id);
    const std::string op = op_name(*node.op);
    const ValueId y = edit_.emit(id, op, inputs, node.attributes, node.name);
    edit_.become(id, "Reshape", {y, edit_.ints({whole.begin(), whole.end()})}, {{"allowzero", 1}});
  }

  // Returns the value reshaped to `shape`; a constant stays a constant.
  ValueId seen_as(NodeId before, ValueId v, const Shape& shape) {
    if (f_.type(v).shape == shape) return v;
    if (const Tensor* t = f_.constant(v)) return edit_.constant(t->reshaped(shape), f_.value(v).name);
    return edit_.emit(before, "Reshape", {v, edit_.ints({shape.begin(), shape.end()})}, {{"allowzero", 1}});
  }

  Function& f_;
  Edit edit_;
};

}  // namespace

Status move_views(const Graph& graph, Function& f, PassContext& context) {
  return move_along<ViewMoves>(graph, f, context);
}

}  // namespace percale
