#include "core/train/rewrite/training_form.h"

#include "core/passes/edit/rewrite.h"
#include "core/train/layers/state_ops.h"
#include "core/train/layers/synchronized.h"
#include "core/train/method/name_pattern.h"

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

// Converts BatchNormalization nodes to their training form.
class NormTraining {
 public:
  NormTraining(const Graph& graph, const Function& original, const std::vector<std::string>& frozen, bool synchronized,
               TrainingForm& out)
      : graph_(graph), original_(original), frozen_(frozen), synchronized_(synchronized), out_(out), names_(original) {}

  // Returns false for a node that is in training form already, or whose moving statistics are
  // frozen or not variables.
  bool train(NodeId id) {
    Node& node = out_.function.node(id);
    if (node.attributes.get_int("training_mode") != 0) return false;
    const Variable* mean = variable_read_by(graph_, original_, node.inputs[3]);
    const Variable* variance = variable_read_by(graph_, original_, node.inputs[4]);
    if (mean == nullptr || variance == nullptr || matches_any(frozen_, mean->name)) return false;
    if (synchronized_ || is_synchronized(graph_, mean->name)) {
      node.op = graph_.registry->find_op("percale", "SynchronizedBatchNormalization");
      node.attributes.erase("training_mode");
      out_.has_shard_barrier = true;
    } else {
      node.attributes.set("training_mode", 1);
    }
    move(id, 3, *mean);
    move(id, 4, *variance);
    return true;
  }

 private:
  // Adds the output that holds the next value of a statistic. If nodes share a statistic, each
  // starts from the value of the node before it, as calls of one layer do in PyTorch and in Keras.
  void move(NodeId id, size_t input, const Variable& v) {
    const auto output = static_cast<int32_t>(out_.function.node(id).outputs.size());
    const ValueId value = add_value(
        out_.function, {names_.value(str_cat("next/", v.name)), {v.dtype, v.shape}, ValueKind::kNode, id, output});
    Node& node = out_.function.node(id);
    node.outputs.push_back(value);
    for (TrainingForm::Statistic& s : out_.statistics) {
      if (s.variable != v.name) continue;
      node.inputs[input] = s.value;
      s.value = value;
      return;
    }
    out_.statistics.push_back({v.name, value});
  }

  const Graph& graph_;
  const Function& original_;
  const std::vector<std::string>& frozen_;
  const bool synchronized_;
  TrainingForm& out_;
  FreeNames names_;
};

}  // namespace

TrainingForm training_form(const Graph& graph, const Function& f, const std::vector<std::string>& frozen,
                           bool synchronized) {
  TrainingForm out;
  out.function = f;
  NormTraining norms(graph, f, frozen, synchronized, out);
  ValueId on = kNoValue;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    const OpSchema& op = *f.nodes[i].op;
    if (op.is(Role::kDropout)) {
      if (on == kNoValue) on = add_true(out.function);
      out.function.nodes[i].inputs.resize(3, kNoValue);
      out.function.nodes[i].inputs[2] = on;
      out.changed = true;
    } else if (op.is(Role::kBatchNormalization) && f.nodes[i].inputs.size() == 5) {
      out.changed = norms.train(id) || out.changed;
    }
  }
  return out;
}

}  // namespace percale
