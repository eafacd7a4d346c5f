#include "core/train/parallel/split_values.h"

#include <string_view>
#include <utility>

#include "core/graph/device_hint.h"
#include "core/train/layers/state_ops.h"
#include "core/train/parallel/split_axes.h"

namespace percale {
namespace {

bool reads_variable(const Node& node) { return node.op->is(Role::kReadVariable); }

std::string variable_name(const Node& read) { return std::string(read.attributes.get_string("variable")); }

ValueId emit_slice(Emitter& e, ValueId x, size_t axis, int64_t begin, int64_t size, std::string_view name = {}) {
  return e.emit("Slice", {x, e.ints({begin}), e.ints({begin + size}), e.ints({static_cast<int64_t>(axis)})}, {}, name);
}

}  // namespace

std::string SplitContext::part_name(const Node& node, int64_t part) const { return str_cat(node.name, "/part_", part); }

std::string SplitContext::device(int32_t stage, int64_t part, bool host) const {
  return group_hint(static_cast<int32_t>(stage * parts + part), host);
}

void SplitContext::place(int32_t stage, int64_t part, bool host) const {
  e.builder().set_device(device(stage, part, host));
}

std::vector<ValueId> SplitContext::emit_parts(const Node& node,
                                              const std::vector<std::vector<ValueId>>& operands) const {
  std::vector<ValueId> out;
  for (int64_t k = 0; k < parts; ++k) {
    place(stage_of(node), k);
    out.push_back(e.emit(op_name(*node.op), operands[static_cast<size_t>(k)], node.attributes, part_name(node, k)));
  }
  return out;
}

SplitValues::SplitValues(const SplitContext& context, const std::vector<ValueId>& inputs, const std::vector<bool>& used,
                         const std::vector<ValueId>& needed)
    : context_(context),
      forms_(context.from.values.size()),
      uses_(context.from.values.size(), 0),
      nodes_(context.from.nodes.size(), -1) {
  const Function& from = context.from;
  for (size_t i = 0; i < inputs.size(); ++i) forms_[index(from.inputs[i])].whole = inputs[i];
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const Node& node = from.nodes[i];
    for (ValueId v : node.inputs) {
      if (v != kNoValue) ++uses_[index(v)];
    }
    if (reads_variable(node)) ++reads_[variable_name(node)];
  }
  for (ValueId v : needed) ++uses_[index(v)];
}

bool SplitValues::is_view_of_variable(const Node& node) const {
  if (node.op->traits.split != SplitRule::kReshape || node.attributes.get_int("allowzero") != 0) return false;
  return forms(node.inputs[0]).deferred && context_.from.constant(node.inputs[1]) != nullptr &&
         context_.shape(node.outputs[0]).is_static();
}

bool SplitValues::defer(const Node& node) {
  if (!reads_variable(node) && !is_view_of_variable(node)) return false;
  forms_[index(node.outputs[0])].deferred = true;
  return true;
}

void SplitValues::clone(NodeId id) {
  Emitter& e = context_.e;
  FunctionBuilder& to = e.builder();
  const Node& node = context_.from.node(id);
  std::vector<ValueId> operands;
  for (ValueId v : node.inputs) operands.push_back(whole(v));
  if (!e.status().ok()) return;
  to.set_device(names_device(node.device) ? node.device
                                          : context_.device(context_.stage_of(node), 0, node.op->has(kRuntime)));
  const auto made = to.add_node(*node.op, operands, node.attributes, node.outputs.size(), node.name);
  if (!made.ok()) return e.fail(made.status());
  nodes_[index(id)] = *made;
  for (NodeId before : node.control) {
    if (nodes_[index(before)] < 0) continue;
    if (Status s = to.add_control(nodes_[index(before)], *made); !s.ok()) return e.fail(std::move(s));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] != kNoValue) set_whole(node.outputs[i], to.function().node(*made).outputs[i]);
  }
}

