#include "core/plan/layout.h"

#include <algorithm>
#include <utility>

#include "core/passes/edit/rewrite.h"
#include "core/plan/node_view.h"

namespace percale {
namespace {

constexpr int32_t kRowMajor = -1;

std::string_view author(const Format& format) { return std::string_view(format.key).substr(0, format.key.find(':')); }

class Layouts {
 public:
  Layouts(const Graph& graph, Function& f, std::string_view kind, const std::vector<bool>& precomputed, bool grant)
      : graph_(graph), f_(f), kind_(kind), precomputed_(precomputed), grant_(grant), names_(f) {
    precomputed_.resize(f.values.size(), false);
  }

  Result<PlannedNodes> run() {
    PERCALE_ASSIGN_OR_RETURN(reorder_, graph_.registry->require_op("percale", "Reorder"));
    std::vector<Node> nodes = std::move(f_.nodes);
    f_.nodes.clear();
    std::vector<NodeId> number;  // new numbers of the old nodes
    for (Node& node : nodes) {
      for (NodeId& before : node.control) before = number[static_cast<size_t>(before)];
      if (node.op->has(kView) || node.op->has(kRuntime)) {
        for (ValueId& id : node.inputs) {
          PERCALE_ASSIGN_OR_RETURN(id, in_format(id, kRowMajor));
        }
      } else {
        PERCALE_RETURN_IF_ERROR(plan(node));
      }
      number.push_back(add(std::move(node)));
    }
    for (ValueId& id : f_.outputs) {
      const ValueId given = id;
      PERCALE_ASSIGN_OR_RETURN(id, in_format(given, kRowMajor));
      if (id == given) continue;
      std::string name = names_.value(str_cat(f_.value(given).name, "/formatted"));
      std::swap(f_.value(given).name, name);
      f_.value(id).name = std::move(name);
    }
    return std::move(planned_);
  }

 private:
  NodeId add(Node node) {
    const auto id = static_cast<NodeId>(f_.nodes.size());
    for (ValueId output : node.outputs) {
      if (output != kNoValue) f_.value(output).def = id;
    }
    f_.nodes.push_back(std::move(node));
    return id;
  }

  Status plan(Node& node) {
    const Attributes attributes = with_defaults(*node.op, node.attributes);
    PlannedNode planned;
    Status status = choose(node, attributes, planned);
    if (status.code() == Code::kUnimplemented && reads_formats(node)) {
      // The kernel that accepts the node may not accept the current formats of its inputs, so it
      // gets them row-major.
      for (ValueId& id : node.inputs) {
        PERCALE_ASSIGN_OR_RETURN(id, in_format(id, kRowMajor));
      }
      planned = {};
      status = choose(node, attributes, planned);
    }
    PERCALE_RETURN_IF_ERROR(std::move(status));
    const PlannedKernel& kernel = *planned.kernel;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoValue) continue;
      PERCALE_ASSIGN_OR_RETURN(node.inputs[i], in_format(node.inputs[i], number_of(kernel.format(i))));
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const Format* wanted = kernel.format(node.inputs.size() + k);
      if (node.outputs[k] != kNoValue && wanted != nullptr) f_.value(node.outputs[k]).format = number_of(wanted);
    }
    planned_.emplace(node.name, std::move(planned));
    return {};
  }

  Status choose(const Node& node, const Attributes& attributes, PlannedNode& planned) {
    const NodeView view = make_node_view(graph_, f_, node, attributes, precomputed_);
    PERCALE_ASSIGN_OR_RETURN(planned.kernel, choose_kernel(*graph_.registry, kind_, view, &planned.refusals, grant_));
    return {};
  }

  bool reads_formats(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [this](ValueId id) { return id != kNoValue && f_.format(id) != nullptr; });
  }

  int32_t number_of(const Format* format) {
    if (format == nullptr) return kRowMajor;
    const auto found = std::find(f_.formats.begin(), f_.formats.end(), *format);
    if (found == f_.formats.end()) return f_.formats.push_back(*format), static_cast<int32_t>(f_.formats.size()) - 1;
    return static_cast<int32_t>(found - f_.formats.begin());
  }

  // Returns the value in the format: the value itself, or the output of a Reorder.
  Result<ValueId> in_format(ValueId id, int32_t format) {
    if (id == kNoValue || f_.value(id).format == format) return id;
    if (const auto found = reordered_.find({id, format}); found != reordered_.end()) return found->second;
    const Format* from = f_.format(id);
    // Only its author knows a format, so the conversion between two authors goes through row-major.
    if (from != nullptr && format >= 0 && author(*from) != author(f_.formats[static_cast<size_t>(format)])) {
      PERCALE_ASSIGN_OR_RETURN(const ValueId plain, in_format(id, kRowMajor));
      return in_format(plain, format);
    }
    const auto to = static_cast<ValueId>(f_.values.size());
    Node node;
    node.name = names_.node(str_cat(f_.value(id).name, "/Reorder"));
    node.op = reorder_;
    node.inputs = {id};
    node.outputs = {to};
    if (f_.value(id).kind == ValueKind::kNode) node.device = f_.node(f_.value(id).def).device;
    Value value{names_.value(node.name), f_.type(id), ValueKind::kNode, 0, 0, format};
    f_.values.push_back(std::move(value));
    precomputed_.push_back(precomputed_[static_cast<size_t>(id)]);
    Status status = plan_reorder(node);
    if (status.code() == Code::kUnimplemented && from != nullptr && format >= 0) {
      // The author may not support the conversion between two of its formats.
      f_.values.pop_back();
      precomputed_.pop_back();
      names_.release_node(node.name);
      PERCALE_ASSIGN_OR_RETURN(const ValueId plain, in_format(id, kRowMajor));
      return in_format(plain, format);
    }
    PERCALE_RETURN_IF_ERROR(std::move(status));
    reordered_.emplace(std::pair{id, format}, to);
    add(std::move(node));
    return to;
  }

  Status plan_reorder(const Node& node) {
    const NodeView view = make_node_view(graph_, f_, node, node.attributes, precomputed_);
    PlannedNode planned;
    PERCALE_ASSIGN_OR_RETURN(planned.kernel, choose_kernel(*graph_.registry, kind_, view, &planned.refusals));
    planned_.emplace(node.name, std::move(planned));
    return {};
  }

  const Graph& graph_;
  Function& f_;
  const std::string_view kind_;
  std::vector<bool> precomputed_;  // per value
  const bool grant_;
  FreeNames names_;
  const OpSchema* reorder_ = nullptr;
  std::map<std::pair<ValueId, int32_t>, ValueId> reordered_;
  PlannedNodes planned_;
};

}  // namespace

Result<PlannedNodes> plan_nodes(const Graph& graph, Function& f, std::string_view device_kind,
                                const std::vector<bool>& precomputed, bool grant_formats) {
  return Layouts(graph, f, device_kind, precomputed, grant_formats).run();
}

}  // namespace percale
