#include "core/train/step/shard_planner.h"

#include <algorithm>
#include <utility>

#include "core/compile/plan_bytes.h"
#include "core/train/shards/averaging.h"

namespace percale {
namespace {

std::string shapes_of(const std::vector<ValueType>& types) {
  std::string out;
  for (const ValueType& t : types) out += t.shape.to_string();
  return out;
}

bool is_row_table(const TrainGraph& graph, size_t parameter) {
  return std::ranges::find(graph.by_rows, parameter) != graph.by_rows.end();
}

}  // namespace

Result<std::vector<ValueType>> sum_types(const TrainGraph& graph, bool updates) {
  const Function& f = *graph.graph->find_function(kComputeFunction);
  std::vector<ValueType> out;
  for (size_t i = 0; i < graph.layout.totals().end(); ++i) {
    const ValueType& type = f.type(f.outputs[i]);
    if (!type.shape.is_static()) return internal_error("the total '", graph.outputs[i], "' has shape ", type.shape);
    out.push_back(type);
  }
  if (!updates) return out;
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    if (!is_row_table(graph, i)) out.push_back({graph.parameters[i].dtype, graph.parameters[i].shape});
  }
  for (const Variable& v : graph.statistics) out.push_back({v.dtype, v.shape});
  return out;
}

std::vector<ValueType> row_table_types(const TrainGraph& graph) {
  std::vector<ValueType> out;
  for (const size_t i : graph.by_rows) {
    const Variable& v = graph.parameters[i];
    out.push_back({v.dtype, Shape{std::span(v.shape.begin(), v.shape.end()).subspan(1)}});
  }
  return out;
}

ShardPlanner::ShardPlanner(std::shared_ptr<Session> session, const TrainGraph& graph, const ReplicaDevices& devices,
                           ParameterStore& store, std::shared_ptr<MemoryPool> memory, Limits limits)
    : session_(std::move(session)),
      graph_(graph),
      devices_(devices),
      store_(store),
      memory_(std::move(memory)),
      limits_(std::move(limits)),
      lookups_(session_, memory_, graph, devices.host_group()) {}

// The plan for these feeds, from the cache if there is one.
Result<PlanPtr> ShardPlanner::prepare(const RunSpec& spec, const std::vector<ValueType>& feeds) {
  std::string key = spec.function;
  for (const int32_t device : spec.group) key += str_cat("@", device);
  key += shapes_of(feeds);
  for (const std::string& output : spec.fetches) key += output + '\n';
  if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
  PERCALE_ASSIGN_OR_RETURN(auto plan, session_->prepare(spec, feeds));
  plans_[key] = plan;
  return plan;
}

// The plan that keeps what the backward pass needs, or the one that rebuilds it. Decided once per
// shapes: later the memory in use is the trainer's own, too.
Result<PlanPtr> ShardPlanner::plan_by_memory(const Batch& batch, const std::vector<ValueType>& feeds,
                                             const DeviceGroup& group, bool* recomputes) {
  using When = Recompute::When;
  const Recompute& option = limits_.recompute;
  const std::string key = shapes_of(feeds);
  const auto decided = recompute_for_.find(key);
  bool again = decided != recompute_for_.end() ? decided->second : graph_.can_recompute && option.when == When::kAlways;
  std::vector<std::string> outputs = graph_.outputs;
  outputs.insert(outputs.end(), batch.fetches.begin(), batch.fetches.end());
  PlanPtr plan;
  if (!again) {
    PERCALE_ASSIGN_OR_RETURN(plan, prepare(shard_spec(graph_, kComputeFunction, outputs, group), feeds));
    if (decided == recompute_for_.end() && graph_.can_recompute) {
      const auto at_once = static_cast<int64_t>(devices_.groups().size() * batch.lanes);
      const int64_t room = option.when == When::kAboveBytes ? option.bytes : memory_->room() / at_once;
      again = plan->peak_bytes > room;
    }
  }
  if (again) {
    PERCALE_ASSIGN_OR_RETURN(plan, prepare(shard_spec(graph_, kRecomputeFunction, outputs, group), feeds));
  }
  if (option.when == When::kAboveBytes && plan->peak_bytes > option.bytes) {
    return resource_exhausted("a step needs ", plan->peak_bytes, " bytes", again ? " although it recomputes" : "",
                              ", 'recompute' allows ", option.bytes, "; use a smaller batch or more shards");
  }
  recompute_for_[key] = again;
  *recomputes = again;
  return plan;
}

