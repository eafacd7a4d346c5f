// Brings the parts of other ranks to the barrier of a batch.
#ifndef PERCALE_CORE_TRAIN_GROUP_BARRIER_EXCHANGE_H_
#define PERCALE_CORE_TRAIN_GROUP_BARRIER_EXCHANGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/train/group/group.h"
#include "core/train/shards/batch_barrier.h"

namespace percale {

// A thread of its own exchanges while shards compute. Shards reach the nodes in different orders on
// different ranks, so the first rank with rows leads: it names the next node, then all ranks send
// their parts of it.
class BarrierExchange {
 public:
  // Borrows the group and the barrier. `rows`: per shard. `stop`: called from the thread when
  // another rank has failed. RESOURCE_EXHAUSTED when the system gives no thread.
  static Result<std::unique_ptr<BarrierExchange>> begin(Group& group, BatchBarrier& barrier, std::vector<int64_t> rows,
                                                        std::function<void()> stop);
  // Without finish() the other ranks are told that this one is out of memory.
  ~BarrierExchange();
  BarrierExchange(const BarrierExchange&) = delete;
  BarrierExchange& operator=(const BarrierExchange&) = delete;

  // The own shards have ended, with this status; the other ranks learn of an error. Returns the
  // error of another rank or of the group, else `own`.
  Status finish(const Status& own);
  // True if the error came from another rank or from the group.
  bool failed() const { return !error_.ok(); }

 private:
  BarrierExchange(Group& group, BatchBarrier& barrier, std::vector<int64_t> rows, std::function<void()> stop);
  // A node of the leader, and how many numbers a shard contributes; "": there is no more.
  struct Next {
    std::string node;
    int64_t count = 0;
  };
  void work();
  Status exchange_all();
  Result<Next> exchange_next();
  Status exchange_parts(const Next& next);
  bool leads() const { return leader_ == group_.rank(); }
  // The shards of a rank that have rows.
  std::vector<int64_t> shards_of(size_t rank) const;

  Group& group_;
  BatchBarrier& barrier_;
  const std::vector<int64_t> rows_;
  const std::function<void()> stop_;
  size_t leader_ = 0;
  Status own_;    // of the own shards; read once the barrier is closed
  Status error_;  // of another rank or of the group; read after the thread has ended
  std::thread thread_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_BARRIER_EXCHANGE_H_
