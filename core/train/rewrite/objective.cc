#include "core/train/rewrite/objective.h"

#include "core/graph/builder.h"

namespace percale {

Result<ValueId> require_value(const Function& f, std::string_view name) {
  const ValueId id = f.find_value(name);
  if (id == kNoValue) return not_found("function '", f.name, "' has no value '", name, "'");
  return id;
}

Result<ValueId> require_scalar(const Function& f, std::string_view name) {
  PERCALE_ASSIGN_OR_RETURN(const ValueId id, require_value(f, name));
  const ValueType& type = f.type(id);
  if (!is_float(type.dtype) || !compatible(type.shape, Shape{})) {
    return invalid_argument("'", name, "' is ", type.dtype, " ", type.shape, ", wanted a floating-point scalar");
  }
  return id;
}

Result<Model> model_of_mean_loss(const Graph& graph, std::string_view loss) {
  Builder b(graph);
  FunctionBuilder& f = b.main();
  ValueId value = kNoValue;
  for (ValueId id : f.function().outputs) {
    const Value& v = f.function().value(id);
    const bool scalar = is_float(v.type.dtype) && v.type.shape.known_rank() && v.type.shape.rank() == 0;
    if (loss.empty() ? !scalar : v.name != loss) continue;
    if (value != kNoValue)
      return invalid_argument("the graph has several scalar outputs: name the one that is the loss");
    value = id;
  }
  if (value == kNoValue) {
    return loss.empty() ? invalid_argument("the graph has no scalar floating-point output that could be the loss")
                        : not_found("the graph has no output '", loss, "'");
  }
  const std::string name = f.function().value(value).name;
  PERCALE_RETURN_IF_ERROR(require_scalar(f.function(), name).status());
  if (f.function().inputs.empty()) return invalid_argument("the graph has no inputs, so a batch has no rows");
  Emitter e(f);
  f.set_name_prefix("objective/");
  const ValueId shape = e.emit("Shape", {f.function().inputs[0]});
  const ValueId rows =
      e.emit("Cast", {e.emit("Gather", {shape, e.constant(Tensor::scalar(int64_t{0}))})}, {{"to", e.dtype(value)}});
  const ValueId sum = e.emit("Mul", {value, rows});
  f.set_name_prefix("");
  PERCALE_RETURN_IF_ERROR(e.status());
  Model out;
  out.objective.loss_sum = f.function().value(sum).name;
  out.objective.loss_weight = f.function().value(rows).name;
  for (ValueId id : f.function().outputs) {
    if (id != value) out.objective.predictions.push_back(f.function().value(id).name);
  }
  PERCALE_ASSIGN_OR_RETURN(out.graph, b.finish());
  return out;
}

}  // namespace percale
