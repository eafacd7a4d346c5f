#include "core/autodiff/function_gradients.h"

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

}  // namespace

Result<std::string> BackwardFunctions::backward(std::string_view function, const std::vector<bool>& given,
                                                const std::vector<bool>& wanted) {
  const Key key(function, given, wanted);
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  const Function* declared = builder_.graph().find_function(function);
  if (declared == nullptr) return not_found("no function '", function, "' in the graph");
  if (effects_of(builder_.graph(), *declared).writes) {
    return unimplemented("function '", function, "' has effects; its gradient would repeat them");
  }

  const std::string name = builder_.free_function_name(str_cat(function, "/grad"));
  PERCALE_ASSIGN_OR_RETURN(FunctionBuilder * f, builder_.add_function(name));
  const Function& from = *builder_.graph().find_function(function);  // where it is now
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
  // A function under construction may still carry itself; the validator comes later.
  if (depth_ == kMaxFunctionDepth) {
    return invalid_argument("function '", function, "': functions call each other in a circle or nest deeper than ",
                            static_cast<uint64_t>(kMaxFunctionDepth));
  }
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
