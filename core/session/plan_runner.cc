#include "core/session/plan_runner.h"

#include <utility>

#include "core/session/control.h"
#include "core/session/plan_activation.h"
#include "core/session/queue_ops.h"

namespace percale {

namespace {

PlanRunner::Arguments arguments_of(std::vector<Tensor> feeds) {
  PlanRunner::Arguments out;
  for (const Tensor& t : feeds) out.types.push_back({t.dtype(), t.shape()});
  out.feeds = std::move(feeds);
  return out;
}

}  // namespace

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

Result<std::vector<Tensor>> PlanRunner::call_function(const Graph& graph, int64_t graph_id, const RunSpec& spec,
                                                      Arguments arguments) {
  PERCALE_RETURN_IF_ERROR(frame_.stop_reason());
  PERCALE_ASSIGN_OR_RETURN(
      const auto plan, session_.cache->find_or_compile({graph, graph_id, spec, arguments.types, arguments.contents}));
  PERCALE_RETURN_IF_ERROR(bring_to_host(*plan, arguments));
  std::vector<Tensor> outputs(spec.fetches.size());
  PERCALE_RETURN_IF_ERROR(run_plan(*plan, arguments.feeds, outputs, Sharing::kAllowed, arguments.handed));
  return outputs;
}

// Copies values from devices that the plan does not read there alone.
Status PlanRunner::bring_to_host(const Plan& plan, Arguments& arguments) {
  for (size_t i = 0; i < arguments.handed.size(); ++i) {
    const DeviceStore::Copy* const copy = arguments.handed[i];
    if (copy == nullptr || plan.feed_stays[i]) continue;
    const ValueType& type = arguments.types[i];
    PERCALE_ASSIGN_OR_RETURN(arguments.feeds[i], Tensor::allocate(session_.memory, type.dtype, type.shape));
    const Device& device = *session_.engine->devices()[static_cast<size_t>(plan.spec.feed_home(i))];
    const Tensor& to = arguments.feeds[i];
    if (to.bytes() > 0) PERCALE_RETURN_IF_ERROR(copy->copy_to_host(device, to.data(), to.bytes()));
    arguments.handed[i] = nullptr;
  }
  return {};
}

// Bodies are functions of the session's own graph, even if the node stands in a working copy.
Result<std::vector<Tensor>> PlanRunner::call_body(const ControlNode& control, const Function& body,
                                                  std::span<const Tensor> arguments, int64_t version) {
  const BodyCall& how = control.bodies.find(body.name)->second;
  // The body may read a variable itself if its contents are still those that the node was given:
  // the run has seen no other version and has assigned nothing.
  const bool unchanged = frame_.state.next.empty() && frame_.state.version == version;
  if (how.reading.reads.empty() || !unchanged) {
    return call_function(*session_.graph, 0, how.spec, arguments_of({arguments.begin(), arguments.end()}));
  }
  std::vector<Tensor> feeds;
  for (const size_t i : how.fed) feeds.push_back(arguments[i]);
  return call_function(*session_.graph, 0, how.reading, arguments_of(std::move(feeds)));
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
