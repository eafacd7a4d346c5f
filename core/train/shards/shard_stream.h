// Shards of several batches under way at once: what the modes `async` and `bounded:k` are, whatever is computed.
#ifndef PERCALE_CORE_TRAIN_SHARDS_SHARD_STREAM_H_
#define PERCALE_CORE_TRAIN_SHARDS_SHARD_STREAM_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>
#include <vector>

#include "core/base/parallel.h"
#include "core/registry/shape_context.h"
#include "core/session/context/cancel.h"
#include "core/tensor/tensor.h"
#include "core/train/shards/averaging.h"
#include "core/train/shards/replicas.h"
#include "core/train/shards/run_facts.h"

namespace percale {

// Each loop of a replica takes a shard, computes it on the variables as they are then, and gives its gradient. Without a bound each gradient
// is a commit of its own; with a bound of k those of a batch are added by the tree and committed at once, batches in their order,
// and a shard begins on variables that are at most k commits older than those that its batch is committed to.
//
// Thread-compatible but for variables(). Its buffers are kept for the next run.
class ShardStream {
 public:
  struct Options {
    int64_t shards = 1;           // of a batch
    int64_t bound = -1;           // -1: none
    bool take_on_caller = false;  // batches are asked for on the thread of run() alone
  };
  // What a shard gives are tensors of these types.
  ShardStream(std::vector<ValueType> types, const Options& options, std::shared_ptr<MemoryPool> pool, RunFacts* facts);

  struct Task {
    size_t loop = 0, replica = 0;  // who computes it: see Replicas
    int64_t batch = 0, shard = 0;
    ShardRows rows{};
    int64_t version = 0;  // commits of this run before the variables that it is computed on
  };
  struct Commit {
    size_t loop = 0;                // that computed the last of it
    int64_t batch = 0, shard = -1;  // -1: all of the batch
    std::span<const int64_t>
        staleness;  // of its shards: commits between the variables that they saw and those that it is for
    const std::vector<Tensor>* sums = nullptr;  // may be changed
  };
  // Called by several threads. An exception but bad_alloc must not leave them.
  struct Calls {
    // The next batch gives its rows, 1 at least. By one thread at a time, in the order of the numbers.
    std::function<Result<int64_t>(int64_t batch)> take;
    // No shard of it is under way any more.
    std::function<void(int64_t batch)> forget;
    // Whether the shard was committed by an earlier run. May be empty.
    std::function<bool(int64_t batch, int64_t shard)> applied;
    // Copies the variables for a loop: no commit goes on meanwhile. Empty: shards are computed on the variables themselves, which
    // needs a bound of 0.
    std::function<Status(size_t loop)> pull;
    std::function<Status(const Task& task, const CancelToken& token, std::vector<Tensor>& out)> compute;
    // By one thread at a time while nobody pulls. It has changed nothing when it fails.
    std::function<Status(const Commit& commit)> commit;
    // On the thread of run(), after one or more commits or losses; false, or an error, ends the run.
    std::function<Result<bool>()> told;
    // Whether an error of compute() means that the replica can compute no more, while others can. By one thread at a time.
    std::function<bool(size_t replica, const Status& status)> is_loss;
    bool end_on_loss = false;  // a loss ends the run with its error, although others are left
  };
  // Hands out the shards of batches [first, end) until all are committed, on `threads` threads of `parallel`, the caller's among
  // them, and on those of replicas that are apart. A shard whose replica was lost is handed out again. The first error ends
  // it, CANCELLED by `token` too; with no replica left it is that of the last loss. What is under way then, or when told()
  // gives false, is not committed. told() is called once more for commits at the end of the run, unless it gave false.
  Status run(int64_t first, int64_t end, Replicas& replicas, const ParallelFor& parallel, int32_t threads,
             const CancelToken& token, const Calls& calls);

  // Held alone by commits, shared by pulls: who holds it sees the variables between two commits. Thread-safe.
  std::shared_mutex& variables() { return variables_; }

 private:
  class Run;
  const std::vector<ValueType> types_;
  const Options options_;
  const std::shared_ptr<MemoryPool> pool_;
  RunFacts* const facts_;
  std::shared_mutex variables_;
  std::deque<std::vector<Tensor>> buffers_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_SHARD_STREAM_H_
