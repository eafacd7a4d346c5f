// Replaces attention that is written out by percale:FusedAttention.
#include "core/graph/device_hint.h"
#include "core/passes/recognize/attention_pattern.h"
#include "core/passes/recognize/recognize.h"
#include "core/passes/simplify/simplify.h"

namespace percale {
namespace {

class AttentionRecognition {
 public:
  AttentionRecognition(const Graph& graph, Function& f, const PassContext& context)
      : f_(f), context_(context), edit_(*graph.registry, f), pattern_(edit_) {}

  Result<bool> run() {
    const size_t count = f_.nodes.size();
    for (size_t i = 0; i < count; ++i) match(static_cast<NodeId>(i));
    PERCALE_RETURN_IF_ERROR(edit_.finish());
    return edit_.changed();
  }

 private:
  void match(NodeId id) {
    const Node& product = f_.node(id);
    if (names_device(product.device) || !product.op->domain.empty() || product.op->name != "MatMul") return;
    AttentionPattern::Found found;
    if (!pattern_.find(product, false, found)) return;
    found.scores.nodes.push_back(found.softmax);
    if (!edit_.closed(found.scores.nodes, id)) return;
    // With rank 3, masks of two shapes would have to be expanded in order to add them.
    const AttentionPattern::Scores& scores = found.scores;
    if (scores.added.size() + scores.chosen.size() > 1 && f_.type(product.inputs[0]).shape.rank() == 3) return;
    const auto [root, by_row, out] = pattern_.place(id);
    Attributes attributes = pattern_.attributes(found);
    attributes.set("nan_is_zero", found.nan_is_zero);
    attributes.set("y_by_row", by_row);
    if (!claimed(id, attributes)) return;
    const NodeId before[] = {id};
    if (by_row && !edit_.closed(before, root)) return;
    const std::vector<ValueId> inputs = pattern_.operands(root, found);
    if (inputs.empty()) return;
    if (f_.type(f_.node(root).outputs[0]).shape == out) {
      edit_.become(root, "percale:FusedAttention", inputs, std::move(attributes));
      return;
    }
    const ValueId made = edit_.emit(root, "percale:FusedAttention", inputs, std::move(attributes), "attention");
    const Shape seen = f_.type(f_.node(root).outputs[0]).shape;
    const ValueId dims = edit_.ints({seen.begin(), seen.end()});
    edit_.become(root, "Reshape", {made, dims}, {{"allowzero", 1}});
  }

  // The kernel takes any sizes, so the query uses tiny ones.
  bool claimed(NodeId id, const Attributes& attributes) const {
    const ValueType one{f_.type(f_.node(id).outputs[0]).dtype, Shape{1, 1, 1, 1}};
    return claims_op(context_, edit_, "percale:FusedAttention", {one, one, one}, {one}, attributes);
  }

  Function& f_;
  const PassContext& context_;
  Edit edit_;
  AttentionPattern pattern_;
};

}  // namespace

Status recognize_attention(const Graph& graph, Function& f, PassContext& context) {
  if constexpr (!is_built("FusedAttention")) return {};
  if (!context.claims || trains(graph, f)) return {};
  PERCALE_ASSIGN_OR_RETURN(const bool changed, AttentionRecognition(graph, f, context).run());
  return changed ? dead_code(graph, f, context) : Status();
}

}  // namespace percale
