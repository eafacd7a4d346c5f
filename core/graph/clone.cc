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

}  // namespace

Result<std::vector<ValueId>> clone_body(const Function& from, FunctionBuilder& to, const std::vector<ValueId>& inputs) {
  if (inputs.size() != from.inputs.size()) {
    return invalid_argument("function '", from.name, "' takes ", static_cast<uint64_t>(from.inputs.size()),
                            " inputs, got ", static_cast<uint64_t>(inputs.size()));
  }
  std::vector<ValueId> map(from.values.size(), kNoValue);
  std::vector<NodeId> nodes;
  for (size_t i = 0; i < inputs.size(); ++i) map[static_cast<size_t>(from.inputs[i])] = inputs[i];
  for (size_t i = 0; i < from.values.size(); ++i) {
    const Tensor* constant = from.constant(static_cast<ValueId>(i));
    if (constant == nullptr) continue;
    PERCALE_ASSIGN_OR_RETURN(map[i], to.add_constant(*constant, from.values[i].name));
  }
  Device device(to);
  for (const Node& node : from.nodes) {
    std::vector<ValueId> operands;
    for (ValueId v : node.inputs) operands.push_back(v == kNoValue ? kNoValue : map[static_cast<size_t>(v)]);
    device.follow(node);
    PERCALE_ASSIGN_OR_RETURN(const NodeId id,
                             to.add_node(*node.op, operands, node.attributes, node.outputs.size(), node.name));
    for (NodeId before : node.control) {
      PERCALE_RETURN_IF_ERROR(to.add_control(nodes[static_cast<size_t>(before)], id));
    }
    nodes.push_back(id);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) map[static_cast<size_t>(node.outputs[i])] = to.function().node(id).outputs[i];
    }
  }
  return map;
}

Result<std::vector<ValueId>> clone_function(const Function& from, FunctionBuilder& to) {
  std::vector<ValueId> inputs;
  for (ValueId id : from.inputs) {
    const Value& value = from.value(id);
    PERCALE_ASSIGN_OR_RETURN(const ValueId input, to.add_input(value.name, value.type.dtype, value.type.shape));
    inputs.push_back(input);
  }
  return clone_body(from, to, inputs);
}

}  // namespace percale
