#include "core/run/plan_cost.h"

#include <algorithm>

namespace percale {
namespace {

double elements(const Function& f, ValueId id) {
  if (id == kNoValue || !f.type(id).shape.is_static()) return 0;
  return static_cast<double>(f.type(id).shape.num_elements());
}

double dim(const Function& f, ValueId id, size_t from_end) {
  const Shape& shape = f.type(id).shape;
  return shape.rank() < from_end ? 1 : static_cast<double>(std::max<int64_t>(1, shape[shape.rank() - from_end]));
}

// Reading a variable is no work: it is an operand of whoever uses it.
bool works(const Node& node) { return node.op->name != "ReadVariable"; }

double outputs_of(const Function& f, const Node& node) {
  double out = 0;
  for (ValueId id : node.outputs) out += elements(f, id);
  return out;
}

// Longest chains up to a place.
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

// Depths of the values and nodes of a part, from those of its inputs.
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

double node_flops(const Graph& graph, const Function& f, const Node& node) {
  const std::string op = op_name(*node.op);
  if (op == "percale:Fused") {
    double out = 0;
    for (const auto& [name, value] : node.attributes) {
      const FunctionRef* ref = value.get_if<FunctionRef>();
      const Function* body = ref == nullptr ? nullptr : graph.find_function(ref->name);
      // A body's bodies would be fused twice; there are none.
      for (size_t i = 0; body != nullptr && i < body->nodes.size(); ++i) {
        if (op_name(*body->nodes[i].op) != op) out += node_flops(graph, *body, body->nodes[i]);
      }
    }
    return out;
  }
  const double outputs = outputs_of(f, node), elementwise = node.op->has(kElementwise) ? outputs : 0;
  if (node.inputs.size() < 2 || node.inputs[0] == kNoValue || node.inputs[1] == kNoValue) return elementwise;
  const ValueId data = node.inputs[0], weight = node.inputs[1];
  const Shape& filters = f.type(weight).shape;
  const double per_filter =
      filters.rank() > 0 && filters[0] > 0 ? elements(f, weight) / static_cast<double>(filters[0]) : 0;
  // Each output is a sum over one filter; transposed, each input is spread over one.
  if (op == "Conv") return 2 * outputs * per_filter;
  if (op == "ConvTranspose") return 2 * elements(f, data) * per_filter;
  if (op == "MatMul") return 2 * outputs * dim(f, data, 1);
  if (op == "Gemm") return 2 * outputs * dim(f, data, node.attributes.get_int("transA") != 0 ? 2 : 1);
  return elementwise;
}

PlanCost plan_cost(const Compiled& compiled) {
  PlanCost cost;
  std::vector<PartDepths> parts;
  for (const PlacedProgram& p : compiled.programs) {
    const Function& f = p.part.function;
    parts.emplace_back(*compiled.graph, f);
    for (const Node& node : f.nodes) {
      if (!works(node)) continue;
      ++cost.nodes;
      cost.flops += node_flops(*compiled.graph, f, node);
      for (const auto* ids : {&node.inputs, &node.outputs}) {
        for (ValueId id : *ids) {
          const auto bytes = id == kNoValue ? Result<int64_t>(0) : byte_size(f.type(id).dtype, f.type(id).shape);
          if (bytes.ok()) cost.bytes_touched += *bytes;
        }
      }
    }
  }
  // Parts wait for each other in any order; depths only grow, and at most once per transfer and part.
  bool grew = true;
  for (size_t round = 0; grew && round <= compiled.transfers.size(); ++round) {
    grew = false;
    for (PartDepths& part : parts) part.walk();
    for (const Transfer& t : compiled.transfers) {
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
