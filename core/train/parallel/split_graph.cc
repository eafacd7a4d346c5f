#include "core/train/parallel/split_graph.h"

#include <algorithm>
#include <map>

#include "core/base/similar_name.h"
#include "core/graph/clone.h"
#include "core/graph/device_hint.h"
#include "core/train/layers/state_ops.h"
#include "core/train/parallel/split_axes.h"
#include "core/train/parallel/stages.h"

namespace percale {
namespace {

class Splitter {
 public:
  Splitter(const Graph& graph, const Function& from, FunctionBuilder& to, const std::vector<int32_t>& stages,
           const ParallelSpec& spec, const std::function<bool(const Variable&)>& by_rows)
      : graph_(graph),
        from_(from),
        to_(to),
        e_(to),
        stages_(stages),
        spec_(spec),
        by_rows_(by_rows),
        parts_(spec.splits),
        states_(from.values.size()),
        uses_(from.values.size(), 0),
        nodes_(from.nodes.size(), -1),
        ordered_(from.nodes.size(), false),
        rule_done_(spec.split_layers.size(), false) {}

  Result<SplitBody> run(const std::vector<ValueId>& inputs, const std::vector<ValueId>& needed) {
    for (size_t i = 0; i < inputs.size(); ++i) state(from_.inputs[i]).whole = inputs[i];
    const std::vector<bool> wanted = nodes_behind(from_, needed);
    PERCALE_RETURN_IF_ERROR(check_rules(wanted));
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i]) continue;
      const Node& node = from_.nodes[i];
      for (ValueId v : node.inputs) {
        if (v != kNoValue) ++uses_[at(v)];
      }
      if (is_read(node)) ++reads_[std::string(node.attributes.get_string("variable"))];
      if (!node.control.empty()) ordered_[i] = true;
      for (NodeId before : node.control) ordered_[at(before)] = true;
    }
    for (ValueId v : needed) ++uses_[at(v)];
    const std::string device = to_.device();
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i]) PERCALE_RETURN_IF_ERROR(visit(static_cast<NodeId>(i)));
    }
    for (ValueId v : needed) (void)whole(v);
    to_.set_device(device);
    PERCALE_RETURN_IF_ERROR(e_.status());
    PERCALE_RETURN_IF_ERROR(check_done());
    for (const State& s : states_) out_.values.push_back(s.whole);
    return std::move(out_);
  }

 private:
  // The forms in which a value of the old function exists in the new one: whole, as parts along an
  // axis, or both.
  struct State {
    ValueId whole = kNoValue;
    std::vector<ValueId> parts;
    size_t axis = 0;
    // A variable, perhaps reshaped: nodes that read it are added when it is needed.
    bool deferred = false;
  };

  static size_t at(int32_t id) { return static_cast<size_t>(id); }
  State& state(ValueId v) { return states_[at(v)]; }
  const Shape& shape(ValueId v) const { return from_.type(v).shape; }
  bool is_split(ValueId v) { return v != kNoValue && !state(v).parts.empty(); }
  static bool is_read(const Node& node) { return node.op->is(Role::kReadVariable); }
  int32_t stage_of(const Node& node) const { return stages_[at(static_cast<NodeId>(&node - from_.nodes.data()))]; }
  std::string device(int32_t stage, int64_t part, bool host = false) const {
    return group_hint(static_cast<int32_t>(stage * parts_ + part), host);
  }
  std::string part_name(const Node& node, int64_t part) const { return str_cat(node.name, "/part_", part); }
  static const Node* maker(const Function& f, ValueId v) {
    return v != kNoValue && f.value(v).kind == ValueKind::kNode ? &f.node(f.value(v).def) : nullptr;
  }

  Status visit(NodeId id) {
    const Node& node = from_.node(id);
    if (!ordered_[at(id)]) {
      if (is_read(node) || is_view_of_variable(node)) {
        state(node.outputs[0]).deferred = true;
        return {};
      }
      PERCALE_ASSIGN_OR_RETURN(bool done, cut(node));
      if (done || follow(node)) return e_.status();
    }
    clone(id);
    return e_.status();
  }

  // ---- values that stay whole

  void clone(NodeId id) {
    const Node& node = from_.node(id);
    std::vector<ValueId> operands;
    for (ValueId v : node.inputs) operands.push_back(whole(v));
    if (!e_.status().ok()) return;
    to_.set_device(names_device(node.device) ? node.device : device(stages_[at(id)], 0, node.op->has(kRuntime)));
    const auto made = to_.add_node(*node.op, operands, node.attributes, node.outputs.size(), node.name);
    if (!made.ok()) return e_.fail(made.status());
    nodes_[at(id)] = *made;
    for (NodeId before : node.control) {
      if (nodes_[at(before)] < 0) continue;
      if (Status s = to_.add_control(nodes_[at(before)], *made); !s.ok()) return e_.fail(std::move(s));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      const ValueId copy = to_.function().node(*made).outputs[i];
      state(node.outputs[i]).whole = copy;
      keep_name(node.outputs[i], copy);
    }
  }

  void keep_name(ValueId old, ValueId copy) {
    const std::string name = to_.name_prefix() + from_.value(old).name;
    if (e_.status().ok() && to_.function().value(copy).name != name)
      (void)to_.rename(copy, name);  // fails if the name is taken; the copy then keeps its own name
  }

  ValueId whole(ValueId v) {
    if (v == kNoValue || !e_.status().ok()) return kNoValue;
    State& s = state(v);
    if (s.whole != kNoValue) return s.whole;
    if (const Tensor* constant = from_.constant(v)) return s.whole = e_.constant(*constant, from_.value(v).name);
    const NodeId def = from_.value(v).def;
    if (s.deferred) {
      clone(def);
      return state(v).whole;
    }
    to_.set_device(device(stages_[at(def)], 0));
    s.whole =
        e_.emit("Concat", s.parts, {{"axis", static_cast<int64_t>(s.axis)}}, str_cat(from_.node(def).name, "/joined"));
    keep_name(v, s.whole);
    return s.whole;
  }

  // ---- variables

  bool is_view_of_variable(const Node& node) {
    if (node.op->traits.split != SplitRule::kReshape || node.attributes.get_int("allowzero") != 0) return false;
    return state(node.inputs[0]).deferred && from_.constant(node.inputs[1]) != nullptr &&
           shape(node.outputs[0]).is_static();
  }

  // Returns the variable that a value reads or reshapes, if the value is the variable's only use;
  // else null.
  const Variable* shown(ValueId v) {
    if (v == kNoValue || !state(v).deferred) return nullptr;
    while (true) {
      const Node& node = *maker(from_, v);
      if (uses_[at(v)] != 1) return nullptr;
      if (is_read(node)) {
        const std::string name(node.attributes.get_string("variable"));
        return reads_[name] == 1 ? graph_.find_variable(name) : nullptr;
      }
      v = node.inputs[0];
    }
  }

  std::optional<size_t> variable_axis(ValueId v, size_t axis) {
    const Variable* variable = shown(v);
    return variable == nullptr ? std::nullopt : same_parts(shape(v), axis, variable->shape, parts_);
  }

  // Returns the parts of a value that reads a variable; each is read where it is used.
  // Precondition: variable_axis().
  std::vector<ValueId> read_parts(ValueId v, size_t axis, SplitForm form, int32_t stage) {
    const Variable& variable = *shown(v);
    const size_t own_axis = *variable_axis(v, axis);
    SplitParameter& out =
        out_.parameters.emplace_back(SplitParameter{variable.name, form, own_axis, {}, device(stage, 0, true)});
    const int64_t size = variable.shape[own_axis] / parts_;
    std::vector<int64_t> dims(shape(v).begin(), shape(v).end());
    dims[axis] /= parts_;
    std::vector<ValueId> parts;
    for (int64_t k = 0; k < parts_; ++k) {
      to_.set_device(device(stage, k, true));
      const ValueId all = read_variable(e_, variable);
      out.slices.push_back(slice(all, own_axis, k * size, size, str_cat(variable.name, "/part_", k)));
      if (shape(v) == variable.shape) {
        parts.push_back(out.slices.back());
      } else {
        to_.set_device(device(stage, k));
        parts.push_back(e_.emit("Reshape", {out.slices.back(), e_.ints(dims)}));
      }
    }
    return parts;
  }

  ValueId slice(ValueId x, size_t axis, int64_t begin, int64_t size, std::string_view name = {}) {
    return e_.emit("Slice", {x, e_.ints({begin}), e_.ints({begin + size}), e_.ints({static_cast<int64_t>(axis)})}, {},
                   name);
  }

  // Returns the parts of any value along an axis: the existing ones, parts of a variable, or slices
  // of the whole.
  std::vector<ValueId> parts_along(ValueId v, size_t axis, SplitForm form, int32_t stage) {
    if (is_split(v) && state(v).axis == axis) return state(v).parts;
    if (variable_axis(v, axis)) return read_parts(v, axis, form, stage);
    const ValueId x = whole(v);
    std::vector<ValueId> out;
    const int64_t size = shape(v)[axis] / parts_;
    to_.set_device(device(stage, 0));
    for (int64_t k = 0; k < parts_; ++k) out.push_back(slice(x, axis, k * size, size));
    return out;
  }

  bool divides(ValueId v, size_t axis) const { return shape(v)[axis] > 0 && shape(v)[axis] % parts_ == 0; }

  void set_parts(const Node& node, std::vector<ValueId> parts, size_t axis) {
    State& s = state(node.outputs[0]);
    s.parts = std::move(parts);
    s.axis = axis;
  }

  // ---- products and tables

  // The weight that a node reads, and the axes along which it can be cut.
  struct Weight {
    ValueId value = kNoValue;
    size_t columns = 0, rows = 0;  // axes of `value`
    bool table = false;
    const Variable* variable = nullptr;
  };

  std::optional<Weight> weight_of(const Node& node) {
    const SplitRule rule = node.op->traits.split;
    Weight out;
    if (rule == SplitRule::kProduct) {
      out.value = node.inputs[1];
      out.rows = node.attributes.get_int("transB") != 0 ? 1 : 0;
      if (node.attributes.get_int("transA") != 0) return std::nullopt;
      if (!shape(node.inputs[0]).known_rank() || shape(node.inputs[0]).rank() < 2) return std::nullopt;
    } else if (rule == SplitRule::kTable && node.attributes.get_int("axis") == 0) {
      out.value = node.inputs[0];
      out.table = true;
    } else {
      return std::nullopt;
    }
    out.columns = 1 - out.rows;
    out.variable = shown(out.value);
    const bool fits = out.variable != nullptr && is_float(out.variable->dtype) && shape(out.value).rank() == 2 &&
                      shape(node.outputs[0]).known_rank();
    return fits ? std::optional(out) : std::nullopt;
  }

  bool can_cut(const Node& node, const Weight& w, SplitForm form) {
    const size_t axis = form == SplitForm::kColumn ? w.columns : w.rows;
    if (!variable_axis(w.value, axis)) return false;
    if (w.table) return true;
    const Shape& x = shape(node.inputs[0]);
    if (form == SplitForm::kRow) {
      const bool scaled = node.inputs.size() > 2 && node.attributes.get_float("beta", 1) != 1;
      return !scaled && x[x.rank() - 1] == shape(w.value)[w.rows];
    }
    return true;
  }

  Result<bool> cut(const Node& node) {
    const std::optional<Weight> w = weight_of(node);
    std::optional<SplitForm> form;
    for (size_t i = 0; i < spec_.split_layers.size() && w; ++i) {
      const ParallelSpec::SplitRule& rule = spec_.split_layers[i];
      if (!names_node(rule.pattern, from_, node) && !names_part(rule.pattern, w->variable->name)) continue;
      PERCALE_RETURN_IF_ERROR(check_rule(node, *w, rule));
      rule_done_[i] = true;
      form = rule.form;
      break;
    }
    if (!w) return false;
    if (spec_.split_layers.empty() && w->variable->shape.num_elements() >= kLeastSplitElements &&
        !(w->table && by_rows_(*w->variable))) {
      const size_t last = shape(node.inputs[0]).rank() - 1;
      const bool rows_first = !w->table && is_split(node.inputs[0]) && state(node.inputs[0]).axis == last;
      const SplitForm first = rows_first ? SplitForm::kRow : SplitForm::kColumn;
      const SplitForm second = rows_first ? SplitForm::kColumn : SplitForm::kRow;
      if (can_cut(node, *w, first)) {
        form = first;
      } else if (can_cut(node, *w, second)) {
        form = second;
      }
    }
    if (!form) return false;
    if (w->table) {
      *form == SplitForm::kColumn ? look_up_columns(node, *w) : look_up_rows(node, *w);
    } else {
      *form == SplitForm::kColumn ? multiply_columns(node, *w) : multiply_rows(node, *w);
    }
    return true;
  }

  Status check_rule(const Node& node, const Weight& w, const ParallelSpec::SplitRule& rule) {
    if (w.table && by_rows_(*w.variable)) {
      return unimplemented(
          "'splits': '", w.variable->name,
          "' trains by rows and cannot be cut; set 'sparse' to false in the optimizer to train it as a whole");
    }
    if (can_cut(node, w, rule.form)) return {};
    const Shape& view = shape(w.value);
    return invalid_argument("'splits': '", w.variable->name, "' ", w.variable->shape, " cannot be cut into ", parts_,
                            " ", split_form_name(rule.form), "s of equal size: the product uses it as ", view,
                            ", and the parts must be whole along an axis of both shapes");
  }

  void multiply_columns(const Node& node, const Weight& w) {
    const int32_t stage = stage_of(node);
    const ValueId x = whole(node.inputs[0]);
    const std::vector<ValueId> weights = read_parts(w.value, w.columns, SplitForm::kColumn, stage);
    const ValueId added = node.inputs.size() > 2 ? node.inputs[2] : kNoValue;
    std::vector<ValueId> bias;
    if (added != kNoValue) {
      const Shape& s = shape(added);
      const bool per_column = s.rank() > 0 && s[s.rank() - 1] == shape(w.value)[w.columns];
      bias = per_column ? parts_along(added, s.rank() - 1, SplitForm::kColumn, stage)
                        : std::vector<ValueId>(weights.size(), whole(added));
    }
    std::vector<ValueId> parts;
    for (int64_t k = 0; k < parts_; ++k) {
      to_.set_device(device(stage, k));
      std::vector<ValueId> operands = {x, weights[at(static_cast<int32_t>(k))]};
      if (!bias.empty()) operands.push_back(bias[static_cast<size_t>(k)]);
      parts.push_back(e_.emit(op_name(*node.op), operands, node.attributes, part_name(node, k)));
    }
    set_parts(node, std::move(parts), shape(node.outputs[0]).rank() - 1);
  }

  void multiply_rows(const Node& node, const Weight& w) {
    const int32_t stage = stage_of(node);
    const std::vector<ValueId> xs =
        parts_along(node.inputs[0], shape(node.inputs[0]).rank() - 1, SplitForm::kRow, stage);
    const std::vector<ValueId> weights = read_parts(w.value, w.rows, SplitForm::kRow, stage);
    std::vector<ValueId> parts;
    for (int64_t k = 0; k < parts_; ++k) {
      to_.set_device(device(stage, k));
      const auto i = static_cast<size_t>(k);
      parts.push_back(e_.emit(op_name(*node.op), {xs[i], weights[i]}, node.attributes, part_name(node, k)));
    }
    ValueId sum = add_parts(parts, stage);
    if (node.inputs.size() > 2) {
      const ValueId added = whole(node.inputs[2]);
      to_.set_device(device(stage, 0));
      sum = e_.emit("Add", {sum, added});
    }
    state(node.outputs[0]).whole = sum;
    keep_name(node.outputs[0], sum);
  }

  ValueId add_parts(const std::vector<ValueId>& parts, int32_t stage) {
    to_.set_device(device(stage, 0));
    ValueId sum = parts[0];
    for (size_t k = 1; k < parts.size(); ++k) sum = e_.emit("Add", {sum, parts[k]});
    return sum;
  }

  void look_up_columns(const Node& node, const Weight& w) {
    const int32_t stage = stage_of(node);
    const ValueId indices = whole(node.inputs[1]);
    const std::vector<ValueId> tables = read_parts(w.value, w.columns, SplitForm::kColumn, stage);
    std::vector<ValueId> parts;
    for (int64_t k = 0; k < parts_; ++k) {
      to_.set_device(device(stage, k));
      parts.push_back(
          e_.emit("Gather", {tables[static_cast<size_t>(k)], indices}, node.attributes, part_name(node, k)));
    }
    set_parts(node, std::move(parts), shape(node.outputs[0]).rank() - 1);
  }

  // Cuts a table by rows. An index out of range reaches the first part as one that is out of its
  // range too, so that it is still an error.
  void look_up_rows(const Node& node, const Weight& w) {
    const int32_t stage = stage_of(node);
    const int64_t rows = shape(w.value)[w.rows], own = rows / parts_;
    const auto number = [&](int64_t n) { return e_.constant(Tensor::scalar(n)); };
    ValueId indices = whole(node.inputs[1]);
    to_.set_device(device(stage, 0));
    if (e_.status().ok() && e_.dtype(indices) != DType::kI64)
      indices = e_.emit("Cast", {indices}, {{"to", DType::kI64}});
    const ValueId from_front =
        e_.emit("Where", {e_.emit("Less", {indices, number(0)}), e_.emit("Add", {indices, number(rows)}), indices});
    const ValueId wrong = e_.emit(
        "Or", {e_.emit("Less", {from_front, number(0)}), e_.emit("GreaterOrEqual", {from_front, number(rows)})});
    const std::vector<ValueId> tables = read_parts(w.value, w.rows, SplitForm::kRow, stage);
    std::vector<ValueId> parts;
    for (int64_t k = 0; k < parts_; ++k) {
      to_.set_device(device(stage, k));
      const ValueId place = e_.emit("Sub", {from_front, number(k * own)});
      const ValueId inside =
          e_.emit("And", {e_.emit("GreaterOrEqual", {place, number(0)}), e_.emit("Less", {place, number(own)})});
      const ValueId other = k == 0 ? e_.emit("Where", {wrong, number(rows), number(0)}) : number(0);
      const ValueId found = e_.emit(
          "Gather", {tables[static_cast<size_t>(k)], e_.emit("Where", {inside, place, other})}, node.attributes);
      const ValueId mask = e_.emit("Unsqueeze", {inside, e_.ints({-1})});
      if (!e_.status().ok()) return;
      parts.push_back(e_.emit("Where", {mask, found, e_.scalar(e_.dtype(found), 0)}, {}, part_name(node, k)));
    }
    const ValueId sum = add_parts(parts, stage);
    state(node.outputs[0]).whole = sum;
    keep_name(node.outputs[0], sum);
  }

  // ---- ops on parts

  // Returns false if the node needs a whole input.
  bool follow(const Node& node) {
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return is_split(v); });
    if (!any || node.outputs.size() != 1 || node.op->has(kRandom) || !shape(node.outputs[0]).known_rank()) return false;
    switch (node.op->traits.split) {
      case SplitRule::kReshape: return follow_reshape(node);
      case SplitRule::kTranspose: return follow_transpose(node);
      case SplitRule::kSoftmax: return follow_softmax(node);
      case SplitRule::kProduct: return follow_product(node);
      case SplitRule::kTable: return false;
      case SplitRule::kNone: break;
    }
    return node.op->has(kElementwise) && follow_elementwise(node);
  }

  void emit_parts(const Node& node, const std::vector<std::vector<ValueId>>& operands, size_t axis) {
    std::vector<ValueId> parts;
    for (int64_t k = 0; k < parts_; ++k) {
      to_.set_device(device(stage_of(node), k));
      parts.push_back(
          e_.emit(op_name(*node.op), operands[static_cast<size_t>(k)], node.attributes, part_name(node, k)));
    }
    set_parts(node, std::move(parts), axis);
  }

  bool follow_elementwise(const Node& node) {
    const size_t rank = shape(node.outputs[0]).rank();
    std::optional<size_t> axis;  // axis of the output
    for (ValueId v : node.inputs) {
      if (!is_split(v)) continue;
      const size_t own = rank - shape(v).rank() + state(v).axis;
      if (axis && *axis != own) return false;
      axis = own;
    }
    // The other operands: size 1 along the axis (used whole), or variables with a number per column
    // (cut). With anything else the parts are joined first.
    enum class How { kParts, kWhole, kVariable };
    std::vector<How> how;
    for (ValueId v : node.inputs) {
      if (v == kNoValue) {
        how.push_back(How::kWhole);
        continue;
      }
      const Shape& s = shape(v);
      if (!s.known_rank()) return false;
      const bool lacks_it = s.rank() + *axis < rank;
      const size_t own = lacks_it ? 0 : s.rank() + *axis - rank;
      if (is_split(v)) {
        how.push_back(How::kParts);
      } else if (lacks_it || s[own] == 1) {
        how.push_back(How::kWhole);
      } else if (variable_axis(v, own)) {
        how.push_back(How::kVariable);
      } else {
        return false;
      }
    }
    std::vector<std::vector<ValueId>> operands(static_cast<size_t>(parts_));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId v = node.inputs[i];
      std::vector<ValueId> own;
      if (how[i] == How::kWhole) {
        own.assign(operands.size(), whole(v));
      } else {
        own = parts_along(v, shape(v).rank() + *axis - rank, SplitForm::kColumn, stage_of(node));
      }
      for (size_t k = 0; k < operands.size(); ++k) operands[k].push_back(own[k]);
    }
    emit_parts(node, operands, *axis);
    return true;
  }

  bool follow_reshape(const Node& node) {
    const ValueId x = node.inputs[0];
    const Tensor* dims = node.inputs.size() > 1 ? from_.constant(node.inputs[1]) : nullptr;
    if (dims == nullptr || node.attributes.get_int("allowzero") != 0 || !is_split(x)) return false;
    std::vector<int64_t> wanted = to_int64s(*dims);
    const std::vector<int64_t> full = reshaped_dims(shape(x), wanted);
    if (full.empty()) return false;
    const auto made = Shape::make(full);
    const size_t from_axis = state(x).axis;
    const auto axis = made.ok() ? same_parts(shape(x), from_axis, *made, parts_) : std::nullopt;
    if (!axis) return false;
    // A 0 copies a dim of the input. Dims from the cut axis on are written out, because those of a
    // part differ.
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i >= std::min(*axis, from_axis) && wanted[i] <= 0) wanted[i] = full[i];
      if (i >= std::min(*axis, from_axis) && wanted[i] < 0) return false;
    }
    wanted[*axis] = full[*axis] / parts_;
    std::vector<std::vector<ValueId>> operands;
    const ValueId target = e_.ints(wanted);
    for (ValueId part : state(x).parts) operands.push_back({part, target});
    emit_parts(node, operands, *axis);
    return true;
  }

  bool follow_transpose(const Node& node) {
    const ValueId x = node.inputs[0];
    const std::vector<int64_t>& perm = node.attributes.get_ints("perm");
    const auto found = std::find(perm.begin(), perm.end(), static_cast<int64_t>(state(x).axis));
    if (found == perm.end()) return false;
    std::vector<std::vector<ValueId>> operands;
    for (ValueId part : state(x).parts) operands.push_back({part});
    emit_parts(node, operands, static_cast<size_t>(found - perm.begin()));
    return true;
  }

  bool follow_softmax(const Node& node) {
    const ValueId x = node.inputs[0];
    const auto rank = static_cast<int64_t>(shape(x).rank());
    const int64_t axis = with_defaults(*node.op, node.attributes).get_int("axis");
    if (static_cast<int64_t>(state(x).axis) == (axis < 0 ? axis + rank : axis)) return false;
    std::vector<std::vector<ValueId>> operands;
    for (ValueId part : state(x).parts) operands.push_back({part});
    emit_parts(node, operands, state(x).axis);
    return true;
  }

  // A product of two values that are cut along the same batch dim, such as the heads of attention.
  bool follow_product(const Node& node) {
    const ValueId a = node.inputs[0], b = node.inputs[1];
    if (!is_split(a) || !is_split(b)) return false;
    const size_t rank = shape(a).rank(), axis = state(a).axis;
    if (shape(b).rank() != rank || state(b).axis != axis || axis + 2 >= rank) return false;
    std::vector<std::vector<ValueId>> operands;
    for (size_t k = 0; k < state(a).parts.size(); ++k) operands.push_back({state(a).parts[k], state(b).parts[k]});
    emit_parts(node, operands, axis);
    return true;
  }

  // ---- checks of the SPEC's rules

  Status check_rules(const std::vector<bool>& wanted) const {
    for (const ParallelSpec::SplitRule& rule : spec_.split_layers) {
      bool known = false;
      for (size_t i = 0; i < wanted.size() && !known; ++i)
        known = wanted[i] && names_node(rule.pattern, from_, from_.nodes[i]);
      if (known) continue;
      return invalid_argument("'splits': no layer matches '", rule.pattern, "'",
                              did_you_mean(rule.pattern, layer_names_of(from_, wanted)));
    }
    return {};
  }

  Status check_done() const {
    for (size_t i = 0; i < rule_done_.size(); ++i) {
      if (rule_done_[i]) continue;
      return invalid_argument("'splits': '", spec_.split_layers[i].pattern,
                              "' contains no product or table whose variable is used exactly once");
    }
    if (!out_.parameters.empty()) return {};
    return invalid_argument("'splits' is ", parts_, ", but no product or table with at least ", kLeastSplitElements,
                            " weights has columns or rows that it divides; name smaller ones under 'layers'");
  }

  const Graph& graph_;
  const Function& from_;
  FunctionBuilder& to_;
  Emitter e_;
  const std::vector<int32_t>& stages_;
  const ParallelSpec& spec_;
  const std::function<bool(const Variable&)>& by_rows_;
  const int64_t parts_;
  std::vector<State> states_;
  std::vector<int64_t> uses_;             // per value
  std::map<std::string, int64_t> reads_;  // per variable
  std::vector<NodeId> nodes_;             // per node the new node; -1 for those that were cut
  std::vector<bool> ordered_;             // has control edges
  std::vector<bool> rule_done_;
  SplitBody out_;
};

}  // namespace

Result<SplitBody> clone_split(const Graph& graph, const Function& from, FunctionBuilder& to,
                              const std::vector<ValueId>& inputs, const std::vector<ValueId>& needed,
                              const std::vector<int32_t>& stages, const ParallelSpec& spec,
                              const std::function<bool(const Variable&)>& by_rows) {
  return Splitter(graph, from, to, stages, spec, by_rows).run(inputs, needed);
}

}  // namespace percale
