#include "core/compile/segment.h"

#include <algorithm>
#include <map>

namespace percale {
namespace {

bool is_control(const Node& node) {
  return node.op->has(kWaits) ||
         (node.op->has(kRuntime) && std::any_of(node.attributes.begin(), node.attributes.end(), [](const auto& entry) {
            return entry.second.kind() == AttrKind::kFunction;
          }));
}

// Copies chosen nodes of a function into another; what they need from outside becomes an input.
class Extractor {
 public:
  Extractor(const Function& from, Function& to) : from_(from), to_(to), node_(from.nodes.size(), -1) {
    to.name = from.name;
  }

  ValueId value(ValueId id) {
    if (id == kNoValue) return kNoValue;
    if (const auto found = copies_.find(id); found != copies_.end()) return found->second;
    const Value& v = from_.value(id);
    const bool constant = v.kind == ValueKind::kConstant;
    const ValueId copy = add(id, constant ? ValueKind::kConstant : ValueKind::kInput,
                             static_cast<int32_t>(constant ? to_.constants.size() : to_.inputs.size()), 0);
    if (constant) {
      to_.constants.push_back(*from_.constant(id));
    } else {
      to_.inputs.push_back(copy);
      outside_.push_back(id);
    }
    return copy;
  }

  void node(NodeId id) {
    Node copy = from_.node(id);
    for (ValueId& input : copy.inputs) input = value(input);
    const auto number = static_cast<NodeId>(to_.nodes.size());
    node_[static_cast<size_t>(id)] = number;
    for (size_t k = 0; k < copy.outputs.size(); ++k) {
      if (copy.outputs[k] != kNoValue) {
        copy.outputs[k] = add(copy.outputs[k], ValueKind::kNode, number, static_cast<int32_t>(k));
      }
    }
    std::vector<NodeId> control;
    for (NodeId before : copy.control) {
      if (node_[static_cast<size_t>(before)] >= 0) control.push_back(node_[static_cast<size_t>(before)]);
    }
    copy.control = std::move(control);
    to_.nodes.push_back(std::move(copy));
  }

  bool holds(ValueId id) const { return copies_.contains(id); }
  // The values of the original that became inputs, in the order of the inputs.
  const std::vector<ValueId>& outside() const { return outside_; }

 private:
  ValueId add(ValueId id, ValueKind kind, int32_t def, int32_t output) {
    const auto copy = static_cast<ValueId>(to_.values.size());
    to_.values.push_back({from_.value(id).name, from_.type(id), kind, def, output});
    copies_[id] = copy;
    return copy;
  }

  const Function& from_;
  Function& to_;
  std::vector<int32_t> node_;
  std::map<ValueId, ValueId> copies_;
  std::vector<ValueId> outside_;
};

enum class When : uint8_t { kNow, kControl, kLater };

class Splitter {
 public:
  explicit Splitter(const Function& f) : f_(f), when_(f.nodes.size(), When::kNow) {}

  Segments split() {
    for (size_t i = 0; i < f_.nodes.size(); ++i) when_[i] = when(static_cast<NodeId>(i));
    // The inputs of the head are the feeds, all of them and in their order.
    Extractor head(f_, out_.head);
    for (ValueId id : f_.inputs) head.value(id);
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      if (when_[i] == When::kNow) head.node(static_cast<NodeId>(i));
    }
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      if (when_[i] == When::kControl) add_control(head, f_.nodes[i]);
    }
    add_rest(head);
    return std::move(out_);
  }

 private:
  bool comes_from(ValueId id, When at) const {
    const Value& v = f_.value(id);
    return v.kind == ValueKind::kNode && when_[static_cast<size_t>(v.def)] == at;
  }

  When when(NodeId id) const {
    const Node& node = f_.node(id);
    const auto early = [&](When before) {
      return before == When::kNow || (before == When::kControl && node.op->has(kWaits));
    };
    for (ValueId input : node.inputs) {
      if (input == kNoValue || f_.value(input).kind != ValueKind::kNode) continue;
      if (!early(when_[static_cast<size_t>(f_.value(input).def)])) return When::kLater;
    }
    for (NodeId before : node.control) {
      if (!early(when_[static_cast<size_t>(before)])) return When::kLater;
    }
    if (is_control(node)) return When::kControl;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue) continue;
      if (node.op->input(i).bounds == Bounds::kShape && f_.constant(node.inputs[i]) == nullptr) return When::kLater;
      if (!f_.type(node.inputs[i]).shape.is_static()) return When::kLater;
    }
    for (ValueId output : node.outputs) {
      if (output != kNoValue && !f_.type(output).shape.is_static()) return When::kLater;
    }
    return When::kNow;
  }

  // Where a value that head or control gives can be taken from.
  ValueSource source(Extractor& head, ValueId id) {
    const Value& v = f_.value(id);
    if (v.kind == ValueKind::kInput) return {ValueSource::Kind::kFeed, v.def, 0};
    if (comes_from(id, When::kControl)) {
      return {ValueSource::Kind::kControl, control_of_.at(v.def), v.output};
    }
    const auto [found, added] = result_of_.emplace(id, static_cast<int32_t>(out_.head.outputs.size()));
    if (added) out_.head.outputs.push_back(head.value(id));
    return {ValueSource::Kind::kResult, found->second, 0};
  }

  void add_control(Extractor& head, const Node& node) {
    ControlNode control;
    control.node = node;
    for (ValueId id : node.inputs) {
      control.inputs.push_back(id == kNoValue ? ValueSource{ValueSource::Kind::kFeed, -1, 0} : source(head, id));
      control.input_types.push_back(id == kNoValue ? ValueType{} : f_.type(id));
    }
    const auto number = static_cast<NodeId>(&node - f_.nodes.data());
    control_of_[number] = static_cast<int32_t>(out_.control.size());
    out_.control.push_back(std::move(control));
  }

  void add_rest(Extractor& head) {
    Extractor rest(f_, out_.rest);
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      if (when_[i] == When::kLater) rest.node(static_cast<NodeId>(i));
    }
    for (ValueId id : f_.outputs) {
      if (comes_from(id, When::kLater)) {
        out_.fetches.push_back({ValueSource::Kind::kRest, static_cast<int32_t>(out_.rest.outputs.size()), 0});
        out_.rest.outputs.push_back(rest.value(id));
      } else {
        out_.fetches.push_back(source(head, id));
      }
    }
    for (ValueId id : rest.outside()) out_.rest_inputs.push_back(source(head, id));
    out_.rest_by_value.resize(out_.rest_inputs.size());
    for (const Node& node : out_.rest.nodes) {
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i] == kNoValue || node.op->input(i).bounds != Bounds::kShape) continue;
        const Value& v = out_.rest.value(node.inputs[i]);
        if (v.kind == ValueKind::kInput) out_.rest_by_value[static_cast<size_t>(v.def)] = true;
      }
    }
  }

  const Function& f_;
  std::vector<When> when_;
  std::map<ValueId, int32_t> result_of_;
  std::map<NodeId, int32_t> control_of_;
  Segments out_;
};

}  // namespace

Segments split_segments(const Function& function) { return Splitter(function).split(); }

}  // namespace percale
