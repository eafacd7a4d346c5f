#include "core/passes/recognize/attention_pattern.h"

#include <algorithm>

namespace percale {

bool AttentionPattern::scores_of(ValueId v, const Shape& whole, bool scaled, Scores& out) const {
  const Node* node = edit_.maker(v);
  if (node == nullptr || !node->op->domain.empty() || !(shape(v) == whole) || !edit_.used_once(v)) return false;
  const std::string_view op = node->op->name;
  const size_t kept = out.nodes.size();
  out.nodes.push_back(edit_.id_of(*node));
  if (op == "MatMul") {
    out.q = node->inputs[0];
    out.k_transposed = node->inputs[1];
    return true;
  }
  if (op == "Mul" || op == "Div") {
    for (size_t i = 0; i < (op == "Mul" ? 2u : 1u); ++i) {
      const auto number = edit_.number(node->inputs[1 - i]);
      if (!number || *number == 0 || !scores_of(node->inputs[i], whole, true, out)) continue;
      out.scale = op == "Mul" ? out.scale * *number : out.scale / *number;
      return true;
    }
  } else if (op == "Add" && !scaled) {
    for (size_t i = 0; i < 2; ++i) {
      if (!scores_of(node->inputs[i], whole, scaled, out)) continue;
      out.added.push_back(node->inputs[1 - i]);
      return true;
    }
  } else if (op == "Where" && !scaled) {
    for (size_t i = 1; i < 3; ++i) {
      const auto low = edit_.number(node->inputs[3 - i]);
      // The number is so low that adding it to a score gives the number itself: the score rounds
      // away.
      if (!low || !(*low <= -1e30) || !scores_of(node->inputs[i], whole, scaled, out)) continue;
      out.chosen.push_back({node->inputs[0], node->inputs[3 - i], i == 2});
      return true;
    }
  }
  out.nodes.resize(kept);
  return false;
}

// Skips multiplications and divisions by one number, and collects them in `scale` and `nodes`.
ValueId AttentionPattern::unscaled(ValueId v, double& scale, std::vector<NodeId>& nodes) const {
  for (;;) {
    const Node* node = maker(v, "Mul");
    const bool divides = node == nullptr;
    if (divides) node = maker(v, "Div");
    if (node == nullptr || !edit_.used_once(v)) return v;
    ValueId rest = kNoValue;
    for (size_t i = 0; i < (divides ? 1u : 2u); ++i) {
      const auto number = edit_.number(node->inputs[1 - i]);
      if (!number || *number == 0 || !(shape(node->inputs[i]) == shape(v))) continue;
      scale = divides ? scale / *number : scale * *number;
      rest = node->inputs[i];
      break;
    }
    if (rest == kNoValue) return v;
    nodes.push_back(edit_.id_of(*node));
    v = rest;
  }
}

// Returns the value whose heads `v` repeats; `v` itself if it repeats none.
ValueId AttentionPattern::shared_heads(ValueId v) const {
  const Node* reshape = maker(v, "Reshape");
  const Node* expand = reshape != nullptr ? maker(reshape->inputs[0], "Expand") : nullptr;
  const Node* unsqueeze = expand != nullptr ? maker(expand->inputs[0], "Unsqueeze") : nullptr;
  if (unsqueeze == nullptr || shape(v).rank() != 4 || edit_.integers(unsqueeze->inputs[1]) != Perm{2}) return v;
  const Shape &from = shape(unsqueeze->inputs[0]), &wide = shape(reshape->inputs[0]), &whole = shape(v);
  if (from.rank() != 4 || !from.is_static() || wide.rank() != 5 || !wide.is_static()) return v;
  const bool repeats = wide == Shape{from[0], from[1], wide[2], from[2], from[3]} &&
                       whole == Shape{from[0], from[1] * wide[2], from[2], from[3]};
  return repeats ? unsqueeze->inputs[0] : v;
}

AttentionPattern::Operand AttentionPattern::operand(ValueId v, bool shared) const {
  if (shared) v = shared_heads(v);
  const Shape whole = by_head(shape(v));
  ValueId from = v;
  // A Reshape that inserts a dim of 1 before the heads.
  const Node* reshape = maker(v, "Reshape");
  if (reshape != nullptr && shape(reshape->inputs[0]).rank() == 3 && by_head(shape(reshape->inputs[0])) == whole) {
    from = reshape->inputs[0];
  }
  if (const Node* turned = maker(from, "Transpose")) {
    const ValueId rows = turned->inputs[0];
    if (perm(*turned) == Perm{0, 2, 1, 3}) return {rows, true, shape(rows)};
    if (perm(*turned) == Perm{1, 0, 2} && whole[0] == 1) {
      return {rows, true, Shape{1, shape(rows)[0], shape(rows)[1], shape(rows)[2]}};
    }
  }
  return {v, false, whole};
}

// Like operand(), for a value whose last two dims are swapped. Returns nullopt if no Transpose made
// it.
std::optional<AttentionPattern::Operand> AttentionPattern::transposed_operand(ValueId v, bool shared) const {
  const Shape whole = by_head(shape(v));
  const Shape want{whole[0], whole[1], whole[3], whole[2]};
  const Node* turned = maker(v, "Transpose");
  if (turned != nullptr && shape(v).rank() == 4) {
    if (perm(*turned) == Perm{0, 1, 3, 2}) return operand(turned->inputs[0], shared);
    if (perm(*turned) == Perm{0, 2, 3, 1}) return Operand{turned->inputs[0], true, shape(turned->inputs[0])};
    return std::nullopt;
  }
  if (const Node* reshape = maker(v, "Reshape"); reshape != nullptr && shape(v).rank() == 4) {
    turned = maker(reshape->inputs[0], "Transpose");
    if (turned == nullptr || shape(reshape->inputs[0]).rank() != 3) return std::nullopt;
    const Shape three = shape(reshape->inputs[0]);
    // Batches and heads are merged into one dim in between.
    if (three[1] != whole[2] || three[2] != whole[3]) return std::nullopt;
    if (perm(*turned) == Perm{0, 2, 1}) {
      const Node* before = maker(turned->inputs[0], "Reshape");
      if (before != nullptr && shape(before->inputs[0]) == want) return operand(before->inputs[0]);
      return Operand{turned->inputs[0], false, want};
    }
  } else if (turned == nullptr) {
    return std::nullopt;
  }
  const Shape from = shape(turned->inputs[0]);
  if (from.rank() != 3 || whole[0] != 1) return std::nullopt;
  if (perm(*turned) == Perm{0, 2, 1}) return operand(turned->inputs[0]);
  // [sequence, heads, size]
  if (perm(*turned) == Perm{1, 2, 0}) return Operand{turned->inputs[0], true, Shape{1, from[0], from[1], from[2]}};
  return std::nullopt;
}

ValueId AttentionPattern::as(NodeId at, const Operand& o) {
  if (shape(o.value) == o.shape) return o.value;
  return edit_.emit(at, "Reshape", {o.value, edit_.ints({o.shape.begin(), o.shape.end()})}, {{"allowzero", 1}},
                    "attention/view");
}

namespace {

bool is_static_rank(const Shape& s, size_t rank) { return s.rank() == rank && s.is_static(); }

// True if batches and heads agree: nothing is broadcast.
bool same_heads(const Shape& q, const Shape& k, const Shape& v) {
  for (size_t i = 0; i + 2 < q.rank(); ++i) {
    if (q[i] != k[i] || q[i] != v[i]) return false;
  }
  return true;
}

}  // namespace

// Finds the Softmax that makes the probabilities `p`, over the last of `rank` dims. In a forward
// pass, a Where between the two may replace NaN by 0.
const Node* AttentionPattern::softmax_of(ValueId p, size_t rank, bool backward, Found& out) const {
  std::vector<NodeId>& nodes = out.scores.nodes;
  const Node* choice = backward ? nullptr : maker(p, "Where");
  if (choice != nullptr && edit_.used_once(p)) {
    const Node* nan = maker(choice->inputs[0], "IsNaN");
    if (nan == nullptr || nan->inputs[0] != choice->inputs[2] || edit_.number(choice->inputs[1]) != 0.0) return nullptr;
    nodes.push_back(edit_.id_of(*choice));
    nodes.push_back(edit_.id_of(*nan));
    p = choice->inputs[2];
    out.nan_is_zero = true;
  }
  const Node* softmax = maker(p, "Softmax");
  if (softmax == nullptr || (!out.nan_is_zero && !backward && !edit_.used_once(p))) return nullptr;
  out.softmax = edit_.id_of(*softmax);
  const int64_t axis = softmax->attributes.get_int("axis", -1);
  return axis == -1 || axis == static_cast<int64_t>(rank) - 1 ? softmax : nullptr;
}

bool AttentionPattern::find(const Node& product, bool backward, Found& out) const {
  const ValueType& y = f_.type(product.outputs[0]);
  const Shape &probabilities = shape(product.inputs[0]), &v = shape(product.inputs[1]);
  const size_t rank = y.shape.rank();
  if ((y.dtype != DType::kF32 && y.dtype != DType::kF64) || !y.shape.is_static() || (rank != 4 && rank != 3))
    return false;
  if (probabilities.rank() != rank || v.rank() != rank) return false;
  const Node* softmax = softmax_of(product.inputs[0], rank, backward, out);
  if (softmax == nullptr || !scores_of(softmax->inputs[0], probabilities, false, out.scores)) return false;
  Scores& s = out.scores;
  if (!backward) {
    s.q = unscaled(s.q, s.scale, s.nodes);
    s.k_transposed = unscaled(s.k_transposed, s.scale, s.nodes);
  }
  const Shape &q = shape(s.q), &k = shape(s.k_transposed);
  if (!is_static_rank(q, rank) || !is_static_rank(k, rank) || !v.is_static() || !same_heads(q, k, v)) return false;
  const Shape four = by_head(k);
  out.q = operand(s.q);
  for (const bool shared : {!backward, false}) {
    const auto keys = transposed_operand(s.k_transposed, shared);
    out.k = keys ? *keys : Operand{kNoValue, false, Shape{four[0], four[1], four[3], four[2]}};
    out.v = operand(product.inputs[1], shared);
    // otherwise one operand's heads are repeated and the other's are not
    if (out.k.heads() == out.v.heads()) break;
  }
  return std::all_of(s.added.begin(), s.added.end(), [&](ValueId m) { return fits(m, probabilities); }) &&
         std::all_of(s.chosen.begin(), s.chosen.end(), [&](const auto& c) { return fits(c.condition, probabilities); });
}

// True if a mask has one number per key.
bool AttentionPattern::fits(ValueId m, const Shape& scores) const {
  const Shape& s = shape(m);
  if (!s.is_static() || s.rank() == 0 || s.rank() > scores.rank() || s.back() != scores.back()) return false;
  return std::equal(s.begin(), s.end(), scores.end() - s.rank(), [](int64_t a, int64_t b) { return a == b || a == 1; });
}

AttentionPattern::Place AttentionPattern::place(NodeId product) const {
  const ValueId result = f_.node(product).outputs[0];
  const Node* after = sole_transpose(result);
  const Shape y = by_head(shape(result));
  const Perm turn = after != nullptr ? perm(*after) : Perm{};
  // Possible layouts are [batch, sequence, heads, size], or for a single batch [sequence, batch,
  // heads, size] and [sequence, heads, size].
  const bool plain = turn == Perm{0, 2, 1, 3};
  const bool moved = y[0] == 1 && (turn == Perm{2, 0, 1, 3} || turn == Perm{1, 0, 2});
  if (!plain && !moved) return {product, false, y};
  return {edit_.id_of(*after), true, Shape{y[0], y[2], y[1], y[3]}};
}

Attributes AttentionPattern::attributes(const Found& found) const {
  return {{"scale", found.scores.scale},
          {"q_by_row", found.q.by_row},
          {"k_by_row", found.k.by_row},
          {"v_by_row", found.v.by_row}};
}

std::vector<ValueId> AttentionPattern::operands(NodeId at, Found& found) {
  if (found.k.value == kNoValue) {
    const size_t rank = shape(found.scores.k_transposed).rank();
    found.k.value = edit_.emit(at, "Transpose", {found.scores.k_transposed},
                               {{"perm", rank == 4 ? Perm{0, 1, 3, 2} : Perm{0, 2, 1}}}, "attention/keys");
  }
  if (found.k.value == kNoValue) return {};
  std::vector<ValueId> out{as(at, found.q), as(at, found.k), as(at, found.v)};
  const ValueId added = mask(at, found.scores);
  if (added != kNoValue) out.push_back(added);
  return out;
}

ValueId AttentionPattern::mask(NodeId at, const Scores& s) {
  ValueId all = kNoValue;
  const auto join = [&](ValueId m) {
    all = all == kNoValue ? m : edit_.emit(at, "Add", {all, m}, {}, "attention/mask");
  };
  // The first element of `added` is nearest to the product, so it must be added first.
  for (ValueId m : s.added) join(m);
  for (const auto& c : s.chosen) {
    const bool wide = f_.type(c.low).dtype == DType::kF64;
    const ValueId zero = edit_.constant(wide ? Tensor::scalar(0.0) : Tensor::scalar(0.0f), "zero");
    join(edit_.emit(at, "Where",
                    c.swapped ? std::vector{c.condition, c.low, zero} : std::vector{c.condition, zero, c.low}, {},
                    "attention/mask"));
  }
  if (all == kNoValue || shape(all).rank() != 3) return all;
  const Shape m = shape(all);
  return edit_.emit(at, "Reshape", {all, edit_.ints({1, m[0], m[1], m[2]})}, {{"allowzero", 1}}, "attention/mask");
}

// Returns the Transpose that is the only user of a value, else null.
const Node* AttentionPattern::sole_transpose(ValueId v) const {
  const NodeId user = edit_.sole_user(v);
  if (user < 0) return nullptr;
  const Node& node = f_.node(user);
  return node.op->domain.empty() && node.op->name == "Transpose" ? &node : nullptr;
}

bool claims_op(const PassContext& context, const Edit& edit, std::string_view op, const std::vector<ValueType>& inputs,
               const std::vector<ValueType>& outputs, const Attributes& attributes) {
  const OpSchema* schema = edit.schema(op);
  if (schema == nullptr || !context.claims) return false;
  Function probe;
  probe.name = edit.function().name;
  Node node{"probe", schema, {}, {}, {}, attributes, ""};
  for (const ValueType& type : inputs) {
    const auto id = static_cast<ValueId>(probe.values.size());
    probe.values.push_back({str_cat("in", int64_t{id}), type, ValueKind::kInput, id, 0});
    probe.inputs.push_back(id);
    node.inputs.push_back(id);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto id = static_cast<ValueId>(probe.values.size());
    probe.values.push_back({str_cat("out", int64_t{id}), outputs[i], ValueKind::kNode, 0, static_cast<int32_t>(i)});
    probe.outputs.push_back(id);
    node.outputs.push_back(id);
  }
  probe.nodes.push_back(std::move(node));
  return context.claims(probe, probe.nodes[0]);
}

}  // namespace percale
