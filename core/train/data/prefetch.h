// Makes the next batches while a step runs.
#ifndef PERCALE_CORE_TRAIN_DATA_PREFETCH_H_
#define PERCALE_CORE_TRAIN_DATA_PREFETCH_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/thread_pool.h"
#include "core/train/data/dataset.h"

namespace percale {

inline constexpr size_t kBatchesAhead = 2;  // of a training

// Thread-compatible. Hands out the batches of a data set in order, across epochs; they are the same with and without a thread.
class Prefetcher {
 public:
  // From `first` on, epochs before `epochs` alone. With `ahead` > 0 a thread called "percale-data" makes that many batches in
  // advance; with 0 next() makes them, on `parallel`. The data set must not be configured meanwhile.
  static Result<std::unique_ptr<Prefetcher>> create(std::shared_ptr<const Dataset> dataset, DatasetPosition first,
                                                    int64_t epochs, size_t ahead, ParallelFor parallel);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // OUT_OF_RANGE behind the last batch of the last epoch.
  Result<std::vector<Tensor>> next();

 private:
  Prefetcher() = default;
  void work();
  void make_batches();
  bool advance();

  std::shared_ptr<const Dataset> dataset_;
  DatasetPosition position_;  // of the batch that is made next
  int64_t epochs_ = 0;
  size_t ahead_ = 0;
  ParallelFor parallel_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<std::vector<Tensor>>> ready_;
  bool stop_ = false, out_of_memory_ = false;
  std::thread thread_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_DATA_PREFETCH_H_
