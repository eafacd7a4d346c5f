#include "core/placement/partition.h"

#include <algorithm>
#include <map>

namespace percale {
namespace {

class Cutter {
 public:
  Cutter(const Function& f, const std::vector<int32_t>& device_of, const std::vector<bool>& whole)
      : f_(f), device_of_(device_of), whole_(whole) {}

  Cut run() {
    copied_node_.resize(f_.nodes.size());
    part_of_node_.assign(f_.nodes.size(), -1);
    node_before_.assign(f_.nodes.size(), -1);
    seen_.resize(f_.nodes.size());
    find_free_views();
    for (size_t i = 0; i < f_.nodes.size(); ++i) add_node(static_cast<NodeId>(i));
    for (size_t i = 0; i < f_.outputs.size(); ++i) add_result(static_cast<int32_t>(i));
    return std::move(cut_);
  }

 private:
  using Key = std::pair<int32_t, ValueId>;  // part, value of the whole function

  // Finds views that are copied into every part that reads them, because they cost nothing. The
  // value that they show is transferred instead. A view with control edges stays in one part.
  void find_free_views() {
    is_free_view_.resize(f_.nodes.size());
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      is_free_view_[i] = f_.nodes[i].op->has(kView) && f_.nodes[i].control.empty();
      for (NodeId before : f_.nodes[i].control) is_free_view_[static_cast<size_t>(before)] = false;
    }
  }

  // Returns the part of the node: the last one of its device, or a new one.
  int32_t part_of(NodeId node) {
    int32_t& known = part_of_node_[static_cast<size_t>(node)];
    if (known >= 0) return known;
    const int32_t device = device_of_[static_cast<size_t>(node)];
    const auto last = part_of_device_.find(device);
    if (last != part_of_device_.end() && !(is_whole(device) && waits_for(node, last->second))) {
      known = last->second;
    } else {
      known = static_cast<int32_t>(cut_.parts.size());
      part_of_device_[device] = known;
      Part& part = cut_.parts.emplace_back();
      part.device = device;
      part.function.name = f_.name;
      nodes_of_part_.emplace_back();
    }
    std::vector<NodeId>& nodes = nodes_of_part_[static_cast<size_t>(known)];
    if (!nodes.empty()) node_before_[static_cast<size_t>(node)] = nodes.back();
    nodes.push_back(node);
    return known;
  }
  Part& part(int32_t p) { return cut_.parts[static_cast<size_t>(p)]; }
  bool is_whole(int32_t device) const {
    return static_cast<size_t>(device) < whole_.size() && whole_[static_cast<size_t>(device)];
  }

  // True if the node depends on part `p` through nodes outside of `p`.
  bool waits_for(NodeId node, int32_t p) {
    std::fill(seen_.begin(), seen_.end(), false);
    std::vector<NodeId> open;
    const auto add = [&](NodeId n) {
      if (seen_[static_cast<size_t>(n)]) return;
      seen_[static_cast<size_t>(n)] = true;
      open.push_back(n);
    };
    const auto add_needed = [&](NodeId n, bool from_outside) {
      bool found = false;
      for_each_needed(n, [&](NodeId before) {
        if (part_of_node_[static_cast<size_t>(before)] == p) {
          found = from_outside;
        } else {
          add(before);
        }
      });
      return found;
    };
    add_needed(node, false);
    while (!open.empty()) {
      const NodeId n = open.back();
      open.pop_back();
      if (add_needed(n, true)) return true;
      const int32_t own = part_of_node_[static_cast<size_t>(n)];
      if (own < 0) continue;
      if (is_whole(part(own).device)) {
        for (NodeId beside : nodes_of_part_[static_cast<size_t>(own)]) add(beside);
      } else if (const NodeId before = node_before_[static_cast<size_t>(n)]; before >= 0) {
        add(before);  // kernels of a part run one after the other
      }
    }
    return false;
  }

  template <class Visit>
  void for_each_needed(NodeId node, Visit&& visit) const {
    for (ValueId id : f_.node(node).inputs) {
      if (id != kNoValue && f_.value(id).kind == ValueKind::kNode) visit(f_.value(id).def);
    }
    for (NodeId before : f_.node(node).control) visit(before);
  }

  ValueId add_value(Part& p, const Value& like, ValueKind kind, int32_t def, int32_t output) {
    const auto id = static_cast<ValueId>(p.function.values.size());
    p.function.values.push_back({like.name, like.type, kind, def, output});
    return id;
  }

