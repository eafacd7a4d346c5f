#include "core/autodiff/gradients.h"

#include <map>

#include "core/autodiff/function_gradients.h"
#include "core/autodiff/reverse.h"
#include "core/graph/clone.h"
#include "core/graph/effects.h"

namespace percale {
namespace {

const std::string* read_variable(const Node& node) {
  if (!node.op->is(Role::kReadVariable)) return nullptr;
  const AttrValue* name = node.attributes.find("variable");
  return name != nullptr ? name->get_if<std::string>() : nullptr;
}

// Returns a variable of `wanted` that is read, at any depth, in a function carried by `node`; null
// if there is none.
const std::string* inner_read(const Graph& graph, const Node& node, const std::map<std::string, size_t>& wanted) {
  std::vector<const Node*> open{&node};
  std::map<std::string, bool> seen;
  while (!open.empty()) {
    const Node* at = open.back();
    open.pop_back();
    for (const auto& [name, value] : at->attributes) {
      const FunctionRef* ref = value.get_if<FunctionRef>();
      if (ref == nullptr || !seen.emplace(ref->name, true).second) continue;
      const Function* f = graph.find_function(ref->name);
      if (f == nullptr) continue;
      for (const Node& inner : f->nodes) {
        const std::string* read = read_variable(inner);
        if (read != nullptr && wanted.contains(*read)) return read;
        if (carries_functions(inner.attributes)) open.push_back(&inner);
      }
    }
  }
  return nullptr;
}

}  // namespace

Result<std::vector<ValueId>> gradients(FunctionBuilder& f, std::vector<ValueId> ys, std::vector<ValueId> xs,
                                       std::vector<ValueId> grad_ys) {
  BackwardFunctions functions(f.owner());
  return reverse(f, ys, xs, grad_ys, functions);
}

Result<std::vector<ValueId>> gradients_of_variables(FunctionBuilder& f, const std::vector<ValueId>& ys,
                                                    const std::vector<std::string>& variables,
                                                    const std::vector<ValueId>& grad_ys,
                                                    const std::vector<ValueId>& xs) {
  const Graph& graph = f.owner().graph();
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (graph.find_variable(variables[i]) == nullptr) return not_found("no variable '", variables[i], "' in the graph");
    index[variables[i]] = i;
  }
  for (ValueId y : ys) {
    if (y < 0 || y >= static_cast<ValueId>(f.function().values.size())) {
      return invalid_argument("gradients: y ", y, " is not a value of function '", f.function().name, "'");
    }
  }
  const std::vector<bool> used = nodes_behind(f.function(), ys, false);
  std::vector<ValueId> reads;
  std::vector<size_t> owner;  // per read: index of the variable in `variables`
  for (size_t i = 0; i < used.size(); ++i) {
    const Node& node = f.function().nodes[i];
    if (!used[i]) continue;
    if (const std::string* name = read_variable(node)) {
      if (const auto found = index.find(*name); found != index.end()) {
        reads.push_back(node.outputs[0]);
        owner.push_back(found->second);
      }
    } else if (const std::string* inner = inner_read(graph, node, index)) {
      return unimplemented(op_name(*node.op), " '", node.name, "': its body reads the variable '", *inner,
                           "', whose gradient is wanted; read it outside the body and pass it as an input");
    }
  }
  const size_t count = reads.size();
  reads.insert(reads.end(), xs.begin(), xs.end());
  PERCALE_ASSIGN_OR_RETURN(const auto grads, gradients(f, ys, reads, grad_ys));
  Emitter emitter(f);
  std::vector<ValueId> sums(variables.size(), kNoValue);
  for (size_t i = 0; i < count; ++i) {
    ValueId& sum = sums[owner[i]];
    sum = sum == kNoValue ? grads[i] : emitter.emit("Add", {sum, grads[i]}, {}, "gradients/Add");
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = *graph.find_variable(variables[i]);
    const ValueId same = sums[index[variables[i]]];  // a name may occur twice in the list
    if (same != kNoValue) {
      sums[i] = same;
      continue;
    }
    if (!is_float(variable.dtype)) {
      return invalid_argument("gradients: variable '", variable.name, "' is ", variable.dtype,
                              "; only floating-point values have gradients");
    }
    sums[i] = emitter.emit(
        "Expand", {emitter.scalar(variable.dtype, 0), emitter.ints({variable.shape.begin(), variable.shape.end()})});
  }
  PERCALE_RETURN_IF_ERROR(emitter.status());
  sums.insert(sums.end(), grads.begin() + static_cast<ptrdiff_t>(count), grads.end());
  return sums;
}

}  // namespace percale