Result<PlanPtr> ShardPlanner::plan_shard(const Batch& batch, const std::vector<ValueType>& feeds,
                                         const DeviceGroup& group) {
  ResidentSteps* const resident = store_.resident();
  PlanPtr plan;
  bool recomputes = facts().recomputes;
  if (resident != nullptr) {
    PERCALE_ASSIGN_OR_RETURN(plan, resident->plan(feeds, group));
  } else {
    PERCALE_ASSIGN_OR_RETURN(plan, plan_by_memory(batch, feeds, group, &recomputes));
  }
  const std::lock_guard lock(mutex_);
  facts_.planned_bytes = plan->peak_bytes;
  facts_.recomputes = recomputes;
  return plan;
}

std::vector<ValueType> ShardPlanner::batch_types(const std::vector<Tensor>& feeds, int64_t rows) const {
  std::vector<ValueType> out;
  for (const Tensor& t : feeds) {
    out.push_back({t.dtype(), t.shape()});
    out.back().shape[0] = rows;
  }
  return out;
}

// The inputs of compute, in the order of TrainGraph::shard_inputs().
Result<std::vector<ValueType>> ShardPlanner::shard_types(const std::vector<Tensor>& feeds, int64_t rows) const {
  std::vector<ValueType> out = batch_types(feeds, rows);
  if (!graph_.shard_fraction.empty()) out.push_back({graph_.statistics[0].dtype, Shape{}});
  PERCALE_RETURN_IF_ERROR(lookups_.append_types(out));
  return out;
}

std::string ShardPlanner::key_of(const std::vector<Tensor>& feeds, const std::set<int64_t>& sizes,
                                 const Batch& batch) const {
  std::string out;
  for (const int64_t rows : sizes) out += str_cat(rows, "/");
  for (const ValueType& type : batch_types(feeds, kUnknownDim)) out += type.shape.to_string();
  for (const DeviceGroup& group : devices_.groups()) {
    for (const int32_t device : group) out += str_cat("@", device);
    out += ';';
  }
  for (const std::string& name : batch.fetches) out += name + '\n';
  return out;
}

Result<std::shared_ptr<const ShardPlans>> ShardPlanner::plan_shards(const std::vector<Tensor>& feeds,
                                                                    const Batch& batch) {
  std::set<int64_t> sizes;
  for (int64_t shard = 0; shard < batch.cut.shards(); ++shard) sizes.insert(batch.cut.of(shard).count());
  sizes.erase(0);
  std::string key = key_of(feeds, sizes, batch);
  if (key == planned_for_) return shard_plans_;
  planned_for_.clear();
  auto all = std::make_shared<ShardPlans>();
  for (const int64_t rows : sizes) {
    PERCALE_ASSIGN_OR_RETURN(const std::vector<ValueType> types, shard_types(feeds, rows));
    auto& plans = (*all)[rows];
    // A device that takes whole partitions takes part in planning, and may be lost at it.
    for (size_t i = 0; i < devices_.groups().size(); ++i) {
      auto plan = plan_shard(batch, types, devices_.groups()[i]);
      if (!plan.ok() && !devices_.is_lost(i, plan.status())) return plan.status();
      plans.push_back(plan.ok() ? *std::move(plan) : nullptr);
    }
  }
  shard_plans_ = std::move(all);
  PERCALE_RETURN_IF_ERROR(check_device_memory(*shard_plans_, batch.lanes));
  planned_for_ = std::move(key);
  return shard_plans_;
}

