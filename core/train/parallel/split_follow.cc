#include "core/train/parallel/split_follow.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/train/parallel/split_axes.h"

namespace percale {
namespace {

// Returns the axis of the output along which the cut inputs are cut; nothing if they differ.
std::optional<size_t> common_axis(const SplitValues& values, const Node& node) {
  const SplitContext& c = values.context();
  std::optional<size_t> axis;
  for (ValueId v : node.inputs) {
    if (!values.is_split(v)) continue;
    const size_t own = c.shape(node.outputs[0]).rank() - c.shape(v).rank() + values.forms(v).axis;
    if (axis && *axis != own) return std::nullopt;
    axis = own;
  }
  return axis;
}

// The form in which the parts of an elementwise node take an operand.
enum class OperandForm : uint8_t { kParts, kWhole, kUnfit };

// An operand of size 1 along the axis is used whole, and a variable with a number per column is
// cut. Any other operand is unfit: the parts are then joined first. `axis` is one of the output,
// which has rank `rank`.
OperandForm operand_form(SplitValues& values, ValueId v, size_t axis, size_t rank) {
  if (v == kNoValue) return OperandForm::kWhole;
  const Shape& s = values.context().shape(v);
  if (!s.known_rank()) return OperandForm::kUnfit;
  if (values.is_split(v)) return OperandForm::kParts;
  if (s.rank() + axis < rank) return OperandForm::kWhole;
  const size_t own = s.rank() + axis - rank;
  if (s[own] == 1) return OperandForm::kWhole;
  return values.variable_axis(v, own) ? OperandForm::kParts : OperandForm::kUnfit;
}

bool follow_elementwise(SplitValues& values, const Node& node) {
  const SplitContext& c = values.context();
  const std::optional<size_t> axis = common_axis(values, node);
  if (!axis) return false;
  const size_t rank = c.shape(node.outputs[0]).rank();
  std::vector<OperandForm> forms;
  for (ValueId v : node.inputs) {
    forms.push_back(operand_form(values, v, *axis, rank));
    if (forms.back() == OperandForm::kUnfit) return false;
  }
  std::vector<std::vector<ValueId>> operands(static_cast<size_t>(c.parts));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId v = node.inputs[i];
    std::vector<ValueId> own;
    if (forms[i] == OperandForm::kWhole) {
      own.assign(operands.size(), values.whole(v));
    } else {
      own = values.parts_along(v, c.shape(v).rank() + *axis - rank, SplitForm::kColumn, c.stage_of(node));
    }
    for (size_t k = 0; k < operands.size(); ++k) operands[k].push_back(own[k]);
  }
  values.set_parts(node.outputs[0], c.emit_parts(node, operands), *axis);
  return true;
}

bool follow_reshape(SplitValues& values, const Node& node) {
  const SplitContext& c = values.context();
  const ValueId x = node.inputs[0];
  const Tensor* dims = node.inputs.size() > 1 ? c.from.constant(node.inputs[1]) : nullptr;
  if (dims == nullptr || node.attributes.get_int("allowzero") != 0 || !values.is_split(x)) return false;
  std::vector<int64_t> wanted = to_int64s(*dims);
  const std::vector<int64_t> full = reshaped_dims(c.shape(x), wanted);
  if (full.empty()) return false;
  const auto made = Shape::make(full);
  const size_t from_axis = values.forms(x).axis;
  const auto axis = made.ok() ? same_parts(c.shape(x), from_axis, *made, c.parts) : std::nullopt;
  if (!axis) return false;
  // A 0 copies a dim of the input. Dims from the cut axis on are written out, because those of a
  // part differ.
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i >= std::min(*axis, from_axis) && wanted[i] <= 0) wanted[i] = full[i];
    if (i >= std::min(*axis, from_axis) && wanted[i] < 0) return false;
  }
  wanted[*axis] = full[*axis] / c.parts;
  std::vector<std::vector<ValueId>> operands;
  const ValueId target = c.e.ints(wanted);
  for (ValueId part : values.forms(x).parts) operands.push_back({part, target});
  values.set_parts(node.outputs[0], c.emit_parts(node, operands), *axis);
  return true;
}

// Adds a node with one input, which is cut. `axis` is that of the cut in the output.
void follow_unary(SplitValues& values, const Node& node, size_t axis) {
  std::vector<std::vector<ValueId>> operands;
  for (ValueId part : values.forms(node.inputs[0]).parts) operands.push_back({part});
  values.set_parts(node.outputs[0], values.context().emit_parts(node, operands), axis);
}

bool follow_transpose(SplitValues& values, const Node& node) {
  const std::vector<int64_t>& perm = node.attributes.get_ints("perm");
  const auto found = std::find(perm.begin(), perm.end(), static_cast<int64_t>(values.forms(node.inputs[0]).axis));
  if (found == perm.end()) return false;
  follow_unary(values, node, static_cast<size_t>(found - perm.begin()));
  return true;
}

bool follow_softmax(SplitValues& values, const Node& node) {
  const ValueId x = node.inputs[0];
  const auto rank = static_cast<int64_t>(values.context().shape(x).rank());
  const int64_t axis = with_defaults(*node.op, node.attributes).get_int("axis");
  const size_t cut_axis = values.forms(x).axis;
  if (static_cast<int64_t>(cut_axis) == (axis < 0 ? axis + rank : axis)) return false;
  follow_unary(values, node, cut_axis);
  return true;
}

// A product of two values that are cut along the same batch dim, such as the heads of attention.
bool follow_product(SplitValues& values, const Node& node) {
  const SplitContext& c = values.context();
  const ValueId a = node.inputs[0], b = node.inputs[1];
  if (!values.is_split(a) || !values.is_split(b)) return false;
  const SplitValues::Forms &left = values.forms(a), &right = values.forms(b);
  const size_t rank = c.shape(a).rank();
  if (c.shape(b).rank() != rank || right.axis != left.axis || left.axis + 2 >= rank) return false;
  std::vector<std::vector<ValueId>> operands;
  for (size_t k = 0; k < left.parts.size(); ++k) operands.push_back({left.parts[k], right.parts[k]});
  values.set_parts(node.outputs[0], c.emit_parts(node, operands), left.axis);
  return true;
}

}  // namespace

bool follow_parts(SplitValues& values, const Node& node) {
  const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return values.is_split(v); });
  if (!any || node.outputs.size() != 1 || node.op->has(kRandom)) return false;
  if (!values.context().shape(node.outputs[0]).known_rank()) return false;
  switch (node.op->traits.split) {
    case SplitRule::kReshape: return follow_reshape(values, node);
    case SplitRule::kTranspose: return follow_transpose(values, node);
    case SplitRule::kSoftmax: return follow_softmax(values, node);
    case SplitRule::kProduct: return follow_product(values, node);
    case SplitRule::kTable: return false;
    case SplitRule::kNone: break;
  }
  return node.op->has(kElementwise) && follow_elementwise(values, node);
}

}  // namespace percale
