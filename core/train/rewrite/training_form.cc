#include "core/train/layers/state_ops.h"
#include "core/train/layers/synchronized.h"
#include "core/train/method/name_pattern.h"
#include "core/train/rewrite/minimize.h"

namespace percale {
namespace {

ValueId add_value(Function& f, Value value) {
  f.values.push_back(std::move(value));
  return static_cast<ValueId>(f.values.size() - 1);
}

ValueId add_true(Function& f) {
  f.constants.push_back(Tensor::scalar(true));
  return add_value(f, {"training_mode",
                       {DType::kBool, Shape{}},
                       ValueKind::kConstant,
                       static_cast<int32_t>(f.constants.size() - 1),
                       0});
}

// False for a node that trains already, or whose moving statistics are no variables, or frozen.
bool train_batch_normalization(const Graph& graph, const Function& original, NodeId id,
                               const std::vector<std::string>& frozen, bool synchronized, TrainingForm& out) {
  Node& node = out.function.node(id);
  if (node.attributes.get_int("training_mode") != 0) return false;
  const Variable* mean = variable_read_by(graph, original, node.inputs[3]);
  const Variable* variance = variable_read_by(graph, original, node.inputs[4]);
  if (mean == nullptr || variance == nullptr || matches_any(frozen, mean->name)) return false;
  if (synchronized || is_synchronized(graph, mean->name)) {
    node.op = graph.registry->find_op("percale", "SynchronizedBatchNormalization");
    node.attributes.erase("training_mode");
    out.meets_shards = true;
  } else {
    node.attributes.set("training_mode", 1);
  }
  for (const Variable* v : {mean, variance}) {
    const auto output = static_cast<int32_t>(node.outputs.size());
    const ValueId value =
        add_value(out.function, {str_cat("next/", v->name), {v->dtype, v->shape}, ValueKind::kNode, id, output});
    out.function.node(id).outputs.push_back(value);
    out.statistics.push_back({v->name, value});
  }
  return true;
}

}  // namespace

TrainingForm training_form(const Graph& graph, const Function& f, const std::vector<std::string>& frozen,
                           bool synchronized) {
  TrainingForm out;
  out.function = f;
  ValueId on = kNoValue;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const std::string op = op_name(*f.nodes[i].op);
    if (op == "Dropout") {
      if (on == kNoValue) on = add_true(out.function);
      out.function.nodes[i].inputs.resize(3, kNoValue);
      out.function.nodes[i].inputs[2] = on;
      out.changed = true;
    } else if (op == "BatchNormalization" && f.nodes[i].inputs.size() == 5) {
      out.changed = train_batch_normalization(graph, f, id, frozen, synchronized, out) || out.changed;
    }
  }
  return out;
}

}  // namespace percale
