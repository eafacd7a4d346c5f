// Finds scaled dot-product attention as exporters write it: softmax(scale Q K^T + mask) V with Q, K
// and V of rank 4, or of rank 3 with the heads in the first dim. Transposes that only move heads
// are left out, because percale:FusedAttention reads and writes the layout of products, [batch,
// sequence, heads, size].
#ifndef PERCALE_CORE_PASSES_RECOGNIZE_ATTENTION_PATTERN_H_
#define PERCALE_CORE_PASSES_RECOGNIZE_ATTENTION_PATTERN_H_

#include <optional>
#include <string_view>
#include <vector>

#include "core/passes/edit/edit.h"
#include "core/passes/recognize/recognize.h"

namespace percale {

class AttentionPattern {
 public:
  using Perm = std::vector<int64_t>;
  // Q, K or V as the op reads it: a value of rank 4, or of rank 3 that represents one.
  struct Operand {
    ValueId value = kNoValue;
    bool by_row = false;
    Shape shape;  // rank 4, in the layout that the op reads
    int64_t heads() const { return shape[by_row ? 2 : 1]; }
  };
  // The scores, which are the input of the softmax.
  struct Scores {
    ValueId q = kNoValue, k_transposed = kNoValue;
    double scale = 1;
    std::vector<ValueId> added;
    // Where(condition, x, low) or, if swapped, Where(condition, low, x)
    struct Chosen {
      ValueId condition, low;
      bool swapped;
    };
    std::vector<Chosen> chosen;
    std::vector<NodeId> nodes;  // from the softmax's input down to the product
  };
  struct Found {
    Scores scores;
    NodeId softmax = -1;
    Operand q, k, v;
    bool nan_is_zero = false;
  };
  // The node that the op replaces, and the layout of Y.
  struct Place {
    NodeId root = -1;
    bool by_row = false;
    Shape shape;
  };

  explicit AttentionPattern(Edit& edit) : edit_(edit), f_(edit.function()) {}

  // Finds attention whose last product is `product`. With `backward`, gradients also read the
  // probabilities, Q and K, so these are taken as they are.
  bool find(const Node& product, bool backward, Found& out) const;
  Place place(NodeId product) const;
  // Describes a value of shape [batch, heads, sequence, size] or [heads, sequence, size] as an
  // operand of the op. With `shared`, a repetition of heads is skipped.
  Operand operand(ValueId v, bool shared = false) const;

  // Returns Q, K, V and the mask, if there is one, for the op that replaces node `at`.
  std::vector<ValueId> operands(NodeId at, Found& found);
  Attributes attributes(const Found& found) const;
  ValueId as(NodeId at, const Operand& o);

 private:
  const Node* maker(ValueId v, std::string_view op) const { return edit_.maker(v, op); }
  const Shape& shape(ValueId v) const { return f_.type(v).shape; }
  static Shape by_head(const Shape& s) { return s.rank() == 4 ? s : Shape{1, s[0], s[1], s[2]}; }
  static Perm perm(const Node& transpose) { return transpose.attributes.get_ints("perm"); }

  bool scores_of(ValueId v, const Shape& whole, bool scaled, Scores& out) const;
  const Node* softmax_of(ValueId p, size_t rank, bool backward, Found& out) const;
  ValueId unscaled(ValueId v, double& scale, std::vector<NodeId>& nodes) const;
  ValueId shared_heads(ValueId v) const;
  std::optional<Operand> transposed_operand(ValueId v, bool shared) const;
  bool fits(ValueId mask, const Shape& scores) const;
  const Node* sole_transpose(ValueId v) const;
  ValueId mask(NodeId at, const Scores& s);

  Edit& edit_;
  Function& f_;
};

// True if a device has a kernel that takes the op on values of these types.
bool claims_op(const PassContext& context, const Edit& edit, std::string_view op, const std::vector<ValueType>& inputs,
               const std::vector<ValueType>& outputs, const Attributes& attributes);

}  // namespace percale

#endif  // PERCALE_CORE_PASSES_RECOGNIZE_ATTENTION_PATTERN_H_
