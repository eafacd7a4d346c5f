// Decides into how many shards a batch is cut, and how many of them are under way at once.
#ifndef PERCALE_CORE_TRAIN_STEP_SHARD_CHOICE_H_
#define PERCALE_CORE_TRAIN_STEP_SHARD_CHOICE_H_

#include <cstddef>
#include <cstdint>

#include "core/base/status.h"
#include "core/train/parallel/parallel_spec.h"
#include "core/train/rewrite/train_graph.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// The largest power of two, at most 8, that leaves a shard 8 rows and 1 GFLOP; 1 when rows of a
// batch influence each other.
int64_t default_shards(const TrainGraph& graph, int64_t rows);

struct ShardChoice {
  int64_t shards = 1;       // of a batch
  size_t replicas = 1;      // that compute the own ones
  size_t lanes = 1;         // shards of a replica under way at once
  ShardRange own = {0, 1};  // those that are computed here
};

// `shards`: what the job asks for; 0: default_shards(). `rows`: of the first batch. `groups`:
// device groups that can be replicas. INVALID_ARGUMENT or OUT_OF_RANGE for numbers that do not fit
// together.
Result<ShardChoice> choose_shards(const ParallelSpec& spec, const TrainGraph& graph, int64_t shards, int64_t rows,
                                  size_t groups);
// The same where `own` are computed here, on `groups` device groups, and the others elsewhere.
void take_share(const ParallelSpec& spec, const TrainGraph& graph, const ShardRange& own, size_t groups,
                ShardChoice* choice);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_SHARD_CHOICE_H_
