// Turns nodes of older opsets into nodes of current ops with the upgrades of the registry.
#ifndef PERCALE_CORE_GRAPH_EMIT_UPGRADE_H_
#define PERCALE_CORE_GRAPH_EMIT_UPGRADE_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/builder.h"

namespace percale {

// An old node, as seen by an upgrade. An upgrade either changes the node (op, inputs, attributes),
// after emitting the nodes that the change needs; or it emits the complete replacement and calls
// replace().
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
  int32_t version;  // the opset that defines the node's meaning
  std::vector<ValueId> inputs;
  Attributes attributes;
  const size_t num_outputs;

  // Returns kNoValue if absent.
  ValueId input(size_t i) const { return i < inputs.size() ? inputs[i] : kNoValue; }
  // Sets input i. If the node has fewer inputs, the ones in between become absent.
  void set_input(size_t i, ValueId value) {
    if (inputs.size() <= i) inputs.resize(i + 1, kNoValue);
    inputs[i] = value;
  }
  // Return an attribute and remove it from the node.
  int64_t take_int(std::string_view attribute, int64_t fallback);
  double take_float(std::string_view attribute, double fallback);
  std::vector<int64_t> take_ints(std::string_view attribute);
  // Makes these values the outputs of the node; no further upgrade is applied.
  void replace(std::vector<ValueId> outputs) { outputs_ = std::move(outputs); }
  // Returns an error that names the op and the node.
  template <class... Parts>
  Status error(const Parts&... parts) const {
    return invalid_argument(op, " '", name, "' of opset ", version, ": ", parts...);
  }
  const std::vector<ValueId>& outputs() const { return outputs_; }

 private:
  std::vector<ValueId> outputs_;
};

// True if nodes of this op can be made as defined by opset `version` of its domain; 0: the newest.
bool knows_op(const Registry& registry, std::string_view op, int32_t version);

// Adds a node of `op` as defined by opset `version` of its domain (0: the newest) and returns its
// outputs.
Result<std::vector<ValueId>> add_node_of_version(FunctionBuilder& builder, std::string_view op, int32_t version,
                                                 std::vector<ValueId> inputs, Attributes attributes, size_t num_outputs,
                                                 std::string_view name);

}  // namespace percale

#endif  // PERCALE_CORE_GRAPH_EMIT_UPGRADE_H_
