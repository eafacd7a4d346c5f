#include <algorithm>

#include "core/base/c_status.h"
#include "core/train/parameters/resident/resident_store.h"
#include "core/train/parameters/whole_step.h"

namespace percale {
namespace {

using Where = ParameterSpec::Where;

Status check_job(const ResidentRequest& request, const ParallelSpec& parallel, const TrainGraph& graph,
                 const ResidentPlan& plan) {
  if (request.mode != TrainMode::Kind::kSync) return failed_precondition("and 'mode' is ", request.mode_text);
  if (request.accumulation > 1) return failed_precondition("and 'accumulation' is ", request.accumulation);
  if (request.shards > 0 && request.shards != plan.shards()) {
    return failed_precondition("and a batch has ", request.shards, " shards for ", plan.shards(), " devices");
  }
  if (parallel.group_size() > 1 || parallel.micro_batches > 1) {
    return failed_precondition("and 'parallel' cuts the model or its replicas' batches");
  }
  if (plan.several() && !graph.by_rows.empty()) {
    return failed_precondition("and '", graph.parameters[graph.by_rows[0]].name, "' trains by rows");
  }
  return {};
}

// Asks the devices, with nothing to add.
Status check_all_reduce(const ReplicaDevices& devices, const ResidentPlan& plan, DType dtype) {
  const percale_device_api& api = devices.device(plan.devices[0]).api();
  std::vector<void*> handles;
  for (const int32_t index : plan.devices) {
    const Device& device = devices.device(index);
    if (device.api().all_reduce == nullptr || device.api().all_reduce != api.all_reduce) {
      return failed_precondition("and ", device.name(), " does not add across devices");
    }
    handles.push_back(device.handle());
  }
  return from_c(api.all_reduce(handles.data(), static_cast<uint32_t>(handles.size()), nullptr, nullptr, 0,
                               static_cast<percale_dtype>(dtype)));
}

// The values that the devices add, and those that each commits.
void plan_several(const TrainGraph& train, ResidentPlan& plan) {
  const Graph& graph = *train.graph;
  plan.committed = next_value_outputs(graph);
  for (const NextValue& next : next_values(graph)) plan.changed.push_back(StoreKey::variable(next.variable));
  for (size_t i = 0; i < train.parameters.size(); ++i) {
    plan.added.push_back(StoreKey::resident(static_cast<int64_t>(i)));
  }
  // A sum of statistics is what the commit would assign.
  for (const Variable& v : train.statistics) {
    plan.added.push_back(StoreKey::variable(graph.find_variable(v.name) - graph.variables.data()));
  }
}

// Where the replicas lie.
struct ReplicaKind {
  bool in_host_memory = true;  // all devices use the host's memory
  bool own_kernels = false;    // several replicas, none of which computes as the host does
};

ReplicaKind kind_of(const std::vector<DeviceGroup>& groups, const ReplicaDevices& devices) {
  ReplicaKind out{!devices.placed(), groups.size() > 1};
  for (const DeviceGroup& group : groups) {
    for (const int32_t index : group) {
      out.own_kernels = out.own_kernels && !devices.computes_as_host(index);
      out.in_host_memory = out.in_host_memory && devices.device(index).shares_host_memory();
    }
  }
  return out;
}

}  // namespace

Result<std::optional<ResidentPlan>> plan_resident(const ResidentRequest& request, const ReplicaDevices& devices,
                                                  TrainGraph& graph) {
  const std::optional<ResidentPlan> elsewhere;
  if (request.where != Where::kDevice && request.where != Where::kMirrored) return elsewhere;
  PERCALE_ASSIGN_OR_RETURN(const auto groups, devices.candidates());
  const ReplicaKind kind = kind_of(groups, devices);
  if (kind.in_host_memory) return elsewhere;
  // Devices that compute what the host computes are mirrors of what it commits.
  if (request.where == Where::kMirrored && !kind.own_kernels) return elsewhere;
  ResidentPlan out;
  out.where = request.where;
  out.compute = request.recompute && graph.can_recompute ? kRecomputeFunction : kComputeFunction;
  for (const DeviceGroup& group : groups) {
    if (group.size() == 1) out.devices.push_back(group[0]);
  }
  Status status = out.devices.size() == groups.size()
                      ? check_job(request, devices.spec(), graph, out)
                      : failed_precondition("and replicas have several devices, or nodes name theirs");
  if (status.ok() && out.several()) status = check_all_reduce(devices, out, graph.parameters[0].dtype);
  if (!status.ok()) {
    if (request.where == Where::kMirrored) return elsewhere;
    return failed_precondition("'parameters': device means devices that do whole steps, a shard each, ",
                               status.message());
  }
  if (out.several()) {
    plan_several(graph, out);
  } else {
    PERCALE_RETURN_IF_ERROR(add_whole_step(graph, out.compute));
    out.changed = variable_keys(graph.step_of);
  }
  return std::optional<ResidentPlan>(std::move(out));
}

}  // namespace percale
