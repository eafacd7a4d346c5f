#include "core/graph_io/upgrade_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/graph/emit/upgrade.h"
#include "core/graph/validate.h"

namespace percale {
namespace {

bool is_old(const Function& f) {
  return std::any_of(f.nodes.begin(), f.nodes.end(), [](const Node& n) { return n.op == nullptr; });
}

// The required names of a rebuilt function. Other nodes that upgrades emit get names that are not
// taken.
struct Wishes {
  std::unordered_map<ValueId, std::string> values;
  std::unordered_map<NodeId, std::string> nodes;
};

template <class Item, class Id>
void put_names(std::vector<Item>& items, const std::unordered_map<Id, std::string>& wishes) {
  std::unordered_set<std::string> taken;
  for (const auto& [id, name] : wishes) taken.insert(name);
  for (size_t i = 0; i < items.size(); ++i) {
    std::string& name = items[i].name;
    if (const auto wish = wishes.find(static_cast<Id>(i)); wish != wishes.end()) {
      name = wish->second;
      continue;
    }
    const std::string base = name;
    for (int64_t number = 1; !taken.insert(name).second; ++number) name = str_cat(base, "_", number);
  }
}

// Rebuilds one function, node by node.
class Rebuilder {
 public:
  Rebuilder(const Function& from, FunctionBuilder& to, const std::vector<OpOfVersion>& ops,
            const std::vector<uint32_t>& op_of_node)
      : from_(from), to_(to), ops_(ops), op_of_node_(op_of_node), map_(from.values.size(), kNoValue) {}

  Result<Wishes> run() {
    for (ValueId id : from_.inputs) {
      const Value& value = from_.value(id);
      PERCALE_ASSIGN_OR_RETURN(const ValueId input, to_.add_input(value.name, value.type.dtype, value.type.shape));
      PERCALE_RETURN_IF_ERROR(stand_for(id, input));
    }
    for (size_t i = 0; i < from_.values.size(); ++i) {
      const auto id = static_cast<ValueId>(i);
      if (const Tensor* tensor = from_.constant(id)) {
        PERCALE_ASSIGN_OR_RETURN(const ValueId constant, to_.add_constant(*tensor, from_.value(id).name));
        PERCALE_RETURN_IF_ERROR(stand_for(id, constant));
      }
    }
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      PERCALE_RETURN_IF_ERROR(add(i).with_context(str_cat("node '", from_.nodes[i].name, "'")));
    }
    std::vector<ValueId> outputs;
    for (ValueId id : from_.outputs) outputs.push_back(now(id));
    PERCALE_RETURN_IF_ERROR(to_.set_outputs(std::move(outputs)));
    return std::move(wishes_);
  }

 private:
  struct Range {
    NodeId begin, end;
  };

  ValueId now(ValueId id) const { return id == kNoValue ? id : map_[static_cast<size_t>(id)]; }
  NodeId num_nodes() const { return static_cast<NodeId>(to_.function().nodes.size()); }

  Status add(size_t index) {
    const Node& node = from_.nodes[index];
    std::vector<ValueId> operands;
    for (ValueId id : node.inputs) operands.push_back(now(id));
    to_.set_device(node.device);
    const NodeId first = num_nodes();
    std::vector<ValueId> outputs;
    if (node.op != nullptr) {
      PERCALE_ASSIGN_OR_RETURN(const NodeId id,
                               to_.add_node(*node.op, operands, node.attributes, node.outputs.size(), node.name));
      outputs = to_.function().node(id).outputs;
    } else {
      const OpOfVersion& op = ops_[op_of_node_[index]];
      PERCALE_ASSIGN_OR_RETURN(outputs, add_node_of_version(to_, op.op, op.version, std::move(operands),
                                                            node.attributes, node.outputs.size(), node.name));
      if (outputs.size() < node.outputs.size()) {
        return invalid_argument(op.op, " of version ", op.version, " has ", static_cast<uint64_t>(outputs.size()),
                                " outputs, wanted ", static_cast<uint64_t>(node.outputs.size()));
      }
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNoValue) PERCALE_RETURN_IF_ERROR(stand_for(node.outputs[i], outputs[i]));
    }
    ranges_.push_back({first, num_nodes()});
    if (num_nodes() > first) wishes_.nodes.emplace(num_nodes() - 1, node.name);
    for (NodeId before : node.control) {
      const Range& range = ranges_[static_cast<size_t>(before)];
      for (NodeId n = first; n < num_nodes(); ++n) {
        for (NodeId b = range.begin; b < range.end; ++b) PERCALE_RETURN_IF_ERROR(to_.add_control(b, n));
      }
    }
    return {};
  }

