// Replaces attention and its gradients, both written out, by percale:FusedAttention, which also
// returns one number per query, and percale:FusedAttentionGrad. So nothing as large as the scores
// is stored between them. The pass applies only if products are computed in bf16: in f32 a device's
// plain products are faster than such a kernel, and a training step keeps its bits.
#include <algorithm>
#include <optional>

#include "core/graph/device_hint.h"
#include "core/passes/recognize/attention_pattern.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

class AttentionGradRecognition {
 public:
  AttentionGradRecognition(const Graph& graph, Function& f, const PassContext& context)
      : f_(f), context_(context), edit_(*graph.registry, f), pattern_(edit_) {}

  Result<bool> run() {
    const size_t count = f_.nodes.size();
    for (size_t i = 0; i < count; ++i) match(static_cast<NodeId>(i));
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  // The gradients: the products that compute them, the nodes between these, and the gradient of Y.
  struct Backward {
    NodeId q = -1, k = -1, v = -1;
    std::vector<NodeId> between;
    ValueId dy = kNoValue;
  };

  bool is(NodeId id, std::string_view op) const {
    return id >= 0 && f_.node(id).op->domain.empty() && f_.node(id).op->name == op;
  }
  // True if the node is a product of a and b, one of them transposed as `flag` says. kNoValue
  // stands for any operand.
  bool is_product(NodeId id, const char* flag, ValueId a, ValueId b) const {
    if (id < 0 || op_name(*f_.node(id).op) != "percale:BatchMatMul") return false;
    const Node& node = f_.node(id);
    const bool as_is = node.attributes.get_int("transA") == (flag[5] == 'A' ? 1 : 0) &&
                       node.attributes.get_int("transB") == (flag[5] == 'B' ? 1 : 0);
    return as_is && (a == kNoValue || node.inputs[0] == a) && (b == kNoValue || node.inputs[1] == b);
  }
  NodeId product_among(ValueId operand, const char* flag, ValueId a, ValueId b) const {
    const auto& users = edit_.users(operand);
    const auto found = std::find_if(users.begin(), users.end(), [&](NodeId id) { return is_product(id, flag, a, b); });
    return found == users.end() ? -1 : *found;
  }
  static bool takes(const Node& node, ValueId a, ValueId b) {
    return (node.inputs[0] == a && node.inputs[1] == b) || (node.inputs[0] == b && node.inputs[1] == a);
  }
  // Returns a node of the given op that reads exactly `x` and `y`; -1 if there is none.
  NodeId joint(std::string_view op, ValueId x, ValueId y) const {
    for (NodeId id : edit_.users(x)) {
      if (is(id, op) && takes(f_.node(id), x, y)) return id;
    }
    return -1;
  }

  // Follows the gradient `ds` backward through `forward`, a node before the softmax. Returns
  // kNoValue if the graph has another form there.
  ValueId through(const Node& forward, ValueId ds, std::vector<NodeId>& between) const {
    const std::string_view op = forward.op->name;
    if (op == "Add") return ds;
    const NodeId id = edit_.sole_user(ds);
    if (!is(id, op)) return kNoValue;
    const Node& node = f_.node(id);
    between.push_back(id);
    if (op == "Where") {  // a masked score gets no gradient: its weight is 0
      const bool fits =
          node.inputs[0] == forward.inputs[0] && ((node.inputs[1] == ds && edit_.number(node.inputs[2]) == 0.0) ||
                                                  (node.inputs[2] == ds && edit_.number(node.inputs[1]) == 0.0));
      return fits ? node.outputs[0] : kNoValue;
    }
    for (size_t i = 0; i < 2; ++i) {
      const auto number = edit_.number(node.inputs[i]);
      const bool same =
          number && (number == edit_.number(forward.inputs[0]) || number == edit_.number(forward.inputs[1]));
      if (same && node.inputs[1 - i] == ds) return node.outputs[0];
    }
    return kNoValue;
  }

  std::optional<Backward> backward(const Node& product, const AttentionPattern::Found& found) const {
    const ValueId p = product.inputs[0], v = product.inputs[1];
    Backward out;
    out.v = product_among(p, "transA", p, kNoValue);
    if (out.v < 0) return std::nullopt;
    out.dy = f_.node(out.v).inputs[1];
    const NodeId weighed = product_among(out.dy, "transB", out.dy, v);
    if (weighed < 0) return std::nullopt;
    const ValueId dp = f_.node(weighed).outputs[0];
    const NodeId multiplied = joint("Mul", p, dp);
    if (multiplied < 0) return std::nullopt;
    const NodeId summed = edit_.sole_user(f_.node(multiplied).outputs[0]);
    const int64_t last = static_cast<int64_t>(f_.type(p).shape.rank()) - 1;
    if (!is(summed, "ReduceSum") || f_.node(summed).inputs.size() < 2) return std::nullopt;
    const auto axes = edit_.integers(f_.node(summed).inputs[1]);
    if (axes.size() != 1 || (axes[0] != -1 && axes[0] != last)) return std::nullopt;
    const NodeId less = edit_.sole_user(f_.node(summed).outputs[0]);
    if (!is(less, "Sub") || f_.node(less).inputs[0] != dp || f_.node(less).inputs[1] != f_.node(summed).outputs[0]) {
      return std::nullopt;
    }
    const NodeId softmax = joint("Mul", f_.node(less).outputs[0], p);
    if (softmax < 0) return std::nullopt;
    out.between = {weighed, multiplied, summed, less, softmax};
    ValueId ds = f_.node(softmax).outputs[0];
    for (NodeId id : found.scores.nodes) {
      if (is(id, "MatMul")) break;
      ds = through(f_.node(id), ds, out.between);
      if (ds == kNoValue) return std::nullopt;
    }
    out.q = product_among(ds, "transB", ds, found.scores.k_transposed);
    out.k = product_among(ds, "transA", found.scores.q, ds);
    if (out.q < 0 || out.k < 0) return std::nullopt;
    return out;
  }

  void match(NodeId id) {
    const Node& product = f_.node(id);
    if (names_device(product.device) || !product.op->domain.empty() || product.op->name != "MatMul") return;
    AttentionPattern::Found found;
    const ValueType& y = f_.type(product.outputs[0]);
    if (y.dtype != DType::kF32 || y.shape.rank() != 4 || !pattern_.find(product, true, found)) return;
    const std::optional<Backward> grads = backward(product, found);
    if (!grads) return;
    std::vector<NodeId> inner = grads->between;
    inner.insert(inner.end(), found.scores.nodes.begin(), found.scores.nodes.end());
    inner.push_back(found.softmax);
    const NodeId roots[] = {id, grads->q, grads->k, grads->v};
    if (!edit_.closed(inner, roots) || !claimed()) return;
    auto [root, by_row, shape] = pattern_.place(id);
    const NodeId before[] = {id};
    if (by_row && !edit_.closed(before, root)) return;

    Attributes attributes = pattern_.attributes(found);
    attributes.set("y_by_row", by_row);
    const std::vector<ValueId> inputs = pattern_.operands(root, found);
    if (inputs.empty()) return;
    const auto forward = edit_.emit_many(root, "percale:FusedAttention", inputs, 2, attributes, "attention");
    stand_for(root, forward[0], {});

    const NodeId at = std::min({grads->v, grads->between[0], grads->q, grads->k});
    const AttentionPattern::Operand dy = pattern_.operand(grads->dy);
    attributes.set("dy_by_row", dy.by_row);
    std::vector<ValueId> operands{pattern_.as(at, dy), inputs[0], inputs[1], inputs[2], forward[0], forward[1]};
    if (inputs.size() > 3) operands.push_back(inputs[3]);
    const auto made = edit_.emit_many(at, "percale:FusedAttentionGrad", operands, 3, attributes, "attention/grad");
    const std::vector<int64_t> rows{0, 2, 1, 3}, columns{0, 2, 3, 1}, swapped{0, 1, 3, 2};
    stand_for(grads->q, made[0], found.q.by_row ? rows : std::vector<int64_t>{});
    stand_for(grads->k, made[1], found.k.by_row ? columns : swapped);
    stand_for(grads->v, made[2], found.v.by_row ? rows : std::vector<int64_t>{});
  }

  // Replaces `node` by `value`, with its dims in the order of `perm`.
  void stand_for(NodeId node, ValueId value, std::vector<int64_t> perm) {
    if (!perm.empty()) {
      edit_.become(node, "Transpose", {value}, {{"perm", std::move(perm)}});
      return;
    }
    const Shape seen = f_.type(f_.node(node).outputs[0]).shape;
    edit_.become(node, "Reshape", {value, edit_.ints({seen.begin(), seen.end()})}, {{"allowzero", 1}});
  }

  // The kernels take any sizes, so the query uses tiny ones.
  bool claimed() const {
    const ValueType one{DType::kBF16, Shape{1, 1, 1, 1}}, row{DType::kF32, Shape{1, 1, 1}};
    return claims_op(context_, edit_, "percale:FusedAttention", {one, one, one}, {one, row}, {}) &&
           claims_op(context_, edit_, "percale:FusedAttentionGrad", {one, one, one, one, one, row}, {one, one, one},
                     {});
  }

  Function& f_;
  const PassContext& context_;
  Edit edit_;
  AttentionPattern pattern_;
};

}  // namespace

Status recognize_attention_grad(const Graph& graph, Function& f, PassContext& context) {
  if constexpr (!is_built("FusedAttentionGrad")) return {};
  if (!context.claims || !context.narrows) return {};
  PERCALE_ASSIGN_OR_RETURN(const bool changed, AttentionGradRecognition(graph, f, context).run());
  if (!changed) return {};
  // merges the Transposes of heads that are now adjacent
  PERCALE_RETURN_IF_ERROR(algebra(graph, f, context));
  return dead_code(graph, f, context);
}

}  // namespace percale
