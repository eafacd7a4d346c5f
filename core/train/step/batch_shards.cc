#include "core/train/step/batch_shards.h"

#include <utility>

namespace percale {

BatchShards::BatchShards(std::shared_ptr<Engine> engine, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
                         ReplicaDevices& devices, ParameterStore& store, RunFacts& facts, Settings settings)
    : engine_(std::move(engine)),
      memory_(std::move(memory)),
      graph_(graph),
      devices_(devices),
      store_(store),
      facts_(facts),
      settings_(std::move(settings)) {}

bool BatchShards::together() const {
  ResidentSteps* const resident = store_.resident();
  return graph_.has_shard_barrier || (resident != nullptr && resident->several());
}

size_t BatchShards::replicas() const {
  if (sums_ == nullptr) return 0;
  size_t out = 0;
  for (size_t i = 0; i < devices_.groups().size(); ++i) out += sums_->replicas().lost(i) ? size_t{0} : size_t{1};
  return out;
}

void BatchShards::report_losses(int64_t step) {
  for (std::string& name : store_.take_lost()) devices_.note_loss(std::move(name));
  devices_.report_losses(step, replicas());
}

Status BatchShards::prepare(int64_t rows) {
  if (sums_ != nullptr) return {};
  PERCALE_ASSIGN_OR_RETURN(auto candidates, devices_.candidates());
  PERCALE_ASSIGN_OR_RETURN(const ShardChoice choice, choose(rows, candidates.size()));
  settings_.shards = choice.shards;
  lanes_ = choice.lanes;
  const TrainMode& mode = settings_.mode;
  if (mode.kind == TrainMode::Kind::kBackup && mode.count > choice.shards) {
    return invalid_argument("mode '", settings_.mode_text, "' waits for ", mode.count, " shards of a batch, which has ",
                            choice.shards);
  }
  return make_sums(choice, std::move(candidates));
}

// In a group the ranks' devices share the shards of a batch.
Result<ShardChoice> BatchShards::choose(int64_t rows, size_t candidates) const {
  const ParallelSpec& spec = devices_.spec();
  Group* const group = settings_.group;
  if (group == nullptr) return choose_shards(spec, graph_, settings_.shards, rows, candidates);
  const auto all = static_cast<size_t>(group->devices());
  PERCALE_ASSIGN_OR_RETURN(ShardChoice out, choose_shards(spec, graph_, settings_.shards, rows, all));
  if (out.shards < static_cast<int64_t>(group->size())) {
    return invalid_argument("a batch has ", out.shards, " shards for ", group->size(),
                            " ranks: 'shards' says how many, at least one per rank");
  }
  take_share(spec, graph_, group->shards_of(group->rank(), out.shards), candidates, &out);
  return out;
}

Status BatchShards::make_sums(const ShardChoice& choice, std::vector<DeviceGroup> candidates) {
  const bool updates = store_.resident() == nullptr;
  PERCALE_ASSIGN_OR_RETURN(std::vector<ValueType> types, sum_types(graph_, updates));
  // Each shard that waits for others has a thread: after the loss of a device one replica may have
  // them all.
  const ShardSums::Sizes sizes{choice.shards,
                               choice.replicas,
                               together() ? static_cast<size_t>(choice.own.count()) : choice.lanes,
                               settings_.accumulation > 1,
                               together(),
                               choice.own};
  PERCALE_ASSIGN_OR_RETURN(ShardSums sums, ShardSums::create(std::move(types), sizes, memory_));
  devices_.assign(std::move(candidates), choice.replicas);
  // Devices are reported in this order.
  for (size_t i = 0; i < choice.replicas; ++i) facts_.device(devices_.name(i));
  log_spare(choice.replicas);
  for (size_t i = 0; i < choice.replicas; ++i) {
    const bool apart = together() || devices_.works_alone(devices_.groups()[i]);
    PERCALE_RETURN_IF_ERROR(sums.replicas().place(i, apart));
  }
  sums_ = std::make_unique<ShardSums>(std::move(sums));
  sums_->set_facts(&facts_);
  if (updates) row_gradients_ = RowGradients(row_table_types(graph_), memory_);
  return {};
}

// A caller who named the devices did not want some of them to be idle.
void BatchShards::log_spare(size_t replicas) const {
  const size_t spare = devices_.spare().size();
  if (spare == 0) return;
  engine_->log().log(devices_.named() ? LogLevel::kWarning : LogLevel::kInfo,
                     "trainer: ", static_cast<uint64_t>(replicas), " of ", static_cast<uint64_t>(replicas + spare),
                     " replicas get work, since a batch has ", settings_.shards,
                     " shards; 'shards' says how many, a multiple of the replicas suits them best");
}

BatchCut BatchShards::cut(int64_t rows, const std::vector<int64_t>& of_ranks) const {
  if (of_ranks.empty()) return BatchCut(rows, settings_.shards);
  std::vector<BatchCut::Part> parts;
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
    parts.push_back({of_ranks[rank], settings_.group->shards_of(rank, settings_.shards).count()});
  }
  return BatchCut(parts);
}

std::unique_ptr<BatchBarrier> BatchShards::barrier(const BatchCut& cut) const {
  if (!graph_.has_shard_barrier) return nullptr;
  return std::make_unique<BatchBarrier>(cut.rows_of_shards(), sums_->own(), engine_->threads().threads());
}

}  // namespace percale
