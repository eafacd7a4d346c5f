#include "core/autodiff/reverse.h"

#include <algorithm>

#include "core/graph/effects.h"
#include "core/graph/emit/composite.h"

namespace percale {
namespace {

// Gives the nodes of the backward pass a name prefix and the device hint of their forward node.
// Restores both at the end.
class Scope {
 public:
  explicit Scope(FunctionBuilder& f) : f_(f), prefix_(f.name_prefix()), device_(f.device()) {}
  ~Scope() {
    f_.set_name_prefix(prefix_);
    f_.set_device(device_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  void enter(std::string_view name, std::string_view device) {
    f_.set_name_prefix(str_cat("gradients/", name, "/"));
    f_.set_device(device);
  }

 private:
  FunctionBuilder& f_;
  const std::string prefix_, device_;
};

Status check_floats(const FunctionBuilder& f, const std::vector<ValueId>& ids, std::string_view what) {
  for (ValueId id : ids) {
    if (id < 0 || id >= static_cast<ValueId>(f.function().values.size())) {
      return invalid_argument("gradients: ", what, " ", id, " is not a value of function '", f.function().name, "'");
    }
    if (!is_float(f.type(id).dtype)) {
      return invalid_argument("gradients: ", what, " '", f.function().value(id).name, "' is ", f.type(id).dtype,
                              "; only floating-point values have gradients");
    }
  }
  return {};
}

class Walk {
 public:
  Walk(FunctionBuilder& f, FunctionGradients& functions)
      : f_(f), emitter_(f), functions_(functions), grads_(f.function().values.size(), kNoValue) {}

  Status seed(const std::vector<ValueId>& ys, const std::vector<ValueId>& grad_ys, const std::vector<bool>& marked) {
    for (size_t i = 0; i < ys.size(); ++i) {
      if (!marked[static_cast<size_t>(ys[i])]) continue;
      if (i < grad_ys.size() && grad_ys[i] != kNoValue) {
        PERCALE_RETURN_IF_ERROR(check_type(grad_ys[i], ys[i]));
        add(ys[i], grad_ys[i]);
      } else {
        add(ys[i], full_like(emitter_, ys[i], 1));
      }
    }
    return emitter_.status();
  }

  // Propagates the gradients of a node's outputs to its marked inputs.
  Status step(NodeId id, const std::vector<bool>& marked, Scope& scope) {
    const Node& node = f_.function().node(id);
    std::vector<ValueId> grad_outputs;
    std::vector<bool> wanted;
    bool given = false, asked = false;
    for (ValueId v : node.outputs) {
      grad_outputs.push_back(v == kNoValue ? kNoValue : grads_[static_cast<size_t>(v)]);
      given = given || grad_outputs.back() != kNoValue;
    }
    for (ValueId v : node.inputs) {
      wanted.push_back(v != kNoValue && marked[static_cast<size_t>(v)]);
      asked = asked || wanted.back();
    }
    const GradFn rule = node.op->grad;
    if (!given || !asked || rule.kind() == grad::zero) return {};
    if (rule.kind() == grad::none) {
      return unimplemented(op_name(*node.op), " '", node.name,
                           "': the op has no gradient, and one is needed through it");
    }
    PERCALE_RETURN_IF_ERROR(check_reads(id));
    scope.enter(node.name, node.device);
    if (rule.kind() == grad::body) return through_body(Node(node), std::move(grad_outputs), wanted);
    GradContext context(f_, id, std::move(grad_outputs), wanted, &functions_);
    Status status = rule.fn()(context);
    if (status.ok()) status = context.status();
    for (size_t i = 0; status.ok() && i < wanted.size(); ++i) {
      const ValueId grad = context.results()[i];
      if (!wanted[i] || grad == kNoValue) continue;
      status = check_type(grad, context.input(i));
      if (status.ok()) add(context.input(i), grad);
    }
    if (status.ok()) status = emitter_.status();
    return status.with_context(str_cat("gradient of ", op_name(*context.node().op), " '", context.node().name, "'"));
  }

  Result<std::vector<ValueId>> collect(const std::vector<ValueId>& xs) {
    std::vector<ValueId> out;
    for (ValueId x : xs) {
      const ValueId grad = grads_[static_cast<size_t>(x)];
      out.push_back(grad != kNoValue ? grad : full_like(emitter_, x, 0));
    }
    PERCALE_RETURN_IF_ERROR(emitter_.status());
    return out;
  }

 private:
  void add(ValueId value, ValueId grad) {
    ValueId& sum = grads_[static_cast<size_t>(value)];
    sum = sum == kNoValue ? grad : emitter_.emit("Add", {sum, grad});
  }

  // Emits the body once more and walks it. If the body also replaces the node, equal nodes are
  // merged later.
  Status through_body(const Node& node, std::vector<ValueId> grad_outputs, const std::vector<bool>& wanted) {
    const auto first = static_cast<NodeId>(f_.function().nodes.size());
    PERCALE_ASSIGN_OR_RETURN(const auto outputs,
                             emit_body(f_, *node.op, node.name, node.inputs, node.attributes, node.outputs.size()));
    std::vector<ValueId> xs, ys, grad_ys;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] && std::find(xs.begin(), xs.end(), node.inputs[i]) == xs.end()) xs.push_back(node.inputs[i]);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (grad_outputs[i] == kNoValue) continue;
      ys.push_back(outputs[i]);
      grad_ys.push_back(grad_outputs[i]);
    }
    PERCALE_ASSIGN_OR_RETURN(const auto grads, reverse(f_, ys, xs, grad_ys, functions_, first));
    for (size_t i = 0; i < xs.size(); ++i) add(xs[i], grads[i]);
    return emitter_.status();
  }

