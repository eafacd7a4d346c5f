// Translates the nodes after a convolution or a product into oneDNN's post-ops.
#ifndef PERCALE_DEVICES_ONEDNN_PRIMITIVES_POST_OPS_H_
#define PERCALE_DEVICES_ONEDNN_PRIMITIVES_POST_OPS_H_

#include <limits>
#include <vector>

#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

// The anchor: the node that does the main work, alone or as the first of a Fused node.
struct Anchor {
  Node node;
  std::vector<int> operands;  // for each of its inputs, the operand of the whole node; -1: absent

  bool has(size_t i) const { return i < operands.size() && operands[i] >= 0; }
};

// An operand that a post-op reads.
struct BinaryOperand {
  int post_op;  // its number
  int operand;  // of the whole node
  Dims dims;    // of the output's rank
};

struct PostOps {
  dnnl::post_ops ops;
  std::vector<BinaryOperand> operands;
  int sum = -1;  // the operand that shares the result's memory and is added first; -1: none
};

// The computation of a node as plain nodes: the body of a Fused node, or the node itself. Values
// are numbered: first the operands of the whole node, then the other values of the body; -1 is
// absent.
class Body {
 public:
  explicit Body(const Node& whole) : whole_(whole), fused_(whole.body_size()) {}

  const Node& whole() const { return whole_; }
  size_t size() const { return fused_ == 0 ? 1 : fused_; }
  Node node(size_t i) const { return fused_ == 0 ? whole_ : whole_.body_node(i); }
  int input(size_t i, size_t j) const;
  int output(size_t i) const;
  bool is_operand(int value) const { return value >= 0 && static_cast<size_t>(value) < whole_.inputs(); }

 private:
  const Node& whole_;
  const size_t fused_;
};

// Returns the first node of `whole`, which the kernel runs as its anchor. Throws a Refusal if its
// op is not `op`. The kernel is for one op, whose Fused form has the attribute "anchor".
Anchor find_anchor(const Node& whole, std::string_view op);

// Translates the nodes [first, last), a chain that starts from the value `current`, into post-ops.
// Throws a Refusal if oneDNN has no such post-op. `describe` returns the layout of an operand,
// which has the output's rank.
using Describe = std::function<MemoryDesc(const Dims& dims, DataType type)>;
PostOps find_post_ops(const Body& body, size_t first, size_t last, int current, const Describe& describe);
// Translates the epilogue of the anchor.
PostOps find_post_ops(const Node& whole, const Describe& describe);

// The epilogue of a convolution or a product as far as this plug-in's own loops support it:
// additions, then one function of the sum.
struct Epilogue {
  // an operand added to every row of the result: [columns], or one number per channel
  int row = -1;
  int addend = -1;  // an operand with the result's dims
  // Bounds clamp to `low` and `high`. Swish is x * sigmoid(alpha x).
  enum class Function { kBounds, kGelu, kGeluTanh, kSwish, kSigmoid } function = Function::kBounds;
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity(), alpha = 1;
};
// Throws a Refusal for any other epilogue. `y` holds the result's dims, and `columns` is the dim of
// a row.
Epilogue find_epilogue(const PostOps& post_ops, const Dims& y, size_t columns);

// Adds the operands of post-ops to `made`, after the primitive's own arguments. `fold` maps their
// dims to those that oneDNN uses.
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
