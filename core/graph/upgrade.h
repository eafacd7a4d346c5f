// Nodes of older opsets, made into nodes of today's by the upgrades of the registry.
#ifndef PERCALE_CORE_GRAPH_UPGRADE_H_
#define PERCALE_CORE_GRAPH_UPGRADE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// One old node, as an upgrade sees it. An upgrade changes what the node is (op, inputs, attributes), after emitting what that
// needs before it; or it emits all that the node means and calls replace().
class UpgradeContext : public Emitter {
 public:
  UpgradeContext(FunctionBuilder& builder, std::string_view op_name, std::string_view node_name, int32_t opset,
                 std::vector<ValueId> in, Attributes attrs, size_t outputs_wanted)
      : Emitter(builder),
        op(op_name),
        name(node_name),
        version(opset),
        inputs(std::move(in)),
        attributes(std::move(attrs)),
        num_outputs(outputs_wanted) {}

  std::string op;  // "Conv", "percale:ApplyAdam"
  const std::string name;
  int32_t version;  // the opset that says what the node means
  std::vector<ValueId> inputs;
  Attributes attributes;
  const size_t num_outputs;

  // kNoValue where absent.
  ValueId input(size_t i) const { return i < inputs.size() ? inputs[i] : kNoValue; }
  // Puts a value at input i, absent ones before it where the node has fewer.
  void set_input(size_t i, ValueId value) {
    if (inputs.size() <= i) inputs.resize(i + 1, kNoValue);
    inputs[i] = value;
  }
  // The attribute, and the node without it.
  int64_t take_int(std::string_view attribute, int64_t fallback);
  double take_float(std::string_view attribute, double fallback);
  std::vector<int64_t> take_ints(std::string_view attribute);
  // These values are the node's outputs; nothing more is made of it.
  void replace(std::vector<ValueId> outputs) { outputs_ = std::move(outputs); }
  // An error that names the op and the node.
  template <class... Parts>
  Status error(const Parts&... parts) const {
    return invalid_argument(op, " '", name, "' of opset ", version, ": ", parts...);
  }
  const std::vector<ValueId>& outputs() const { return outputs_; }

 private:
  std::vector<ValueId> outputs_;
};

// Whether nodes of this op can be made as opset `version` of its domain knows it; 0 = the newest.
bool knows_op(const Registry& registry, std::string_view op, int32_t version);

// The outputs of a node of `op` as opset `version` of its domain knows it; 0 = the newest.
Result<std::vector<ValueId>> add_node_of_version(FunctionBuilder& builder, std::string_view op, int32_t version,
                                                 std::vector<ValueId> inputs, Attributes attributes, size_t num_outputs,
                                                 std::string_view name);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_UPGRADE_H_