  ValueId add_part_input(int32_t to, ValueId value, PartInput source) {
    Part& p = part(to);
    const ValueId id = add_value(p, f_.value(value), ValueKind::kInput, static_cast<int32_t>(p.inputs.size()), 0);
    p.function.inputs.push_back(id);
    p.inputs.push_back(source);
    return id;
  }

  int32_t output_of(int32_t from, ValueId copy) {
    Part& p = part(from);
    const auto at = std::find(p.function.outputs.begin(), p.function.outputs.end(), copy);
    if (at != p.function.outputs.end()) return static_cast<int32_t>(at - p.function.outputs.begin());
    p.function.outputs.push_back(copy);
    p.outputs.emplace_back();
    return static_cast<int32_t>(p.outputs.size()) - 1;
  }

  // Returns the value within part `to`. A value from another part is transferred once per part.
  ValueId use(int32_t to, ValueId value) {
    if (value == kNoValue) return kNoValue;
    if (const auto found = copies_.find({to, value}); found != copies_.end()) return found->second;
    const Value& v = f_.value(value);
    ValueId id = kNoValue;
    if (v.kind == ValueKind::kConstant) {
      Function& function = part(to).function;
      id = add_value(part(to), v, ValueKind::kConstant, static_cast<int32_t>(function.constants.size()), 0);
      function.constants.push_back(f_.constants[static_cast<size_t>(v.def)]);
    } else if (v.kind == ValueKind::kInput) {
      id = add_part_input(to, value, {PartInput::Kind::kFeed, v.def});
    } else if (is_free_view_[static_cast<size_t>(v.def)]) {
      copy_node(to, v.def);
      return copies_.at({to, value});
    } else {
      const int32_t from = part_of(v.def);
      const auto number = static_cast<int32_t>(cut_.transfers.size());
      const int32_t output = output_of(from, copies_.at({from, value}));
      part(from).outputs[static_cast<size_t>(output)].transfers.push_back(number);
      const auto bytes = byte_size(v.type.dtype, v.type.shape);
      Transfer t{
          v.name, from, output, to, static_cast<int32_t>(part(to).inputs.size()), -1, -1, bytes.ok() ? *bytes : 0};
      id = add_part_input(to, value, {PartInput::Kind::kTransfer, number});
      cut_.transfers.push_back(std::move(t));
    }
    copies_[{to, value}] = id;
    return id;
  }

  void add_node(NodeId id) {
    if (!is_free_view_[static_cast<size_t>(id)]) copy_node(part_of(id), id);
  }

  void copy_node(int32_t p, NodeId id) {
    const Node& node = f_.node(id);
    Node copy = node;
    for (ValueId& input : copy.inputs) input = use(p, input);
    const auto number = static_cast<NodeId>(part(p).function.nodes.size());
    copied_node_[static_cast<size_t>(id)] = number;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k] == kNoValue) continue;
      copy.outputs[k] =
          add_value(part(p), f_.value(node.outputs[k]), ValueKind::kNode, number, static_cast<int32_t>(k));
      copies_[{p, node.outputs[k]}] = copy.outputs[k];
    }
    copy.control.clear();
    for (NodeId before : node.control) {
      const int32_t from = part_of(before);
      const NodeId there = copied_node_[static_cast<size_t>(before)];
      if (from == p) {
        copy.control.push_back(there);
      } else {
        cut_.transfers.push_back({f_.node(before).name, from, -1, p, -1, there, number, 0});
      }
    }
    part(p).function.nodes.push_back(std::move(copy));
  }

  void add_result(int32_t output) {
    const ValueId value = f_.outputs[static_cast<size_t>(output)];
    const Value& v = f_.value(value);
    if (v.kind != ValueKind::kNode) {
      cut_.passed_through.emplace_back(output, value);
      return;
    }
    const int32_t from = part_of(v.def);
    const int32_t k = output_of(from, use(from, value));
    part(from).outputs[static_cast<size_t>(k)].results.push_back(output);
  }

  const Function& f_;
  const std::vector<int32_t>& device_of_;
  const std::vector<bool>& whole_;
  Cut cut_;
  std::map<int32_t, int32_t> part_of_device_;  // the last part of each device
  std::vector<int32_t> part_of_node_;          // -1: not known yet, or a view copied to its readers
  std::vector<NodeId> node_before_;            // the previous node of its part; -1: none
  std::vector<std::vector<NodeId>> nodes_of_part_;
  std::vector<bool> seen_;
  std::map<Key, ValueId> copies_;
  std::vector<NodeId> copied_node_;
  std::vector<bool> is_free_view_;
};

}  // namespace

Cut partition(const Function& function, const std::vector<int32_t>& device_of, const std::vector<bool>& whole) {
  return Cutter(function, device_of, whole).run();
}

}  // namespace percale
