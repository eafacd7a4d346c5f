#include "core/passes/device/fuse_elementwise.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/passes/edit/rewrite.h"
#include "core/passes/simplify/inline.h"

namespace percale {
namespace {

struct Group {
  Shape shape;
  std::string device;
  std::vector<NodeId> nodes;  // in reverse order: the first is the root, the group's last node
  std::set<ValueId> inputs;
  NodeId anchor = -1, expansion = -1;
  NodeId before = -1;  // a copy of this node runs before the core
};

// Returns the rule of a normalisation or a loss, which kernels of accelerators fuse with its
// neighbours; else null.
const FusionRule* core_of(const Node& node) {
  const FusionRule& rule = node.op->traits.fusion;
  const bool is_core = rule.kind == FusionRule::Kind::kBegins || rule.kind == FusionRule::Kind::kEnds;
  const bool applies = !rule.only_training || node.attributes.get_int("training_mode", 0) != 0;
  return is_core && applies ? &rule : nullptr;
}

// True for a node that is not elementwise and may start a group of the nodes behind it.
bool is_anchor(const Node& node) {
  if (node.op->traits.fusion.kind == FusionRule::Kind::kProduct) return true;
  const FusionRule* core = core_of(node);
  return core != nullptr && core->kind == FusionRule::Kind::kBegins;
}

// True for a Conv that computes each result element from one pixel of the image, without padding.
bool is_pointwise(const Function& f, const Node& node) {
  if (!node.op->is(Role::kConv) || node.attributes.get_int("group", 1) != 1) return false;
  const Shape &x = f.type(node.inputs[0]).shape, &w = f.type(node.inputs[1]).shape, &y = f.type(node.outputs[0]).shape;
  if (!x.is_static() || !w.is_static() || x.rank() != w.rank()) return false;
  for (size_t d = 2; d < x.rank(); ++d) {
    if (w[d] != 1 || x[d] != y[d]) return false;
  }
  const auto all = [&](const char* name, int64_t wanted) {
    const std::vector<int64_t> given = node.attributes.get_ints(name);
    return std::all_of(given.begin(), given.end(), [&](int64_t v) { return v == wanted; });
  };
  return all("strides", 1) && all("pads", 0);
}

// True for a Conv that convolves each channel by itself.
bool is_depthwise(const Function& f, const Node& node) {
  const Shape& x = f.type(node.inputs[0]).shape;
  return node.op->is(Role::kConv) && x.is_static() && x.rank() > 2 && node.attributes.get_int("group", 1) == x[1] &&
         x[1] > 1;
}

// True for one element, or for adjacent dims of `whole` with 1 for the dims before and behind them:
// a row, or one number per channel.
bool repeats_within(const Shape& shape, const Shape& whole) {
  if (shape.rank() > whole.rank()) return false;
  size_t first = 0, end = shape.rank();
  while (first < end && shape[first] == 1) ++first;
  while (end > first && shape[end - 1] == 1) --end;
  return std::equal(shape.begin() + first, shape.begin() + end, whole.end() - (shape.rank() - first));
}

class Fusion {
 public:
  Fusion(const Graph& graph, Function& f, const FuseOptions& options)
      : graph_(graph),
        f_(f),
        options_(options),
        group_of_(f.nodes.size(), -1),
        in_order_(f.nodes.size(), false),
        before_(f.nodes.size(), false),
        copies_(f.nodes.size(), 0) {
    users_.resize(f.values.size());
    is_output_.assign(f.values.size(), false);
    for (ValueId v : f.outputs) is_output_[static_cast<size_t>(v)] = true;
    for (size_t i = 0; i < f.nodes.size(); ++i) {
      for (ValueId v : f.nodes[i].inputs) {
        if (v != kNoValue) users_[static_cast<size_t>(v)].push_back(static_cast<NodeId>(i));
      }
      if (!f.nodes[i].control.empty()) in_order_[i] = true;
      for (NodeId c : f.nodes[i].control) in_order_[static_cast<size_t>(c)] = true;
      if (options.keep.contains(f.nodes[i].name)) in_order_[i] = true;
    }
  }

