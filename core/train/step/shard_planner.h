// Plans the runs of a step: shards on all replicas, evaluations, the commit on the host.
#ifndef PERCALE_CORE_TRAIN_STEP_SHARD_PLANNER_H_
#define PERCALE_CORE_TRAIN_STEP_SHARD_PLANNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/train/parameters/parameter_store.h"
#include "core/train/rewrite/recompute.h"
#include "core/train/shards/batch_cut.h"
#include "core/train/step/row_lookups.h"

namespace percale {

using PlanPtr = std::shared_ptr<const Plan>;
// By the rows of a shard, then by replica. Null: the replica's device was lost while it was
// planned.
using ShardPlans = std::map<int64_t, std::vector<PlanPtr>>;

// The sums that shards give to the host, in the order of StepLayout::sums(); without `updates` the
// totals alone. INTERNAL for totals without a static shape.
Result<std::vector<ValueType>> sum_types(const TrainGraph& graph, bool updates);
// Per row table its dtype and the shape of a row.
std::vector<ValueType> row_table_types(const TrainGraph& graph);

// plan_shards() and evaluation(): one caller at a time. The others are thread-safe.
class ShardPlanner {
 public:
  struct Limits {
    Recompute recompute;
    int64_t device_memory = 0;  // bytes that the shards under way may hold on a device; 0: any
  };
  // The shards of a batch, and the values that they give besides their sums.
  struct Batch {
    BatchCut cut;
    size_t lanes = 1;  // shards of a replica under way at once
    std::vector<std::string> fetches = {};
  };
  // Borrows the graph, the devices and the store. `memory`: whose room decides about recomputation.
  ShardPlanner(std::shared_ptr<Session> session, const TrainGraph& graph, const ReplicaDevices& devices,
               ParameterStore& store, std::shared_ptr<MemoryPool> memory, Limits limits);

  // The plans of all shards of a batch on all replicas, so that nothing is planned while shards are
  // computed. Kept until a batch of other shapes comes.
  Result<std::shared_ptr<const ShardPlans>> plan_shards(const std::vector<Tensor>& feeds, const Batch& batch);
  // The forward pass of the model, on the host's device.
  Result<PlanPtr> evaluation(const std::vector<std::string>& outputs, const std::vector<ValueType>& feeds);
  // The commit of a step that looked up these rows; `last` if that is it.
  Result<PlanPtr> commit(const RowGradients& rows, const PlanPtr& last) const;
  // counts[shard][row table]: how many rows each shard of a batch looks up. UNIMPLEMENTED if only a
  // run tells.
  Result<std::vector<std::vector<int64_t>>> row_counts(const ShardPlans& plans, const BatchCut& cut) const;
  // The plans are made anew for the next batch.
  void forget() { planned_for_.clear(); }

  struct Facts {
    int64_t planned_bytes = 0;                // of the shard that was planned last
    bool recomputes = false;                  // it rebuilds activations
    std::map<int32_t, int64_t> device_bytes;  // by device, for all shards under way
  };
  Facts facts() const;

 private:
  Result<PlanPtr> prepare(const RunSpec& spec, const std::vector<ValueType>& feeds);
  Result<PlanPtr> plan_shard(const Batch& batch, const std::vector<ValueType>& feeds, const DeviceGroup& group);
  Result<PlanPtr> plan_by_memory(const Batch& batch, const std::vector<ValueType>& feeds, const DeviceGroup& group,
                                 bool* recomputes);
  Status check_device_memory(const ShardPlans& plans, size_t lanes);
  std::vector<ValueType> batch_types(const std::vector<Tensor>& feeds, int64_t rows) const;
  Result<std::vector<ValueType>> shard_types(const std::vector<Tensor>& feeds, int64_t rows) const;
  std::string key_of(const std::vector<Tensor>& feeds, const std::set<int64_t>& sizes, const Batch& batch) const;

  const std::shared_ptr<Session> session_;
  const TrainGraph& graph_;
  const ReplicaDevices& devices_;
  ParameterStore& store_;
  const std::shared_ptr<MemoryPool> memory_;
  const Limits limits_;
  const RowLookups lookups_;
  std::map<std::string, PlanPtr> plans_;       // by function, group, shapes and fetches
  std::map<std::string, bool> recompute_for_;  // by shapes
  std::shared_ptr<const ShardPlans> shard_plans_;
  std::string planned_for_;   // key_of() the batch that shard_plans_ are for
  mutable std::mutex mutex_;  // guards facts_: in modes that stream any thread plans
  Facts facts_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_SHARD_PLANNER_H_
