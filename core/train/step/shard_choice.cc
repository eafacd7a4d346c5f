#include "core/train/step/shard_choice.h"

#include <algorithm>

#include "core/checkpoint/checkpoint.h"
#include "core/train/parallel/step_flops.h"

namespace percale {
namespace {

Result<int64_t> shards_of_micro_batches(const ParallelSpec& spec, int64_t shards, int64_t replicas) {
  const int64_t product = replicas * spec.micro_batches;
  if (shards > 0 && shards != product) {
    return invalid_argument("'shards' is ", shards, ", ", replicas, " replicas x ", spec.micro_batches,
                            " micro_batches are ", product, ": give one of them, or numbers that agree");
  }
  if (product > kMaxShards) {
    return out_of_range(replicas, " replicas x ", spec.micro_batches, " micro_batches are ", product,
                        " shards of a batch, wanted ", kMaxShards, " at most");
  }
  return product;
}

Result<int64_t> shards_by_default(const ParallelSpec& spec, const TrainGraph& graph, int64_t rows, int64_t replicas) {
  const int64_t shards = default_shards(graph, rows);
  const int64_t least = spec.stages > 1 ? replicas * spec.stages : spec.replicas;
  if (shards < least && graph.batch_coupled) {
    return invalid_argument("rows of a batch influence each other, so that it is one shard, and 'parallel' wants ",
                            least, " or more: say with 'shards' or 'micro_batches' into how many to cut it");
  }
  return std::max(shards, least);
}

Result<int64_t> number_of_shards(const ParallelSpec& spec, const TrainGraph& graph, int64_t shards, int64_t rows,
                                 int64_t replicas) {
  if (spec.micro_batches > 0) return shards_of_micro_batches(spec, shards, replicas);
  if (shards == 0) return shards_by_default(spec, graph, rows, replicas);
  if (replicas <= shards) return shards;
  const bool groups = spec.group_size() > 1;
  return invalid_argument(replicas, groups ? " replicas share " : " devices share ", shards,
                          " shards of a batch: give at least one shard per ",
                          groups ? "replica, or fewer replicas" : "device, or fewer devices");
}

// A pipeline has as many shards under way as it has stages; `gpipe` has all of them.
int64_t shards_at_once(const ParallelSpec& spec, const TrainGraph& graph, int64_t per_replica) {
  if (graph.has_shard_barrier) return per_replica;
  if (spec.stages == 1) return 1;
  return spec.schedule == ParallelSpec::Schedule::kGPipe ? per_replica : std::min(spec.stages, per_replica);
}

}  // namespace

int64_t default_shards(const TrainGraph& graph, int64_t rows) {
  if (graph.batch_coupled) return 1;
  const double flops = flops_per_row(graph.graph->main()) * static_cast<double>(rows);
  int64_t shards = 1;
  while (shards < 8 && rows / (2 * shards) >= 8 && flops / static_cast<double>(2 * shards) >= 1e9) shards *= 2;
  return shards;
}

Result<ShardChoice> choose_shards(const ParallelSpec& spec, const TrainGraph& graph, int64_t shards, int64_t rows,
                                  size_t groups) {
  const int64_t wanted = spec.replicas > 0 ? spec.replicas : static_cast<int64_t>(groups);
  ShardChoice out;
  PERCALE_ASSIGN_OR_RETURN(out.shards, number_of_shards(spec, graph, shards, rows, wanted));
  take_share(spec, graph, {0, out.shards}, static_cast<size_t>(wanted), &out);
  return out;
}

void take_share(const ParallelSpec& spec, const TrainGraph& graph, const ShardRange& own, size_t groups,
                ShardChoice* choice) {
  const int64_t replicas = std::min(static_cast<int64_t>(groups), own.count());
  choice->own = own;
  choice->replicas = static_cast<size_t>(replicas);
  choice->lanes = static_cast<size_t>(shards_at_once(spec, graph, (own.count() + replicas - 1) / replicas));
}

}  // namespace percale
