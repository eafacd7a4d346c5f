#include "core/train/rewrite/minimize.h"

#include <algorithm>

#include "core/graph/clone.h"
#include "core/graph/effects.h"
#include "core/train/layers/state_ops.h"
#include "core/train/rewrite/objective.h"
#include "core/train/rewrite/trained_gradients.h"
#include "core/train/rewrite/training_form.h"

namespace percale {

Result<std::string> add_train_step(FunctionBuilder& f, ValueId loss, const Optimizer& optimizer) {
  Builder& b = f.owner();
  if (loss < 0 || static_cast<size_t>(loss) >= f.function().values.size()) {
    return invalid_argument("minimize: the loss ", loss, " is not a value of function '", f.function().name, "'");
  }
  PERCALE_RETURN_IF_ERROR(require_scalar(f.function(), f.function().value(loss).name).status());
  TrainingForm form = training_form(b.graph(), f.function());
  const std::vector<bool> used = nodes_behind(form.function, {loss});
  std::erase_if(form.statistics, [&](const TrainingForm::Statistic& s) {
    return !used[static_cast<size_t>(form.function.value(s.value).def)];
  });
  // Emits the forward pass a second time if its training form differs.
  ValueId target = loss;
  if (form.changed) {
    std::vector<ValueId> needed = {loss};
    for (const auto& s : form.statistics) needed.push_back(s.value);
    f.set_name_prefix("training/");
    const auto cloned = clone_body(form.function, f, form.function.inputs, &needed);
    f.set_name_prefix("");
    PERCALE_RETURN_IF_ERROR(cloned.status());
    target = (*cloned)[static_cast<size_t>(loss)];
    for (auto& s : form.statistics) s.value = (*cloned)[static_cast<size_t>(s.value)];
  }
  std::vector<Variable> parameters = trained_by(b.graph(), f.function(), target);
  leave_out_statistics(form, parameters);
  if (parameters.empty()) return invalid_argument("minimize: the loss depends on no trainable variable");
  PERCALE_ASSIGN_OR_RETURN(const auto gradients, gradients_for(f, target, optimizer, parameters));
  for (const Variable& v : parameters) PERCALE_RETURN_IF_ERROR(add_slots(b, optimizer, v));

  Variable counter;
  counter.name = "train_step/steps";
  counter.dtype = DType::kI64;
  counter.trainable = false;
  counter.slot = true;
  counter.initial = Tensor::scalar(int64_t{0});
  PERCALE_RETURN_IF_ERROR(b.add_variable(counter));
  Emitter e(f);
  const ValueId step =
      e.emit("Add", {read_variable(e, counter), e.constant(Tensor::scalar(int64_t{1}))}, {}, "train_step/next");
  StepInputs in;
  for (const VariableGradient& g : gradients) {
    ValueId rows = kNoValue, values = g.values;
    if (g.rows != kNoValue) sum_rows(e, g.rows, g.values, &rows, &values);
    in.rows.push_back(rows);
    in.gradients.push_back(values);
  }
  in.learning_rate = e.constant(Tensor::scalar(optimizer.learning_rate));
  in.step = step;
  std::vector<NodeId> assigns = apply_optimizer(e, optimizer, parameters, std::move(in));
  for (const auto& s : form.statistics)
    assigns.push_back(assign_variable(e, *b.graph().find_variable(s.variable), s.value));
  PERCALE_RETURN_IF_ERROR(e.status());
  // The last assignment waits for the others, so that it stands for the whole step.
  PERCALE_ASSIGN_OR_RETURN(const NodeId last,
                           f.add_node("percale:Assign", {step}, {{"variable", counter.name}}, 0, "train_step"));
  for (NodeId id : assigns) PERCALE_RETURN_IF_ERROR(f.add_control(id, last));
  return f.function().node(last).name;
}

}  // namespace percale