  // Makes `made` replace the value `old` and take its name. If `made` already has a required name,
  // a copy of it is used.
  Status stand_for(ValueId old, ValueId made) {
    if (made == kNoValue) return invalid_argument("the upgrade no longer produces value '", from_.value(old).name, "'");
    if (wishes_.values.contains(made)) {
      Emitter e(to_);
      made = e.emit("Identity", {made}, {}, from_.value(old).name);
      PERCALE_RETURN_IF_ERROR(e.status());
    }
    wishes_.values.emplace(made, from_.value(old).name);
    map_[static_cast<size_t>(old)] = made;
    return {};
  }

  const Function& from_;
  FunctionBuilder& to_;
  const std::vector<OpOfVersion>& ops_;
  const std::vector<uint32_t>& op_of_node_;
  std::vector<ValueId> map_;
  std::vector<Range> ranges_;  // per old node: its new nodes
  Wishes wishes_;
};

// Orders functions after the functions that they call, and estimates the cost of looking into the
// functions that nodes carry. Precondition: calls end within kMaxFunctionDepth.
class CallOrder {
 public:
  explicit CallOrder(const Graph& graph) : graph_(graph), size_(graph.functions.size(), 0) {
    for (size_t i = 0; i < graph.functions.size(); ++i) index_[graph.functions[i].name] = i;
    for (size_t i = 0; i < graph.functions.size(); ++i) visit(i);
  }
  const std::vector<size_t>& order() const { return order_; }
  bool affordable() const { return work_ <= limit_; }

 private:
  static constexpr uint64_t kMost = uint64_t{1} << 40;

  void visit(size_t at) {
    if (size_[at] != 0) return;
    const Function& f = graph_.functions[at];
    uint64_t size = f.nodes.size() + 1;
    limit_ += 16 * size;
    if (is_old(f)) work_ += graph_.functions.size();  // for its lookup
    for (const Node& node : f.nodes) {
      for (const auto& [name, value] : node.attributes) {
        const FunctionRef* ref = value.get_if<FunctionRef>();
        if (ref == nullptr) continue;
        const size_t callee = index_.at(ref->name);
        visit(callee);
        // Looking up a function by name takes time linear in the number of functions.
        const uint64_t cost = size_[callee] + graph_.functions.size();
        size = std::min(size + cost, kMost);
        work_ = std::min(work_ + cost, kMost);
      }
    }
    size_[at] = size;
    order_.push_back(at);
  }

  const Graph& graph_;
  std::unordered_map<std::string_view, size_t> index_;
  // Size of a function including all that it calls; 0: not visited yet.
  std::vector<uint64_t> size_;
  std::vector<size_t> order_;
  uint64_t work_ = 0, limit_ = uint64_t{1} << 24;
};

}  // namespace

Result<std::shared_ptr<Graph>> upgrade_graph(const Graph& graph, const std::vector<OpOfVersion>& ops,
                                             const std::vector<std::vector<uint32_t>>& op_of_node) {
  PERCALE_RETURN_IF_ERROR(validate_structure(graph));
  const CallOrder calls(graph);
  if (!calls.affordable()) {
    return resource_exhausted("upgrading ops of older versions would copy nested functions too many times");
  }
  // Functions that are not rebuilt are present from the start, because rebuilt functions that call
  // them need their types.
  Graph shell = graph;
  for (Function& f : shell.functions) {
    if (!is_old(f)) continue;
    Function bare;
    bare.name = f.name;
    f = std::move(bare);
  }
  Builder builder(shell);
  std::vector<std::pair<size_t, Wishes>> rebuilt;
  for (size_t i : calls.order()) {
    const Function& from = graph.functions[i];
    if (!is_old(from)) continue;
    auto wishes = Rebuilder(from, *builder.find_function(from.name), ops, op_of_node[i]).run();
    if (!wishes.ok()) return wishes.status().with_context(str_cat("function '", from.name, "'"));
    rebuilt.emplace_back(i, std::move(wishes).value());
  }
  auto out = std::make_shared<Graph>(builder.graph());
  for (const auto& [i, wishes] : rebuilt) {
    put_names(out->functions[i].values, wishes.values);
    put_names(out->functions[i].nodes, wishes.nodes);
  }
  return out;
}

}  // namespace percale