  // The backward function of a body recomputes the forward pass, so the variables that it reads
  // must be unchanged.
  Status check_reads(NodeId id) const {
    const Graph& graph = f_.owner().graph();
    const Function& f = f_.function();
    if (!carries_functions(f.node(id).attributes) || !effects_of(graph, f.node(id)).reads) return {};
    for (size_t later = static_cast<size_t>(id) + 1; later < f.nodes.size(); ++later) {
      if (!effects_of(graph, f.nodes[later]).changes) continue;
      return unimplemented(op_name(*f.node(id).op), " '", f.node(id).name, "': its body reads variables, and '",
                           f.nodes[later].name, "' may write them before the gradient reads them again");
    }
    return {};
  }

  Status check_type(ValueId grad, ValueId value) const {
    const ValueType &got = f_.type(grad), &want = f_.type(value);
    if (got.dtype == want.dtype && compatible(got.shape, want.shape)) return {};
    return invalid_argument("the gradient given for '", f_.function().value(value).name, "' is ", got.dtype, " ",
                            got.shape, ", wanted ", want.dtype, " ", want.shape);
  }

  FunctionBuilder& f_;
  Emitter emitter_;
  FunctionGradients& functions_;
  std::vector<ValueId> grads_;  // per value that existed before
};

}  // namespace

std::vector<bool> dependents(const Function& f, const std::vector<ValueId>& xs) {
  std::vector<bool> marked(f.values.size(), false);
  for (ValueId x : xs) marked[static_cast<size_t>(x)] = true;
  for (const Node& node : f.nodes) {
    if (node.op->grad.kind() == grad::zero) continue;
    bool any = false;
    for (ValueId v : node.inputs) any = any || (v != kNoValue && marked[static_cast<size_t>(v)]);
    if (!any) continue;
    for (ValueId v : node.outputs) {
      if (v != kNoValue && is_float(f.type(v).dtype)) marked[static_cast<size_t>(v)] = true;
    }
  }
  return marked;
}

Result<std::vector<ValueId>> reverse(FunctionBuilder& f, const std::vector<ValueId>& ys, const std::vector<ValueId>& xs,
                                     const std::vector<ValueId>& grad_ys, FunctionGradients& functions, NodeId first) {
  PERCALE_RETURN_IF_ERROR(check_floats(f, ys, "y"));
  PERCALE_RETURN_IF_ERROR(check_floats(f, xs, "x"));
  if (!grad_ys.empty() && grad_ys.size() != ys.size()) {
    return invalid_argument("gradients: ", static_cast<uint64_t>(ys.size()), " ys and ",
                            static_cast<uint64_t>(grad_ys.size()), " grad_ys");
  }
  for (ValueId grad : grad_ys) {
    if (grad != kNoValue) PERCALE_RETURN_IF_ERROR(check_floats(f, {grad}, "grad_y"));
  }
  const std::vector<bool> marked = dependents(f.function(), xs);
  NodeId last = -1;
  for (ValueId y : ys) {
    const Value& value = f.function().value(y);
    if (value.kind == ValueKind::kNode) last = std::max(last, value.def);
  }
  Scope scope(f);
  f.set_name_prefix("gradients/");
  Walk walk(f, functions);
  PERCALE_RETURN_IF_ERROR(walk.seed(ys, grad_ys, marked));
  for (NodeId id = last; id >= first; --id) PERCALE_RETURN_IF_ERROR(walk.step(id, marked, scope));
  scope.enter("", "");
  f.set_name_prefix("gradients/");
  return walk.collect(xs);
}

}  // namespace percale
