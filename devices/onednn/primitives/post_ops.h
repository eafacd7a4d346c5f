// The nodes behind a convolution or a product, as oneDNN's post-ops.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_POST_OPS_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_POST_OPS_H_

#include <limits>
#include <vector>

#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

// The node that does the work, alone or at the beginning of a Fused node.
struct Anchor {
  Node node;
  std::vector<int> operands;  // per input of it: which operand of the whole node; -1: absent

  bool has(size_t i) const { return i < operands.size() && operands[i] >= 0; }
};

// Something that a post-op reads.
struct BinaryOperand {
  int post_op;  // its number
  int operand;  // of the whole node
  Dims dims;    // with as many dims as the output
};

struct PostOps {
  dnnl::post_ops ops;
  std::vector<BinaryOperand> operands;
  int sum = -1;  // the operand that lies where the result will, and is added to it first of all; -1: none
};

// What a node computes, as nodes of plain ops: the body of a Fused node, or the node by itself. Values are numbers: the operands
// of the whole node first, then what else is in the body; -1: absent.
class Body {
 public:
  explicit Body(const Node& whole) : whole_(whole), fused_(whole.host().node->body_node_count(whole.view())) {}

  const Node& whole() const { return whole_; }
  size_t size() const { return fused_ == 0 ? 1 : fused_; }
  Node node(size_t i) const {
    return fused_ == 0 ? whole_ : Node(whole_.host(), whole_.host().node->body_node(whole_.view(), i));
  }
  int input(size_t i, size_t j) const;
  int output(size_t i) const;
  bool is_operand(int value) const { return value >= 0 && static_cast<size_t>(value) < whole_.inputs(); }

 private:
  const Node& whole_;
  const size_t fused_;
};

// The first node of `whole` that the kernel runs by itself; Refusal when it is not called `op` (the kernel is for one op, its
// Fused form named by the attribute "anchor").
Anchor find_anchor(const Node& whole, std::string_view op);

// The nodes from number `first` to `last`, which follow each other from the value `current`, as post-ops; Refusal for what oneDNN has
// none for. `describe` says how an operand lies, which has as many dims as the output.
using Describe = std::function<MemoryDesc(const Dims& dims, DataType type)>;
PostOps find_post_ops(const Body& body, size_t first, size_t last, int current, const Describe& describe);
// What comes behind the anchor.
PostOps find_post_ops(const Node& whole, const Describe& describe);

// What comes behind a convolution or a product, as far as loops of ours have it: sums, then one function of what they give.
struct Tail {
  int row = -1;     // an operand that is added to every row of the result: [columns], or a number per channel
  int addend = -1;  // an operand that has the result's dims
  // Bounds: no less than `low`, no more than `high`. Swish: x * sigmoid(alpha x).
  enum class Function { kBounds, kGelu, kGeluTanh, kSwish, kSigmoid } function = Function::kBounds;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity(), alpha = 1;
};
// Refusal for anything else. `y`: the result's dims; `columns`: the one that rows have.
Tail find_tail(const PostOps& post_ops, const Dims& y, size_t columns);

// The operands of post-ops as arguments of a primitive that has them, behind its own. `fold`: what oneDNN makes of their dims.
template <class PrimitiveDesc, class Fold>
void add_operands(Made& made, const PostOps& post_ops, const PrimitiveDesc& primitive, Fold fold) {
  for (const BinaryOperand& operand : post_ops.operands) {
    const int name = DNNL_ARG_ATTR_MULTIPLE_POST_OP(operand.post_op) | DNNL_ARG_SRC_1;
    made.add(name, operand.operand, primitive.query_md(dnnl::query::exec_arg_md, name), fold(operand.dims));
  }
  if (post_ops.sum >= 0) made.start_from(post_ops.sum);
}

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_PRIMITIVES_POST_OPS_H_
