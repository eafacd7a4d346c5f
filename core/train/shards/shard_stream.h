// Hands out the shards of several batches at once: the modes `async` and `bounded:k`, independent
// of what is computed.
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

// Each loop of a replica takes a shard and computes its gradient on the variables as they are then.
// Without a bound each gradient is a commit of its own. With a bound of k the gradients of a batch
// are added by the tree and committed at once, batches in their order, and a shard begins on
// variables that are at most k commits older than those that its batch is committed to.
//
// Thread-compatible except for variables(). Its buffers are reused by the next run.
class ShardStream {
 public:
  struct Options {
    int64_t shards = 1;           // of a batch
    int64_t bound = -1;           // -1: none
    bool take_on_caller = false;  // take() is called on the thread of run() only
  };
  // `types`: of the tensors that a shard gives.
  ShardStream(std::vector<ValueType> types, const Options& options, std::shared_ptr<MemoryPool> pool, RunFacts* facts);

  struct Task {
    size_t loop = 0, replica = 0;  // that compute it: see Replicas
    int64_t batch = 0, shard = 0;
    ShardRows rows{};
    int64_t version = 0;  // commits of this run before the variables that it is computed on
  };
  struct Commit {
    size_t loop = 0;                // that computed the last of it
    int64_t batch = 0, shard = -1;  // -1: all of the batch
    // Per shard: commits between the variables that it read and those that this commit changes.
    std::span<const int64_t> staleness;
    const std::vector<Tensor>* sums = nullptr;  // may be changed
  };
  // Called by several threads. No exception but bad_alloc may leave them.
  struct Calls {
    // Makes the next batch and returns its rows, 1 at least. One thread at a time, in the order of
    // the numbers.
    std::function<Result<int64_t>(int64_t batch)> take;
    // No shard of it is under way any more.
    std::function<void(int64_t batch)> forget;
    // Returns true if the shard was committed by an earlier run. May be empty.
    std::function<bool(int64_t batch, int64_t shard)> applied;
    // Copies the variables for a loop, while no commit is made. Empty: shards are computed on the
    // variables themselves, which needs a bound of 0.
    std::function<Status(size_t loop)> pull;
    // Copies what only this shard needs of the variables, after pull(), while no commit is made.
    // May be empty.
    std::function<Status(const Task& task)> look_up;
    std::function<Status(const Task& task, const CancelToken& token, std::vector<Tensor>& out)> compute;
    // One thread at a time, while no loop pulls. It has changed nothing when it fails.
    std::function<Status(const Commit& commit)> commit;
    // Called on the thread of run(), after one or more commits or losses. False, or an error, ends
    // the run.
    std::function<Result<bool>()> told;
    // Returns true if an error of compute() means that the replica can compute no more, while
    // others can. One thread at a time.
    std::function<bool(size_t replica, const Status& status)> is_loss;
    bool end_on_loss = false;  // a loss ends the run with its error, although others are left
  };
  // Hands out the shards of batches [first, end) until all are committed. They are computed on
  // `threads` threads of `parallel`, which include the caller's, and on the threads of replicas
  // that are apart. A shard whose replica was lost is handed out again. The first error ends the
  // run, as does a cancellation of `token`; with no replica left, the error is that of the last
  // loss. Shards that are under way then, or when told() returns false, are not committed. told()
  // is called once more for commits at the end of the run, unless it returned false.
  Status run(int64_t first, int64_t end, Replicas& replicas, const ParallelFor& parallel, int32_t threads,
             const CancelToken& token, const Calls& calls);

  // Commits hold the lock exclusively, pulls share it: a thread that holds it sees the variables
  // between two commits. Thread-safe.
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