  // Returns the bodies of the groups, which must be added to the graph.
  std::vector<Function> run(const OpSchema& fused) {
    // Users are visited before makers. A node joins the group that contains all its users. So a
    // group has only one exit, its root, and no path leaves the group and returns to it.
    for (size_t i = f_.nodes.size(); i-- > 0;) place(static_cast<NodeId>(i));
    std::vector<Function> bodies;
    std::vector<bool> keep(f_.nodes.size(), true);
    for (size_t i = 0; i < keep.size(); ++i) keep[i] = !is_copied(static_cast<NodeId>(i));
    for (Group& group : groups_) {
      const size_t size = group.nodes.size() + (group.before >= 0 ? 1 : 0);
      if (size < 2 || options_.expansions != (group.expansion >= 0)) continue;
      bodies.push_back(make_body(group));
      for (NodeId id : group.nodes) keep[static_cast<size_t>(id)] = id == group.nodes[0];
      Node& root = f_.node(group.nodes[0]);
      Attributes attributes{{"body", FunctionRef{bodies.back().name}}};
      if (group.anchor >= 0) attributes.set("anchor", std::string(f_.node(group.anchor).op->name));
      root.op = &fused;
      root.inputs = inputs_;
      root.outputs = outputs_;
      for (size_t i = 0; i < outputs_.size(); ++i) {
        f_.value(outputs_[i]).def = group.nodes[0];
        f_.value(outputs_[i]).output = static_cast<int32_t>(i);
      }
      root.attributes = std::move(attributes);
    }
    compact(f_, keep);
    return bodies;
  }

 private:
  // bf16 values come from narrow(). The kernels decide which types they take.
  bool is_fusable(DType dtype) const {
    return dtype == DType::kF32 || dtype == DType::kBF16 || (options_.accelerator && dtype == DType::kF16);
  }

  bool is_elementwise(const Node& node) const {
    if (!node.op->has(kPure) || !node.op->has(kElementwise) || node.inputs.empty()) return false;
    if (node.op->has(kView)) return false;  // free without a group
    const Shape& shape = f_.type(node.outputs[0]).shape;
    for (ValueId v : node.inputs) {
      if (v == kNoValue) continue;  // an optional operand such as a bound of Clip
      const ValueType& type = f_.type(v);
      if (!is_fusable(type.dtype) || !type.shape.is_static() || !repeats_within(type.shape, shape)) return false;
    }
    return true;
  }

  bool may_join(NodeId id) const {
    const Node& node = f_.node(id);
    if (in_order_[static_cast<size_t>(id)] || node.outputs.empty() || node.outputs[0] == kNoValue) return false;
    const ValueType& type = f_.type(node.outputs[0]);
    if (!is_fusable(type.dtype) || !type.shape.is_static()) return false;
    if (const FusionRule* core = core_of(node)) {
      return takes_cores() && (core->kind == FusionRule::Kind::kEnds || gives_rest_away(node));
    }
    return node.outputs.size() == 1 && (is_elementwise(node) || (options_.anchors && is_anchor(node)));
  }

  bool takes_cores() const { return options_.accelerator && options_.anchors && !options_.expansions; }

  // True if only the first output of the node is read within this function. Otherwise a group might
  // wait for itself.
  bool gives_rest_away(const Node& node) const {
    return std::all_of(node.outputs.begin() + 1, node.outputs.end(),
                       [&](ValueId v) { return v == kNoValue || users_[static_cast<size_t>(v)].empty(); });
  }

  // Returns the group that contains all users of a value, else -1.
  int32_t group_of_users(ValueId value) const {
    const auto& users = users_[static_cast<size_t>(value)];
    if (users.empty() || is_output_[static_cast<size_t>(value)]) return -1;
    const int32_t group = group_of_[static_cast<size_t>(users[0])];
    // No node of the group may precede its anchor.
    const bool one = std::all_of(users.begin(), users.end(), [&](NodeId u) {
      return group_of_[static_cast<size_t>(u)] == group && !is_anchor(f_.node(u));
    });
    return one ? group : -1;
  }

  bool is_large(ValueId v) const {
    const ValueType& type = f_.type(v);
    const int64_t size = type.dtype == DType::kF32 ? 4 : 2;
    // The limit counts bytes per image.
    return type.shape.num_elements() * size > options_.expansion_bytes * type.shape[0];
  }

