#include "core/train/loop/stream_shards.h"

#include <algorithm>
#include <utility>

namespace percale {
namespace {

// a += factor * b.
template <class T>
void add_scaled(const Tensor& a, const Tensor& b, double factor) {
  const auto to = a.mutable_span<T>();
  const auto from = b.span<T>();
  for (size_t i = 0; i < to.size(); ++i) to[i] += static_cast<T>(factor * static_cast<double>(from[i]));
}

void add_scaled(const Tensor& a, const Tensor& b, double factor) {
  a.dtype() == DType::kF64 ? add_scaled<double>(a, b, factor) : add_scaled<float>(a, b, factor);
}

}  // namespace

StreamShards::StreamShards(const StreamParts& parts, std::vector<std::string> names)
    : parts_(parts),
      names_(std::move(names)),
      bounded_(parts.shards.mode().kind == TrainMode::Kind::kBounded),
      deltas_(!parts.graph.statistics.empty() && copies()),
      lanes_(parts.shards.sums().replicas().loops()) {
  for (Lane& lane : lanes_) lane.by_rows = parts.shards.by_rows();
}

Result<int64_t> StreamShards::take(int64_t batch, const std::vector<Tensor>& tensors) {
  auto out = std::make_shared<OpenBatch>();
  PERCALE_ASSIGN_OR_RETURN(out->bound, parts_.runner.bind(names_, tensors));
  const BatchCut cut = parts_.shards.cut(out->bound.rows);
  PERCALE_ASSIGN_OR_RETURN(out->plans, parts_.planner.plan_shards(out->bound.feeds, {cut, parts_.shards.lanes()}));
  if (has_rows() && bounded_) {
    out->by_rows = parts_.shards.by_rows();
    PERCALE_ASSIGN_OR_RETURN(const auto counts, parts_.planner.row_counts(*out->plans, cut));
    PERCALE_RETURN_IF_ERROR(out->by_rows.begin_batch(true, counts));
  }
  if (!has_rows() || bounded_) {
    PERCALE_ASSIGN_OR_RETURN(commit_, parts_.planner.commit(out->by_rows, commit_));
    out->commit = commit_;
  }
  const int64_t rows = out->bound.rows;
  const std::lock_guard lock(mutex_);
  open_[batch] = std::move(out);
  return rows;
}

void StreamShards::forget(int64_t batch) {
  const std::lock_guard lock(mutex_);
  open_.erase(batch);
}

void StreamShards::drop_batches() {
  const std::lock_guard lock(mutex_);
  open_.clear();
}

std::shared_ptr<StreamShards::OpenBatch> StreamShards::open(int64_t batch) {
  const std::lock_guard lock(mutex_);
  return open_.find(batch)->second;
}

// A shard reads only rows of the variable: look_up() copies them.
bool StreamShards::is_looked_up(size_t variable) const {
  return std::ranges::any_of(parts_.graph.lookups.tables,
                             [&](const TableLookups::Table& table) { return table.variable == variable; });
}

// Variables that nothing changes are shared with the working set. Slots are the commit's.
Status StreamShards::pull(size_t loop) {
  const WorkingSet& working = parts_.working;
  Lane& lane = lanes_[loop];
  if (lane.state.empty()) {
    std::vector<Tensor> state = working.values();
    for (const size_t at : working.trained()) {
      if (is_looked_up(at)) continue;
      const Tensor& own = working.values()[at];
      PERCALE_ASSIGN_OR_RETURN(state[at], Tensor::allocate(parts_.memory, own.dtype(), own.shape()));
    }
    lane.state = std::move(state);
  }
  for (const size_t at : working.trained()) {
    if (!is_looked_up(at)) copy_contents(working.values()[at], lane.state[at]);
  }
  lane.state_version = working.state_version();
  lane.versions = working.versions();
  return {};
}

Status StreamShards::look_up(const ShardStream::Task& task) {
  if (parts_.graph.lookups.tables.empty()) return {};
  const std::vector<Tensor>& feeds = open(task.batch)->bound.feeds;
  PERCALE_ASSIGN_OR_RETURN(lanes_[task.loop].looked_up,
                           parts_.computer.look_up(feeds, task.rows, parts_.working.values()));
  return {};
}

RunValues StreamShards::view_of(const Lane& lane) const {
  if (lane.state.empty()) return parts_.working.view();
  return RunValues::of_caller(lane.state, {.all = lane.state_version, .each = &lane.versions});
}

Status StreamShards::prepare_rows(Lane& lane, const OpenBatch& batch, int64_t shard) {
  PERCALE_ASSIGN_OR_RETURN(auto counts, parts_.planner.row_counts(*batch.plans, parts_.shards.cut(batch.bound.rows)));
  PERCALE_RETURN_IF_ERROR(lane.by_rows.begin_batch(true, {std::move(counts[static_cast<size_t>(shard)])}));
  PERCALE_ASSIGN_OR_RETURN(lane.commit, parts_.planner.commit(lane.by_rows, lane.commit));
  return {};
}

Status StreamShards::compute(const ShardStream::Task& task, int64_t step, const CancelToken& cancel,
                             std::vector<Tensor>& out) {
  const auto batch = open(task.batch);
  Lane& lane = lanes_[task.loop];
  const bool own_rows = has_rows() && !bounded_;
  if (own_rows) PERCALE_RETURN_IF_ERROR(prepare_rows(lane, *batch, task.shard));
  // A shard that is committed by itself is all of its step.
  const int64_t count = task.rows.count(), all = bounded_ ? batch->bound.rows : count;
  ShardRun run{batch->bound.feeds,
               *batch->plans,
               0,
               all,
               view_of(lane),
               step,
               cancel,
               own_rows ? lane.by_rows : batch->by_rows,
               own_rows ? 0 : task.shard};
  if (copies()) run.looked_up = &lane.looked_up;
  PERCALE_RETURN_IF_ERROR(parts_.computer.compute(task.replica, task.rows, run, out));
  if (!deltas_) return {};
  // Whole statistics would take back what others have added meanwhile.
  const auto statistics = parts_.graph.layout.statistics().of(out);
  const double fraction = static_cast<double>(count) / static_cast<double>(all);
  for (size_t i = 0; i < statistics.size(); ++i) {
    add_scaled(statistics[i], lane.state[parts_.working.statistics()[i]], -fraction);
  }
  return {};
}

StreamShards::Update StreamShards::update_of(const ShardStream::Commit& commit) {
  const auto batch = open(commit.batch);
  Update out{batch->commit, &batch->by_rows, batch->bound.rows};
  if (commit.shard < 0) return out;
  out.rows = parts_.shards.cut(batch->bound.rows).of(commit.shard).count();
  if (!has_rows()) return out;
  const Lane& lane = lanes_[commit.loop];
  out.plan = lane.commit;
  out.by_rows = &lane.by_rows;
  return out;
}

void StreamShards::complete_statistics(const std::vector<Tensor>& sums) const {
  if (!deltas_) return;
  const auto statistics = parts_.graph.layout.statistics().of(sums);
  for (size_t i = 0; i < statistics.size(); ++i) {
    add_scaled(statistics[i], parts_.working.values()[parts_.working.statistics()[i]], 1);
  }
}

}  // namespace percale
