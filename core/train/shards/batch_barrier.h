// The barrier of the shards of one batch, which all run at the same time and exchange means.
#ifndef PERCALE_CORE_TRAIN_SHARDS_BATCH_BARRIER_H_
#define PERCALE_CORE_TRAIN_SHARDS_BATCH_BARRIER_H_

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry/shard_barrier.h"
#include "core/train/shards/shard_tree.h"

namespace percale {

// Where other processes compute shards of the batch, someone brings their parts: it takes the nodes
// whose own parts are complete, and gives the others. Thread-safe.
class BatchBarrier final : public ShardBarrier {
 public:
  // `rows`: per shard; a shard without rows takes no part. `own`: the shards that are computed
  // here. At most `slots` (>= 1) threads compute at once.
  BatchBarrier(std::vector<int64_t> rows, const ShardRange& own, int32_t slots);

  // Numbers are added in f64 and in the order of the shards.
  bool mean(const ShardPart& part, bool transposed, void* out) override;
  void attach(ShardWaiter& waiter) override;
  void detach(ShardWaiter& waiter) override;
  void begin_work() override;
  void end_work() override;

  // A node, and how many numbers each shard contributes to it.
  struct Complete {
    std::string node;
    int64_t count = 0;
  };
  // Waits for the next node whose own parts are complete; nullopt after close().
  std::optional<Complete> next_complete();
  // Waits until the own parts of this node are complete. False after close().
  bool wait_complete(std::string_view node);
  // No shard computes any more.
  void close();
  // The numbers of a shard for a node whose own parts are complete.
  std::vector<double> part(std::string_view node, int64_t shard);
  // Gives the numbers of the shards that are not own ones. The shards that wait for the node go on.
  void give(std::string_view node, const std::map<int64_t, std::vector<double>>& others);

 private:
  struct Subject {
    std::vector<std::vector<double>> parts;  // by shard; empty before it has arrived
    int64_t missing = 0;                     // own ones
    bool transposed = false, done = false;
    std::vector<double> result;  // over all shards; zeros until it is done
  };
  using Subjects = std::map<std::string, Subject, std::less<>>;
  Subjects::iterator subject_of(const ShardPart& part, bool transposed);
  void finish(Subject& subject);
  bool has_others() const { return own_shards_ < shards_; }

  const std::vector<int64_t> rows_;
  int64_t all_rows_ = 0, shards_ = 0, own_shards_ = 0;  // with rows
  std::mutex mutex_;                                    // guards what follows
  Subjects subjects_;
  std::deque<Complete> complete_;  // own parts, in the order in which they became complete
  bool closed_ = false;
  std::condition_variable completed_;
  std::vector<ShardWaiter*> waiters_;
  int32_t slots_;  // free
  std::condition_variable freed_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_BATCH_BARRIER_H_
