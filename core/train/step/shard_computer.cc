#include "core/train/step/shard_computer.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/train/step/batch_binding.h"

namespace percale {

ShardComputer::ShardComputer(std::shared_ptr<Session> session, std::shared_ptr<MemoryPool> memory,
                             const TrainGraph& graph, const ReplicaDevices& devices, ParameterStore& store,
                             RunFacts& facts, int64_t seed)
    : session_(std::move(session)),
      memory_(std::move(memory)),
      graph_(graph),
      devices_(devices),
      store_(store),
      facts_(facts),
      seed_(seed),
      lookups_(session_, memory_, graph, devices.host_group()) {}

Result<std::vector<Tensor>> ShardComputer::rows_of_feeds(const std::vector<Tensor>& feeds,
                                                         const ShardRows& rows) const {
  std::vector<Tensor> out;
  for (const Tensor& t : feeds) {
    PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), rows_of(t, rows, memory_));
  }
  return out;
}

// The inputs of compute, in the order of TrainGraph::shard_inputs().
Result<std::vector<Tensor>> ShardComputer::feeds_of(const ShardRows& rows, const ShardRun& run) const {
  const ShardRows held{rows.begin - run.first_row, rows.end - run.first_row};
  PERCALE_ASSIGN_OR_RETURN(std::vector<Tensor> out, rows_of_feeds(run.feeds, held));
  std::vector<Tensor> looked_up;
  if (run.looked_up != nullptr) {
    looked_up = *run.looked_up;
  } else if (!lookups_.empty()) {
    PERCALE_ASSIGN_OR_RETURN(looked_up, lookups_.look_up(out, *run.values.variables()));
  }
  if (!graph_.shard_fraction.empty()) {
    const double part = static_cast<double>(rows.count()) / static_cast<double>(run.rows_of_step);
    out.push_back(scalar_tensor(graph_.statistics[0].dtype, part));
  }
  out.insert(out.end(), looked_up.begin(), looked_up.end());
  return out;
}

Result<std::vector<Tensor>> ShardComputer::look_up(const std::vector<Tensor>& feeds, const ShardRows& rows,
                                                   const std::vector<Tensor>& variables) const {
  PERCALE_ASSIGN_OR_RETURN(const std::vector<Tensor> own, rows_of_feeds(feeds, rows));
  return lookups_.look_up(own, variables);
}

Status ShardComputer::compute(size_t replica, const ShardRows& rows, const ShardRun& run,
                              std::vector<Tensor>& out) const {
  PERCALE_ASSIGN_OR_RETURN(auto feeds, feeds_of(rows, run));
  const ShardPlace place{seed_, run.step, run.rows_before + rows.begin, run.part, run.barrier, run.watcher};
  const RunOptions options = shard_options(run.values, place, &run.cancel, facts_.trace());
  const Plan* plan = run.plans.find(rows.count())->second[replica].get();
  if (plan == nullptr) return Status(Code::kUnavailable, "a device was lost while the batch was planned for it");
  if (ResidentSteps* resident = store_.resident(); resident != nullptr) {
    return resident->run_shard(replica, *plan, std::move(feeds), out, options);
  }
  if (run.by_rows.empty() && run.fetches == nullptr) return session_->run(*plan, feeds, out, options);
  std::vector<Tensor> outputs = out;
  PERCALE_RETURN_IF_ERROR(run.by_rows.append_parts(run.part, outputs));
  if (run.fetches != nullptr) outputs.resize(outputs.size() + run.fetches->size());
  PERCALE_RETURN_IF_ERROR(session_->run(*plan, feeds, outputs, options));
  if (run.fetches != nullptr) run.fetches->keep(run.part, outputs);
  return {};
}

Status ShardComputer::watch(size_t replica, const ShardRows& rows, const std::function<Status()>& compute) const {
  const size_t device = facts_.device(devices_.name(replica));
  facts_.begin_shard(device);
  Status status;
  try {
    status = compute();
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  using End = RunFacts::End;
  const End end = status.ok() ? End::kComputed : devices_.is_lost(replica, status) ? End::kLost : End::kStopped;
  facts_.end_shard(device, end, rows.count());
  return status;
}

ComputePeriod::~ComputePeriod() {
  const int64_t ns = now_ns() - begin_;
  try {
    std::vector<size_t> devices;
    for (size_t i = 0; i < devices_.groups().size(); ++i) {
      const size_t device = facts_.device(devices_.name(i));
      if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    }
    facts_.add_time(ns, devices);
  } catch (const std::bad_alloc&) {  // the time is not recorded
  }
}

}  // namespace percale
