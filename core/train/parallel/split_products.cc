#include "core/train/parallel/split_products.h"

#include <algorithm>
#include <cstdint>

#include "core/base/similar_name.h"
#include "core/train/parallel/stages.h"

namespace percale {

struct SplitWeight {
  ValueId value = kNoValue;
  size_t columns = 0, rows = 0;  // axes of `value`
  bool table = false;
  const Variable* variable = nullptr;
};

namespace {

// Returns the weight that a node reads, if it can be cut; else nothing.
std::optional<SplitWeight> weight_of(SplitValues& values, const Node& node) {
  const SplitContext& c = values.context();
  const SplitRule rule = node.op->traits.split;
  SplitWeight out;
  if (rule == SplitRule::kProduct) {
    out.value = node.inputs[1];
    out.rows = node.attributes.get_int("transB") != 0 ? 1 : 0;
    if (node.attributes.get_int("transA") != 0) return std::nullopt;
    if (!c.shape(node.inputs[0]).known_rank() || c.shape(node.inputs[0]).rank() < 2) return std::nullopt;
  } else if (rule == SplitRule::kTable && node.attributes.get_int("axis") == 0) {
    out.value = node.inputs[0];
    out.table = true;
  } else {
    return std::nullopt;
  }
  out.columns = 1 - out.rows;
  out.variable = values.shown(out.value);
  const bool fits = out.variable != nullptr && is_float(out.variable->dtype) && c.shape(out.value).rank() == 2 &&
                    c.shape(node.outputs[0]).known_rank();
  return fits ? std::optional(out) : std::nullopt;
}

bool can_cut(SplitValues& values, const Node& node, const SplitWeight& w, SplitForm form) {
  const SplitContext& c = values.context();
  const size_t axis = form == SplitForm::kColumn ? w.columns : w.rows;
  if (!values.variable_axis(w.value, axis)) return false;
  if (w.table || form == SplitForm::kColumn) return true;
  const Shape& x = c.shape(node.inputs[0]);
  const bool scaled = node.inputs.size() > 2 && node.attributes.get_float("beta", 1) != 1;
  return !scaled && x[x.rank() - 1] == c.shape(w.value)[w.rows];
}

size_t last_axis(const SplitContext& c, ValueId v) { return c.shape(v).rank() - 1; }

// Adds the parts in order, on the device of the first.
ValueId add_parts(const SplitContext& c, const std::vector<ValueId>& parts, int32_t stage) {
  c.place(stage, 0);
  ValueId sum = parts[0];
  for (size_t k = 1; k < parts.size(); ++k) sum = c.e.emit("Add", {sum, parts[k]});
  return sum;
}

void multiply_columns(SplitValues& values, const Node& node, const SplitWeight& w) {
  const SplitContext& c = values.context();
  const int32_t stage = c.stage_of(node);
  const ValueId x = values.whole(node.inputs[0]);
  const std::vector<ValueId> weights = values.read_parts(w.value, w.columns, SplitForm::kColumn, stage);
  const ValueId added = node.inputs.size() > 2 ? node.inputs[2] : kNoValue;
  std::vector<ValueId> bias;
  if (added != kNoValue) {
    const Shape& s = c.shape(added);
    const bool per_column = s.rank() > 0 && s[s.rank() - 1] == c.shape(w.value)[w.columns];
    bias = per_column ? values.parts_along(added, s.rank() - 1, SplitForm::kColumn, stage)
                      : std::vector<ValueId>(weights.size(), values.whole(added));
  }
  std::vector<std::vector<ValueId>> operands;
  for (size_t k = 0; k < weights.size(); ++k) {
    operands.push_back({x, weights[k]});
    if (!bias.empty()) operands.back().push_back(bias[k]);
  }
  values.set_parts(node.outputs[0], c.emit_parts(node, operands), last_axis(c, node.outputs[0]));
}

void multiply_rows(SplitValues& values, const Node& node, const SplitWeight& w) {
  const SplitContext& c = values.context();
  const int32_t stage = c.stage_of(node);
  const std::vector<ValueId> xs =
      values.parts_along(node.inputs[0], last_axis(c, node.inputs[0]), SplitForm::kRow, stage);
  const std::vector<ValueId> weights = values.read_parts(w.value, w.rows, SplitForm::kRow, stage);
  std::vector<std::vector<ValueId>> operands;
  for (size_t k = 0; k < weights.size(); ++k) operands.push_back({xs[k], weights[k]});
  ValueId sum = add_parts(c, c.emit_parts(node, operands), stage);
  if (node.inputs.size() > 2) {
    const ValueId added = values.whole(node.inputs[2]);
    c.place(stage, 0);
    sum = c.e.emit("Add", {sum, added});
  }
  values.set_whole(node.outputs[0], sum);
}

void look_up_columns(SplitValues& values, const Node& node, const SplitWeight& w) {
  const SplitContext& c = values.context();
  const ValueId indices = values.whole(node.inputs[1]);
  std::vector<std::vector<ValueId>> operands;
  for (ValueId table : values.read_parts(w.value, w.columns, SplitForm::kColumn, c.stage_of(node)))
    operands.push_back({table, indices});
  values.set_parts(node.outputs[0], c.emit_parts(node, operands), last_axis(c, node.outputs[0]));
}

// Cuts a table by rows. An index out of range reaches the first part as one that is out of its
// range too, so that it is still an error.
void look_up_rows(SplitValues& values, const Node& node, const SplitWeight& w) {
  const SplitContext& c = values.context();
  Emitter& e = c.e;
  const int32_t stage = c.stage_of(node);
  const int64_t rows = c.shape(w.value)[w.rows], own = rows / c.parts;
  const auto number = [&](int64_t n) { return e.constant(Tensor::scalar(n)); };
  ValueId indices = values.whole(node.inputs[1]);
  c.place(stage, 0);
  if (e.status().ok() && e.dtype(indices) != DType::kI64) indices = e.emit("Cast", {indices}, {{"to", DType::kI64}});
  const ValueId from_front =
      e.emit("Where", {e.emit("Less", {indices, number(0)}), e.emit("Add", {indices, number(rows)}), indices});
  const ValueId wrong =
      e.emit("Or", {e.emit("Less", {from_front, number(0)}), e.emit("GreaterOrEqual", {from_front, number(rows)})});
  const std::vector<ValueId> tables = values.read_parts(w.value, w.rows, SplitForm::kRow, stage);
  std::vector<ValueId> parts;
  for (int64_t k = 0; k < c.parts; ++k) {
    c.place(stage, k);
    const ValueId place = e.emit("Sub", {from_front, number(k * own)});
    const ValueId inside =
        e.emit("And", {e.emit("GreaterOrEqual", {place, number(0)}), e.emit("Less", {place, number(own)})});
    const ValueId other = k == 0 ? e.emit("Where", {wrong, number(rows), number(0)}) : number(0);
    const ValueId found =
        e.emit("Gather", {tables[static_cast<size_t>(k)], e.emit("Where", {inside, place, other})}, node.attributes);
    const ValueId mask = e.emit("Unsqueeze", {inside, e.ints({-1})});
    if (!e.status().ok()) return;
    parts.push_back(e.emit("Where", {mask, found, e.scalar(e.dtype(found), 0)}, {}, c.part_name(node, k)));
  }
  values.set_whole(node.outputs[0], add_parts(c, parts, stage));
}

}  // namespace

SplitProducts::SplitProducts(SplitValues& values, const ParallelSpec& spec,
                             const std::function<bool(const Variable&)>& by_rows)
    : values_(values), spec_(spec), by_rows_(by_rows), rule_done_(spec.split_layers.size(), false) {}

Status SplitProducts::check_rules(const std::vector<bool>& used) const {
  const Function& from = values_.context().from;
  for (const ParallelSpec::SplitRule& rule : spec_.split_layers) {
    bool known = false;
    for (size_t i = 0; i < used.size() && !known; ++i) known = used[i] && names_node(rule.pattern, from, from.nodes[i]);
    if (known) continue;
    return invalid_argument("'splits': no layer matches '", rule.pattern, "'",
                            did_you_mean(rule.pattern, layer_names_of(from, used)));
  }
  return {};
}

Result<bool> SplitProducts::cut(const Node& node) {
  const std::optional<SplitWeight> w = weight_of(values_, node);
  if (!w) return false;
  const std::vector<ParallelSpec::SplitRule>& rules = spec_.split_layers;
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const ParallelSpec::SplitRule& r) {
    return names_node(r.pattern, values_.context().from, node) || names_part(r.pattern, w->variable->name);
  });
  std::optional<SplitForm> form;
  if (rule != rules.end()) {
    PERCALE_RETURN_IF_ERROR(check_rule(node, *w, *rule));
    rule_done_[static_cast<size_t>(rule - rules.begin())] = true;
    form = rule->form;
  } else if (rules.empty()) {
    form = form_by_size(node, *w);
  }
  if (!form) return false;
  if (w->table) {
    *form == SplitForm::kColumn ? look_up_columns(values_, node, *w) : look_up_rows(values_, node, *w);
  } else {
    *form == SplitForm::kColumn ? multiply_columns(values_, node, *w) : multiply_rows(values_, node, *w);
  }
  cut_any_ = true;
  return true;
}

