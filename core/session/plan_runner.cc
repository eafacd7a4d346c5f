#include "core/session/plan_runner.h"

#include "core/session/control.h"
#include "core/session/plan_activation.h"
#include "core/session/queue_ops.h"

namespace percale {

Status PlanRunner::run_plan(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs, Sharing sharing,
                            std::span<DeviceStore::Copy* const> handed) {
  PlanActivation activation(*this, plan, sharing);
  PERCALE_RETURN_IF_ERROR(activation.bind_feeds(feeds, handed));
  PERCALE_RETURN_IF_ERROR(activation.bind_results(outputs));
  PERCALE_RETURN_IF_ERROR(activation.execute());
  PERCALE_RETURN_IF_ERROR(activation.run_control());
  PERCALE_RETURN_IF_ERROR(activation.run_rest());
  return activation.deliver(outputs);
}

// Compiles what a function of the session's graph needs for these feeds, if there is no such plan
// yet, and runs it.
Result<std::vector<Tensor>> PlanRunner::call_function(const RunSpec& spec, std::span<const Tensor> feeds) {
  PERCALE_RETURN_IF_ERROR(frame_.stop_reason());
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  PERCALE_ASSIGN_OR_RETURN(const auto plan, session_.cache->find_or_compile({*session_.graph, 0, spec, types}));
  std::vector<Tensor> outputs(spec.fetches.size());
  PERCALE_RETURN_IF_ERROR(run_plan(*plan, feeds, outputs, Sharing::kAllowed));
  return outputs;
}

// Bodies are functions of the session's own graph, even if the node stands in a working copy.
Result<std::vector<Tensor>> PlanRunner::call_body(const ControlNode& control, const Function& body,
                                                  std::span<const Tensor> arguments, int64_t version) {
  const BodyCall& how = control.bodies.find(body.name)->second;
  // The body may read a variable itself if its contents are still those that the node was given:
  // the run has seen no other version and has assigned nothing.
  const bool unchanged = frame_.state.next.empty() && frame_.state.version == version;
  if (how.reading.reads.empty() || !unchanged) return call_function(how.spec, arguments);
  std::vector<Tensor> feeds;
  for (const size_t i : how.fed) feeds.push_back(arguments[i]);
  return call_function(how.reading, feeds);
}

Result<std::vector<Tensor>> PlanRunner::run_control_node(const ControlNode& control, const std::vector<Tensor>& inputs,
                                                         int64_t version) {
  const Node& node = control.node;
  if (node.op->has(kWaits)) return run_queue_op(node, inputs, frame_);
  const auto call = [&](const Function& body, std::span<const Tensor> arguments) {
    return call_body(control, body, arguments, version);
  };
  auto results = run_control(*session_.graph, node, inputs, session_.memory, call);
  if (!results.ok()) return results.status().with_context(str_cat(node.op->name, " '", node.name, "'"));
  return results;
}

}  // namespace percale