  // Adds a node to the chain that precedes the depthwise anchor of a group. Every value of the
  // chain has one reader. The chain starts with a pointwise Conv.
  bool join_before(NodeId id) {
    const Node& node = f_.node(id);
    const auto& users = users_[static_cast<size_t>(node.outputs[0])];
    if (users.size() != 1 || is_output_[static_cast<size_t>(node.outputs[0])]) return false;
    const int32_t index = group_of_[static_cast<size_t>(users[0])];
    if (index < 0) return false;
    const Group& group = groups_[static_cast<size_t>(index)];
    const bool by_anchor = users[0] == group.anchor && is_depthwise(f_, f_.node(users[0])) && is_large(node.outputs[0]);
    if (!(by_anchor || before_[static_cast<size_t>(users[0])]) || f_.node(users[0]).inputs[0] != node.outputs[0])
      return false;
    const size_t values =
        node.inputs.size() - static_cast<size_t>(std::count_if(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
          return v == kNoValue || f_.constant(v) != nullptr;
        }));
    if (group.expansion >= 0 || group.device != node.device ||
        !(is_pointwise(f_, node) || (is_elementwise(node) && values == 1))) {
      return false;
    }
    before_[static_cast<size_t>(id)] = true;
    add(index, id);
    return true;
  }

  // True if every reader of the node's output has a copy of the node in its group.
  bool is_copied(NodeId id) const {
    const Node& node = f_.node(id);
    const auto copies = static_cast<size_t>(copies_[static_cast<size_t>(id)]);
    return copies > 0 && copies == users_[static_cast<size_t>(node.outputs[0])].size() &&
           !is_output_[static_cast<size_t>(node.outputs[0])];
  }

  // Copies the maker of a core's input into the core's group. The maker must read one value, or
  // have the core as its only reader, so that no additional data is read.
  void take_before(Group& group, NodeId core_node, const FusionRule& core) {
    const Node& node = f_.node(core_node);
    if (core.input < 0 || node.inputs[static_cast<size_t>(core.input)] == kNoValue) return;
    const ValueId given = node.inputs[static_cast<size_t>(core.input)];
    if (f_.value(given).kind != ValueKind::kNode) return;
    const NodeId id = f_.value(given).def;
    const Node& maker = f_.node(id);
    const auto is_plain = [&](ValueId v) {
      return v != kNoValue && is_fusable(f_.type(v).dtype) && f_.type(v).shape == f_.type(given).shape;
    };
    if (op_name(*maker.op) != core.maker || maker.device != node.device || in_order_[static_cast<size_t>(id)]) return;
    if (!std::all_of(maker.inputs.begin(), maker.inputs.end(), is_plain) || !f_.type(given).shape.is_static()) return;
    const bool alone = users_[static_cast<size_t>(given)].size() == 1 && !is_output_[static_cast<size_t>(given)];
    if (maker.inputs.size() > 1 && !alone) return;
    group.before = id;
    ++copies_[static_cast<size_t>(id)];
    for (ValueId v : maker.inputs) users_[static_cast<size_t>(v)].push_back(core_node);
  }

  void place(NodeId id) {
    if (is_copied(id) || !may_join(id) || (options_.expansions && join_before(id))) return;
    const Node& node = f_.node(id);
    const Shape& shape = f_.type(node.outputs[0]).shape;
    const FusionRule* core = core_of(node);
    const bool ends = core != nullptr && core->kind == FusionRule::Kind::kEnds;
    int32_t group = ends ? -1 : group_of_users(node.outputs[0]);
    if (group < 0 || !fits(groups_[static_cast<size_t>(group)], node, shape)) {
      if (is_anchor(node)) return;  // an anchor with no group to join stays alone
      group = static_cast<int32_t>(groups_.size());
      groups_.push_back({shape, node.device, {}, {}});
    }
    add(group, id);
    if (core != nullptr) take_before(groups_[static_cast<size_t>(group)], id, *core);
  }

  bool fits(const Group& group, const Node& node, const Shape& shape) const {
    if (!(group.shape == shape) || group.device != node.device || group.nodes.size() >= options_.max_nodes)
      return false;
    if (is_anchor(node) && group.anchor >= 0) return false;
    if (group.anchor == group.nodes[0]) return false;  // a core that ends its group
    size_t inputs = group.inputs.size() - 1;
    for (ValueId v : node.inputs) inputs += v != kNoValue && !group.inputs.contains(v) ? size_t{1} : size_t{0};
    return inputs <= options_.max_inputs;
  }

