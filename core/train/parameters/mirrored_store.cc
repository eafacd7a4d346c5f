#include "core/train/parameters/mirrored_store.h"

#include <algorithm>
#include <utility>

namespace percale {

MirroredStore::MirroredStore(std::shared_ptr<Session> session, const TrainGraph& graph, const ReplicaDevices& devices,
                             std::unique_ptr<HostStore> host, WorkingSet& working)
    : ParameterStore(working),
      session_(std::move(session)),
      graph_(graph),
      devices_(devices),
      host_(std::move(host)),
      next_(next_value_outputs(*graph.graph)) {}

// The mirrors first: what a device lacks it takes from the working set as it is before the step.
Status MirroredStore::commit(const StepCommit& step) {
  const std::vector<Tensor> feeds = commit_feeds(host_->layout(), step);
  CommitGuard guard(working_);
  commit_mirrors(step, feeds);
  return host_->commit(step, feeds, guard);
}

// A device with kernels of its own would diverge from the host: it gets copies instead.
bool MirroredStore::mirrors(int32_t index) const {
  const Device& own = devices_.device(index);
  return !own.shares_host_memory() && !own.lost() && devices_.computes_as_host(index);
}

// A device that fails has no copies of the next state, so that it takes them from the host.
void MirroredStore::commit_mirrors(const StepCommit& step, const std::vector<Tensor>& feeds) {
  const std::vector<int64_t> after = working_.versions_after(working_.next_state());
  const RunValues values = RunValues::of_caller(working_.values(), {.each = &working_.versions(), .next = &after});
  const RunOptions options = commit_options(values, host_->alone(), step.trace);
  for (const DeviceGroup& group : devices_.groups()) {
    if (group.size() != 1 || !mirrors(group[0])) continue;
    auto found = std::ranges::find_if(mirrors_, [&](const Mirror& m) { return m.device == group[0]; });
    if (found == mirrors_.end()) found = mirrors_.insert(mirrors_.end(), Mirror{group[0], {}, nullptr});
    const Status status = commit_mirror(*found, feeds, options);
    const Device& device = devices_.device(group[0]);
    if (status.ok() || device.lost()) continue;  // a loss is reported with the device's shards
    session_->engine()->log().log(LogLevel::kInfo, "trainer, step ", step.step, ": ", device.name(),
                                  " takes the parameters from the host: ", status.message());
  }
}

Status MirroredStore::commit_mirror(Mirror& mirror, const std::vector<Tensor>& feeds, const RunOptions& options) {
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  if (mirror.plan == nullptr || mirror.types != types) {
    PERCALE_ASSIGN_OR_RETURN(
        mirror.plan,
        session_->prepare(resident_spec(kCommitFunction, graph_.commit_inputs, next_, {mirror.device}), types));
    mirror.types = std::move(types);
  }
  std::vector<Tensor> outputs(next_.names.size());
  return session_->run(*mirror.plan, feeds, outputs, options);
}

void MirroredStore::describe(JsonWriter& w) const {
  for (const DeviceGroup& group : devices_.groups()) {
    if (group.size() != 1 || !mirrors(group[0])) continue;
    const Device& device = devices_.device(group[0]);
    const auto memory = session_->device_store().bytes_on(device);
    write_device({device.name(), graph_.parameters.size(), working_.committed_bytes(), memory.current, memory.spare},
                 w);
  }
}

}  // namespace percale
