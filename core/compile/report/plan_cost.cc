#include "core/compile/report/plan_cost.h"

#include <algorithm>

#include "core/graph/flops.h"

namespace percale {
namespace {

// Reading a variable is not work: the variable is an operand of the nodes that use it.
bool works(const Node& node) { return !node.op->is(Role::kReadVariable); }

// The longest chains up to a node or value.
struct Depth {
  int64_t nodes = 0;
  double flops = 0;
  // True when it grew.
  bool raise(const Depth& other) {
    if (other.nodes <= nodes && other.flops <= flops) return false;
    nodes = std::max(nodes, other.nodes);
    flops = std::max(flops, other.flops);
    return true;
  }
};

// The depths of the values and nodes of a part, computed from those of its inputs.
class PartDepths {
 public:
  PartDepths(const Graph& graph, const Function& f) : f_(f), values_(f.values.size()), nodes_(f.nodes.size()) {
    for (const Node& node : f.nodes) flops_.push_back(node_flops(graph, f, node));
  }
  void walk() {
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const Node& node = f_.nodes[i];
      Depth depth;
      for (ValueId id : node.inputs) {
        if (id != kNoValue) depth.raise(values_[static_cast<size_t>(id)]);
      }
      for (NodeId before : node.control) depth.raise(nodes_[static_cast<size_t>(before)]);
      nodes_[i] = {depth.nodes + (works(node) ? 1 : 0), depth.flops + flops_[i]};
      for (ValueId id : node.outputs) {
        if (id != kNoValue) values_[static_cast<size_t>(id)] = nodes_[i];
      }
    }
  }
  Depth& input(size_t i) { return values_[static_cast<size_t>(f_.inputs[i])]; }
  const Depth& output(size_t i) const { return values_[static_cast<size_t>(f_.outputs[i])]; }
  const std::vector<Depth>& nodes() const { return nodes_; }

 private:
  const Function& f_;
  std::vector<Depth> values_, nodes_;
  std::vector<double> flops_;
};

}  // namespace

PlanCost plan_cost(const Plan& plan) {
  PlanCost cost;
  std::vector<PartDepths> parts;
  for (const PlacedProgram& p : plan.programs) {
    const Function& f = p.part.function;
    parts.emplace_back(*plan.graph, f);
    for (const Node& node : f.nodes) {
      if (!works(node)) continue;
      ++cost.nodes;
      cost.flops += node_flops(*plan.graph, f, node);
      for (const auto* ids : {&node.inputs, &node.outputs}) {
        for (ValueId id : *ids) {
          const auto bytes = id == kNoValue ? Result<int64_t>(0) : byte_size(f.type(id).dtype, f.type(id).shape);
          if (bytes.ok()) cost.bytes_touched += *bytes;
        }
      }
    }
  }
  // Parts wait for each other in any order. Depths only grow, at most once per transfer and part.
  bool grew = true;
  for (size_t round = 0; grew && round <= plan.transfers.size(); ++round) {
    grew = false;
    for (PartDepths& part : parts) part.walk();
    for (const Transfer& t : plan.transfers) {
      if (t.from_output < 0 || t.to_input < 0) continue;
      const Depth from = parts[static_cast<size_t>(t.from_part)].output(static_cast<size_t>(t.from_output));
      grew = parts[static_cast<size_t>(t.to_part)].input(static_cast<size_t>(t.to_input)).raise(from) || grew;
    }
  }
  Depth deepest;
  for (const PartDepths& part : parts) {
    for (const Depth& depth : part.nodes()) deepest.raise(depth);
  }
  cost.critical_path_nodes = deepest.nodes;
  cost.critical_path_flops = deepest.flops;
  return cost;
}

}  // namespace percale