// Adds up what the plans of the shards hold of each device of a replica.
Status ShardPlanner::check_device_memory(const ShardPlans& all, size_t lanes) {
  std::map<int32_t, int64_t> most;
  for (const auto& [rows, plans] : all) {
    for (size_t replica = 0; replica < plans.size(); ++replica) {
      if (plans[replica] == nullptr) continue;
      const DeviceGroup& group = devices_.groups()[replica];
      std::map<int32_t, int64_t> own;  // a device may have several programs
      for (const DeviceBytes& part : device_bytes(*plans[replica])) {
        // Other devices hold variables for the group, in the host's memory.
        const bool is_own = group.empty() || std::ranges::find(group, part.device) != group.end();
        if (is_own) own[part.device] += static_cast<int64_t>(lanes) * part.per_run + part.shared;
      }
      for (const auto& [device, bytes] : own) most[device] = std::max(most[device], bytes);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    facts_.device_bytes = most;
  }
  const int64_t cap = limits_.device_memory;
  for (const auto& [device, bytes] : most) {
    if (cap == 0 || bytes <= cap) continue;
    return resource_exhausted("'device_memory': ", devices_.device(device).name(), " would need ", bytes, " bytes for ",
                              static_cast<uint64_t>(lanes), " shards at once, it may have ", cap,
                              ": use more stages, splits or micro_batches, a smaller batch, or 'recompute'");
  }
  return {};
}

Result<PlanPtr> ShardPlanner::evaluation(const std::vector<std::string>& outputs, const std::vector<ValueType>& feeds) {
  return prepare(evaluation_spec(graph_, outputs, devices_.host_group()), feeds);
}

Result<PlanPtr> ShardPlanner::commit(const RowGradients& rows, const PlanPtr& last) const {
  const CommitLayout inputs(graph_.layout);
  PERCALE_ASSIGN_OR_RETURN(const std::vector<ValueType> sums, sum_types(graph_, true));
  std::vector<ValueType> feeds(inputs.updates().begin);
  feeds[CommitLayout::kWeight] = sums[StepLayout::kWeight];
  feeds[CommitLayout::kLearningRate] = {DType::kF64, Shape{}};
  feeds[CommitLayout::kStep] = {DType::kI64, Shape{}};
  for (const IndexSpan& updates : {graph_.layout.gradients(), graph_.layout.statistics()}) {
    for (const ValueType& type : updates.of(sums)) feeds.push_back(type);
  }
  for (ValueType& type : rows.types()) feeds.push_back(std::move(type));
  if (last != nullptr && last->feed_types == feeds) return last;
  return session_->prepare(commit_spec(graph_, devices_.host_group()), feeds);
}

Result<std::vector<std::vector<int64_t>>> ShardPlanner::row_counts(const ShardPlans& plans, const BatchCut& cut) const {
  std::vector<std::vector<int64_t>> counts(static_cast<size_t>(cut.shards()));
  for (int64_t shard = 0; shard < cut.shards(); ++shard) {
    const int64_t rows = cut.of(shard).count();
    if (rows == 0) continue;
    const auto& of_rows = plans.at(rows);
    const auto plan = std::ranges::find_if(of_rows, [](const auto& p) { return p != nullptr; });
    if (plan == of_rows.end()) return Status(Code::kUnavailable, "no device is left to compute the batch");
    const std::vector<ValueType> types = Session::fetch_types(**plan);
    for (size_t table = 0; table < graph_.by_rows.size(); ++table) {
      const ValueType& type = types[graph_.layout.row_numbers(table)];
      if (type.dtype != DType::kI64 || !type.shape.is_static()) {
        return unimplemented("how many rows of '", graph_.parameters[graph_.by_rows[table]].name,
                             "' a step looks up is known only when it has run; train with 'sparse' false");
      }
      counts[static_cast<size_t>(shard)].push_back(type.shape[0]);
    }
  }
  return counts;
}

ShardPlanner::Facts ShardPlanner::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

}  // namespace percale
