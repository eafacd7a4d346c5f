#include "core/autodiff/function_gradients.h"

#include <algorithm>

#include "core/autodiff/reverse.h"
#include "core/graph/clone.h"
#include "core/graph/effects.h"

namespace percale {
namespace {

std::vector<ValueId> marked_of(const std::vector<ValueId>& values, const std::vector<bool>& marks) {
  std::vector<ValueId> out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i < marks.size() && marks[i]) out.push_back(values[i]);
  }
  return out;
}

// Returns the input that an observing node passes on as output 0.
ValueId given_on(const Node& node) {
  for (const InPlace& pair : node.op->in_place) {
    if (pair.output == 0 && pair.input < node.inputs.size()) return node.inputs[pair.input];
  }
  return kNoValue;
}

// A function under construction may still call itself, because the validator runs later.
Status too_deep(std::string_view function) {
  return invalid_argument("function '", function, "': functions call each other recursively or are nested deeper than ",
                          static_cast<uint64_t>(kMaxFunctionDepth));
}

}  // namespace

Result<std::string> BackwardFunctions::quiet(std::string_view function) {
  const Function* declared = builder_.graph().find_function(function);
  if (declared == nullptr) return not_found("no function '", function, "' in the graph");
  const NodeEffects effects = effects_of(builder_.graph(), *declared);
  if (!effects.writes) return std::string(function);
  if (effects.changes) return unimplemented("function '", function, "' has effects; its gradient would repeat them");
  if (const auto found = quiet_.find(function); found != quiet_.end()) return found->second;
  if (depth_ == kMaxFunctionDepth) return too_deep(function);

  Function from = *declared;
  for (Node& node : from.nodes) {
    node.control.clear();  // nothing is written, so the order of reads does not matter
    for (auto& [name, value] : node.attributes) {
      const FunctionRef* ref = value.get_if<FunctionRef>();
      if (ref == nullptr) continue;
      ++depth_;
      auto inner = quiet(ref->name);
      --depth_;
      if (!inner.ok()) return inner.status();
      value = FunctionRef{std::move(inner).value()};
    }
  }
  for (size_t n = 0; n < from.nodes.size(); ++n) {
    const Node& node = from.nodes[n];
    if (!node.op->has(kObserver) || node.outputs.empty() || node.outputs[0] == kNoValue) continue;
    const ValueId seen = node.outputs[0], same = given_on(node);
    for (size_t later = n + 1; later < from.nodes.size(); ++later) {
      std::replace(from.nodes[later].inputs.begin(), from.nodes[later].inputs.end(), seen, same);
    }
    std::replace(from.outputs.begin(), from.outputs.end(), seen, same);
  }
  const std::string name = builder_.free_function_name(str_cat(function, "/quiet"));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, builder_.add_function(name));
  PERCALE_ASSIGN_OR_RETURN(const auto map, clone_function(from, *f, &from.outputs));
  std::vector<ValueId> outputs;
  for (ValueId v : from.outputs) outputs.push_back(map[static_cast<size_t>(v)]);
  PERCALE_RETURN_IF_ERROR(f->set_outputs(std::move(outputs)));
  quiet_.emplace(function, name);
  return name;
}

Result<std::string> BackwardFunctions::backward(std::string_view function, const std::vector<bool>& given,
                                                const std::vector<bool>& wanted) {
  const Key key(function, given, wanted);
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  PERCALE_ASSIGN_OR_RETURN(const std::string computed, quiet(function));
  const std::string name = builder_.free_function_name(str_cat(function, "/grad"));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, builder_.add_function(name));
  const Function& from = *builder_.graph().find_function(computed);  // adding a function moved it
  const std::vector<ValueId> differentiated = marked_of(from.outputs, given);
  PERCALE_ASSIGN_OR_RETURN(const auto map, clone_function(from, *f, &differentiated));
  std::vector<ValueId> ys, xs, grad_ys;
  for (ValueId v : differentiated) ys.push_back(map[static_cast<size_t>(v)]);
  for (ValueId v : marked_of(from.inputs, wanted)) xs.push_back(map[static_cast<size_t>(v)]);
  for (ValueId y : ys) {
    const ValueType type = f->type(y);
    PERCALE_ASSIGN_OR_RETURN(const ValueId grad, f->add_input("", type.dtype, type.shape));
    grad_ys.push_back(grad);
  }
  if (depth_ == kMaxFunctionDepth) return too_deep(function);
  ++depth_;
  auto grads = reverse(*f, ys, xs, grad_ys, *this);
  --depth_;
  if (!grads.ok()) return grads.status().with_context(str_cat("function '", function, "'"));
  PERCALE_RETURN_IF_ERROR(f->set_outputs(std::move(grads).value()));
  made_[key] = name;
  return name;
}

Result<std::vector<bool>> BackwardFunctions::reached(std::string_view function, const std::vector<bool>& inputs) const {
  const Function* f = builder_.graph().find_function(function);
  if (f == nullptr) return not_found("no function '", function, "' in the graph");
  const auto marked = dependents(*f, marked_of(f->inputs, inputs));
  std::vector<bool> out;
  for (ValueId v : f->outputs) out.push_back(marked[static_cast<size_t>(v)]);
  return out;
}

}  // namespace percale
