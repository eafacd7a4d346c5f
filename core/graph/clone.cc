#include "core/graph/clone.h"

namespace percale {
namespace {

class Device {
 public:
  explicit Device(FunctionBuilder& f) : f_(f), device_(f.device()) {}
  ~Device() { f_.set_device(device_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  void follow(const Node& node) { f_.set_device(node.device.empty() ? device_ : node.device); }

 private:
  FunctionBuilder& f_;
  const std::string device_;
};

// True if the new inputs satisfy everything that `from` knows about the shapes of its inputs. The
// other shapes of `from` then hold as well.
bool keeps_shapes(const Function& from, const FunctionBuilder& to, const std::vector<ValueId>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) continue;
    const Shape before = from.type(from.inputs[i]).shape, now = to.type(inputs[i]).shape;
    if (!compatible(before, now) || !(merge(before, now) == now)) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> nodes_behind(const Function& f, const std::vector<ValueId>& values, bool control) {
  std::vector<bool> out(f.nodes.size(), false);
  const auto mark = [&](ValueId v) {
    if (v != kNoValue && f.value(v).kind == ValueKind::kNode) out[static_cast<size_t>(f.value(v).def)] = true;
  };
  for (ValueId v : values) mark(v);
  for (size_t i = f.nodes.size(); i-- > 0;) {
    if (!out[i]) continue;
    for (ValueId v : f.nodes[i].inputs) mark(v);
    if (!control) continue;
    for (NodeId before : f.nodes[i].control) out[static_cast<size_t>(before)] = true;
  }
  return out;
}

std::vector<bool> inputs_behind(const Function& f, const std::vector<ValueId>& values) {
  std::vector<bool> out(f.inputs.size(), false);
  const auto mark = [&](ValueId v) {
    if (v != kNoValue && f.value(v).kind == ValueKind::kInput) out[static_cast<size_t>(f.value(v).def)] = true;
  };
  for (ValueId v : values) mark(v);
  const std::vector<bool> nodes = nodes_behind(f, values);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]) continue;
    for (ValueId v : f.nodes[i].inputs) mark(v);
  }
  return out;
}

Result<std::vector<ValueId>> clone_body(const Function& from, FunctionBuilder& to, const std::vector<ValueId>& inputs,
                                        const std::vector<ValueId>* needed) {
  if (inputs.size() != from.inputs.size()) {
    return invalid_argument("function '", from.name, "' takes ", static_cast<uint64_t>(from.inputs.size()),
                            " inputs, got ", static_cast<uint64_t>(inputs.size()));
  }
  std::vector<ValueId> map(from.values.size(), kNoValue);
  for (size_t i = 0; i < inputs.size(); ++i) map[static_cast<size_t>(from.inputs[i])] = inputs[i];
  const auto mapped = [&](ValueId v) -> Result<ValueId> {
    if (v == kNoValue) return kNoValue;
    ValueId& there = map[static_cast<size_t>(v)];
    if (const Tensor* constant = from.constant(v); constant != nullptr && there == kNoValue) {
      PERCALE_ASSIGN_OR_RETURN(there, to.add_constant(*constant, from.value(v).name));
    }
    return there;
  };
  std::vector<bool> wanted(from.nodes.size(), true);
  if (needed != nullptr) wanted = nodes_behind(from, *needed);
  std::vector<NodeId> nodes(from.nodes.size(), -1);
  const bool shapes = keeps_shapes(from, to, inputs);
  Device device(to);
  for (size_t n = 0; n < from.nodes.size(); ++n) {
    const Node& node = from.nodes[n];
    if (!wanted[n]) continue;
    std::vector<ValueId> operands;
    for (ValueId v : node.inputs) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId operand, mapped(v));
      operands.push_back(operand);
    }
    device.follow(node);
    PERCALE_ASSIGN_OR_RETURN(nodes[n],
                             to.add_node(*node.op, operands, node.attributes, node.outputs.size(), node.name));
    for (NodeId before : node.control) {
      PERCALE_RETURN_IF_ERROR(to.add_control(nodes[static_cast<size_t>(before)], nodes[n]));
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNoValue) continue;
      const ValueId copy = to.function().node(nodes[n]).outputs[i];
      map[static_cast<size_t>(node.outputs[i])] = copy;
      const Shape before = from.type(node.outputs[i]).shape;
      if (shapes && compatible(before, to.type(copy).shape)) to.refine_shape(copy, before);
      // A value may have been renamed, as outputs of layers are.
      const std::string name = to.name_prefix() + from.value(node.outputs[i]).name;
      // taken: the copy keeps its name
      if (to.function().value(copy).name != name) (void)to.rename(copy, name);
    }
  }
  // A constant may be an output of the function without any node in between.
  for (ValueId v : needed != nullptr ? *needed : from.outputs) PERCALE_RETURN_IF_ERROR(mapped(v).status());
  return map;
}

Result<std::vector<ValueId>> clone_function(const Function& from, FunctionBuilder& to,
                                            const std::vector<ValueId>* needed) {
  std::vector<ValueId> inputs;
  for (ValueId id : from.inputs) {
    const Value& value = from.value(id);
    PERCALE_ASSIGN_OR_RETURN(const ValueId input, to.add_input(value.name, value.type.dtype, value.type.shape));
    inputs.push_back(input);
  }
  return clone_body(from, to, inputs, needed);
}

}  // namespace percale