  void add(int32_t index, NodeId id) {
    Group& group = groups_[static_cast<size_t>(index)];
    const Node& node = f_.node(id);
    group_of_[static_cast<size_t>(id)] = index;
    group.nodes.push_back(id);
    group.inputs.erase(node.outputs[0]);
    for (ValueId v : node.inputs) {
      if (v != kNoValue) group.inputs.insert(v);
    }
    if (!is_anchor(node) && core_of(node) == nullptr) return;
    (before_[static_cast<size_t>(id)] ? group.expansion : group.anchor) = id;
  }

  // Turns the group into a function; `inputs_` and `outputs_` receive the values that it takes and
  // returns.
  Function make_body(const Group& group) {
    Function body;
    body.name = free_function_name(str_cat("fused/", f_.node(group.nodes[0]).name));
    inputs_.clear();
    outputs_ = {f_.node(group.nodes[0]).outputs[0]};
    std::unordered_map<ValueId, ValueId> inside;
    const auto bring = [&](ValueId v, bool number_within) {
      if (v == kNoValue) return kNoValue;
      const auto [at, is_new] = inside.emplace(v, static_cast<ValueId>(body.values.size()));
      if (!is_new) return at->second;
      Value value = f_.value(v);
      const Tensor* constant = f_.constant(v);
      value.output = 0;
      if (number_within && constant != nullptr && constant->num_elements() == 1) {
        value.def = static_cast<int32_t>(body.constants.size());
        body.constants.push_back(*constant);
      } else {
        value.kind = ValueKind::kInput;
        value.def = static_cast<int32_t>(body.inputs.size());
        body.inputs.push_back(at->second);
        inputs_.push_back(v);
      }
      body.values.push_back(std::move(value));
      return at->second;
    };
    std::vector<NodeId> ids(group.nodes.rbegin(), group.nodes.rend());
    if (group.before >= 0) ids.insert(ids.begin(), group.before);
    for (NodeId id : ids) {
      Node node = f_.node(id);
      const bool number_within = core_of(node) == nullptr;
      for (ValueId& v : node.inputs) v = bring(v, number_within);
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        ValueId& v = node.outputs[k];
        if (v == kNoValue) continue;
        if (k > 0) outputs_.push_back(v);
        Value value = f_.value(v);
        value.def = static_cast<int32_t>(body.nodes.size());
        v = inside[v] = static_cast<ValueId>(body.values.size());
        body.values.push_back(std::move(value));
      }
      body.nodes.push_back(std::move(node));
    }
    for (ValueId v : outputs_) body.outputs.push_back(inside[v]);
    return body;
  }

  std::string free_function_name(const std::string& wanted) {
    std::string name = wanted;
    for (int64_t i = 1; graph_.find_function(name) != nullptr || !taken_.insert(name).second; ++i) {
      name = str_cat(wanted, "_", i);
    }
    return name;
  }

  const Graph& graph_;
  Function& f_;
  const FuseOptions& options_;
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;  // per node; -1: none
  std::vector<bool> in_order_;     // per node: has a control edge, or is in options.keep
  std::vector<bool> before_;       // per node: precedes the anchor of its group
  std::vector<int32_t> copies_;    // per node: number of groups with a copy of it before their core
  std::vector<std::vector<NodeId>> users_;
  std::vector<bool> is_output_;
  std::vector<ValueId> inputs_, outputs_;
  std::set<std::string> taken_;
};

}  // namespace

Status fuse_elementwise(Graph& graph, Function& f, const FuseOptions& options) {
  PERCALE_ASSIGN_OR_RETURN(const OpSchema* fused, graph.registry->require_op("percale", "Fused"));
  std::vector<Function> bodies = Fusion(graph, f, options).run(*fused);
  std::move(bodies.begin(), bodies.end(), std::back_inserter(graph.functions));
  return {};
}

Status inline_fused(const Graph& graph, Function& f, const std::function<bool(const Node& node)>& accepted) {
  const auto callee = [&](const Node& node) -> Callee {
    if (!node.op->is(Role::kFused) || accepted(node)) return {};
    const AttrValue* body = node.attributes.find("body");
    const FunctionRef* ref = body != nullptr ? body->get_if<FunctionRef>() : nullptr;
    return {ref != nullptr ? graph.find_function(ref->name) : nullptr, 0, ""};
  };
  PERCALE_RETURN_IF_ERROR(graph.registry->require_op("", "Identity").status());
  inline_bodies(graph, f, callee, SIZE_MAX);
  return {};
}

}  // namespace percale