ValueId SplitValues::whole(ValueId v) {
  Emitter& e = context_.e;
  if (v == kNoValue || !e.status().ok()) return kNoValue;
  const Function& from = context_.from;
  Forms& own = forms_[index(v)];
  if (own.whole != kNoValue) return own.whole;
  if (const Tensor* constant = from.constant(v)) return own.whole = e.constant(*constant, from.value(v).name);
  const Node& node = from.node(from.value(v).def);
  if (own.deferred) {
    clone(from.value(v).def);
  } else {
    context_.place(context_.stage_of(node), 0);
    set_whole(v,
              e.emit("Concat", own.parts, {{"axis", static_cast<int64_t>(own.axis)}}, str_cat(node.name, "/joined")));
  }
  return own.whole;
}

void SplitValues::set_whole(ValueId v, ValueId whole) {
  forms_[index(v)].whole = whole;
  if (!context_.e.status().ok()) return;
  FunctionBuilder& to = context_.e.builder();
  const std::string name = to.name_prefix() + context_.from.value(v).name;
  // A rename fails if the name is taken; the value then keeps its own name.
  if (to.function().value(whole).name != name) (void)to.rename(whole, name);
}

void SplitValues::set_parts(ValueId v, std::vector<ValueId> parts, size_t axis) {
  Forms& own = forms_[index(v)];
  own.parts = std::move(parts);
  own.axis = axis;
}

const Variable* SplitValues::shown(ValueId v) {
  if (v == kNoValue || !forms(v).deferred) return nullptr;
  const Function& from = context_.from;
  while (true) {
    const Node& node = from.node(from.value(v).def);
    if (uses_[index(v)] != 1) return nullptr;
    if (reads_variable(node)) {
      const std::string name = variable_name(node);
      return reads_[name] == 1 ? context_.graph.find_variable(name) : nullptr;
    }
    v = node.inputs[0];
  }
}

std::optional<size_t> SplitValues::variable_axis(ValueId v, size_t axis) {
  const Variable* variable = shown(v);
  return variable == nullptr ? std::nullopt : same_parts(context_.shape(v), axis, variable->shape, context_.parts);
}

std::vector<ValueId> SplitValues::read_parts(ValueId v, size_t axis, SplitForm form, int32_t stage) {
  Emitter& e = context_.e;
  const Variable& variable = *shown(v);
  const size_t own_axis = *variable_axis(v, axis);
  SplitParameter& out =
      parameters_.emplace_back(SplitParameter{variable.name, form, own_axis, {}, context_.device(stage, 0, true)});
  const int64_t size = variable.shape[own_axis] / context_.parts;
  const Shape& view = context_.shape(v);
  std::vector<int64_t> dims(view.begin(), view.end());
  dims[axis] /= context_.parts;
  std::vector<ValueId> parts;
  for (int64_t k = 0; k < context_.parts; ++k) {
    context_.place(stage, k, true);
    const ValueId all = read_variable(e, variable);
    out.slices.push_back(emit_slice(e, all, own_axis, k * size, size, str_cat(variable.name, "/part_", k)));
    if (view == variable.shape) {
      parts.push_back(out.slices.back());
    } else {
      context_.place(stage, k);
      parts.push_back(e.emit("Reshape", {out.slices.back(), e.ints(dims)}));
    }
  }
  return parts;
}

std::vector<ValueId> SplitValues::parts_along(ValueId v, size_t axis, SplitForm form, int32_t stage) {
  if (is_split(v) && forms(v).axis == axis) return forms(v).parts;
  if (variable_axis(v, axis)) return read_parts(v, axis, form, stage);
  const ValueId x = whole(v);
  std::vector<ValueId> out;
  const int64_t size = context_.shape(v)[axis] / context_.parts;
  context_.place(stage, 0);
  for (int64_t k = 0; k < context_.parts; ++k) out.push_back(emit_slice(context_.e, x, axis, k * size, size));
  return out;
}

SplitBody SplitValues::take() {
  SplitBody out;
  for (const Forms& own : forms_) out.values.push_back(own.whole);
  out.parameters = std::move(parameters_);
  return out;
}

}  // namespace percale
