#include "core/session/precompute.h"

#include <algorithm>

#include "core/file/file.h"
#include "core/session/executor/executor.h"

namespace percale {
namespace {

// Releases the pages of mapped files that a step has read. They are seldom read again, and need not
// stay in memory beside the precomputed value.
void release_sources(const Plan& step, const Graph& graph, const StateFrame& state) {
  const auto release = [](const Tensor& t) { rest_mapping(*t.buffer(), t.data(), t.bytes()); };
  for (const PlacedProgram& placed : step.programs) {
    const Function& f = placed.part.function;
    for (const Tensor& constant : f.constants) release(constant);
    for (const Node& node : f.nodes) {
      if (!node.op->is(Role::kReadVariable)) continue;
      const Variable* variable = graph.find_variable(node.attributes.get_string("variable"));
      if (variable != nullptr) release(state.value(variable - graph.variables.data()));
    }
  }
}

Result<std::shared_ptr<const Tensor>> compute_step(SessionState& session, RunFrame& frame,
                                                   const Plan::PrecomputeStep& step) {
  const ValueType& type = step.plan->results[0];
  PERCALE_ASSIGN_OR_RETURN(Tensor result, Tensor::allocate(session.memory, type.dtype, type.shape));
  populate(result.data(), result.bytes());
  PERCALE_RETURN_IF_ERROR(execute_programs(*step.plan, *session.engine, frame, {}, {&result, 1}));
  step.plan->idle.clear();
  release_sources(*step.plan, *session.graph, frame.state);
  return std::make_shared<const Tensor>(std::move(result));
}

// The version of the variables under which this run may share precomputed values; -1: none, because
// the run has assigned variables.
int64_t shared_version(const RunFrame& frame, const Plan& plan) {
  const auto& steps = plan.precompute.steps;
  const bool of_variables = std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.of_variables; });
  if (!of_variables) return 0;
  return frame.state.next.empty() ? frame.state.version : -1;
}

}  // namespace

Result<std::shared_ptr<const Plan::Precomputed>> precomputed_values(SessionState& session, RunFrame& frame,
                                                                    const Plan& plan) {
  const std::lock_guard lock(plan.precompute.mutex);
  const int64_t version = shared_version(frame, plan);
  if (version >= 0 && plan.precompute.values && plan.precompute.values->version == version)
    return plan.precompute.values;
  const bool of_table = session.variables != nullptr && !frame.options.values.are_callers();
  PrecomputedStore& known = of_table ? *session.variables->precomputed() : session.precomputed;
  auto made = std::make_shared<Plan::Precomputed>();
  made->version = version;
  for (const Plan::PrecomputeStep& step : plan.precompute.steps) {
    const int64_t known_by = step.of_variables ? version : 0;
    std::shared_ptr<const Tensor> value = known_by < 0 ? nullptr : known.find(step.form, known_by);
    if (value == nullptr) {
      PERCALE_ASSIGN_OR_RETURN(value, compute_step(session, frame, step));
      if (known_by >= 0) known.add(step.form, known_by, value);
    }
    made->values.push_back(*value);
    made->shared.push_back(std::move(value));
  }
  plan.precompute.values = made;
  return std::shared_ptr<const Plan::Precomputed>(std::move(made));
}

}  // namespace percale