// Returns the form of a node that is cut for the size of its weight; nothing if it stays whole.
std::optional<SplitForm> SplitProducts::form_by_size(const Node& node, const SplitWeight& w) const {
  if (w.variable->shape.num_elements() < kLeastSplitElements) return std::nullopt;
  if (w.table && by_rows_(*w.variable)) return std::nullopt;
  const ValueId x = node.inputs[0];
  const bool rows_first = !w.table && values_.is_split(x) && values_.forms(x).axis == last_axis(values_.context(), x);
  const SplitForm first = rows_first ? SplitForm::kRow : SplitForm::kColumn;
  const SplitForm second = rows_first ? SplitForm::kColumn : SplitForm::kRow;
  if (can_cut(values_, node, w, first)) return first;
  if (can_cut(values_, node, w, second)) return second;
  return std::nullopt;
}

Status SplitProducts::check_rule(const Node& node, const SplitWeight& w, const ParallelSpec::SplitRule& rule) const {
  if (w.table && by_rows_(*w.variable)) {
    return unimplemented(
        "'splits': '", w.variable->name,
        "' trains by rows and cannot be cut; set 'sparse' to false in the optimizer to train it as a whole");
  }
  if (can_cut(values_, node, w, rule.form)) return {};
  const Shape& view = values_.context().shape(w.value);
  return invalid_argument("'splits': '", w.variable->name, "' ", w.variable->shape, " cannot be cut into ",
                          values_.context().parts, " ", split_form_name(rule.form),
                          "s of equal size: the product uses it as ", view,
                          ", and the parts must be whole along an axis of both shapes");
}

Status SplitProducts::check_done() const {
  for (size_t i = 0; i < rule_done_.size(); ++i) {
    if (rule_done_[i]) continue;
    return invalid_argument("'splits': '", spec_.split_layers[i].pattern,
                            "' contains no product or table whose variable is used exactly once");
  }
  if (cut_any_) return {};
  return invalid_argument("'splits' is ", values_.context().parts, ", but no product or table with at least ",
                          kLeastSplitElements,
                          " weights has columns or rows that it divides; name smaller ones under 'layers'");
}

}  // namespace percale
