// The barrier of the shards of one batch, which all run at the same time and exchange means.
#ifndef PERCALE_CORE_TRAIN_SHARDS_BATCH_BARRIER_H_
#define PERCALE_CORE_TRAIN_SHARDS_BATCH_BARRIER_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/registry/shard_barrier.h"

namespace percale {

class BatchBarrier final : public ShardBarrier {
 public:
  // `rows`: per shard; a shard without rows takes no part. At most `slots` (>= 1) threads compute
  // at once.
  BatchBarrier(std::vector<int64_t> rows, int32_t slots);

  // Numbers are added in f64 and in the order of the shards.
  bool mean(const ShardPart& part, bool transposed, void* out) override;
  void attach(ShardWaiter& waiter) override;
  void detach(ShardWaiter& waiter) override;
  void begin_work() override;
  void end_work() override;

 private:
  struct Subject {
    std::vector<std::vector<double>> parts;  // by shard; empty before it has arrived
    int64_t missing = 0;
    std::vector<double> result;  // over all shards; zeros until none is missing
  };
  const std::vector<int64_t> rows_;
  int64_t all_rows_ = 0, shards_ = 0;  // with rows
  std::mutex mutex_;                   // guards what follows
  std::map<std::string, Subject, std::less<>> subjects_;
  std::vector<ShardWaiter*> waiters_;
  int32_t slots_;  // free
  std::condition_variable freed_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_BATCH_BARRIER_H_
