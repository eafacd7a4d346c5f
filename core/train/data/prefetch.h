// Makes the next batches while a step runs.
#ifndef PERCALE_CORE_TRAIN_DATA_PREFETCH_H_
#define PERCALE_CORE_TRAIN_DATA_PREFETCH_H_

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/process_ptr.h"
#include "core/base/thread_pool.h"
#include "core/train/data/dataset.h"

namespace percale {

inline constexpr size_t kBatchesAhead = 2;  // prefetched batches during training

// Returns the batches of a data set in order, across epochs. They are the same with and without a
// thread. Thread-compatible.
class Prefetcher {
 public:
  // Starts at `first` and ends before epoch `epochs`. With `ahead` > 0 a thread called
  // "percale-data" makes that many batches in advance. With 0 next() makes them, using `parallel`.
  // The data set must not be configured meanwhile.
  static Result<ProcessPtr<Prefetcher>> create(std::shared_ptr<const Dataset> dataset, DatasetPosition first,
                                               int64_t epochs, size_t ahead, ParallelFor parallel);
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // OUT_OF_RANGE after the last batch of the last epoch.
  Result<std::vector<Tensor>> next();

 private:
  Prefetcher() = default;
  void work();
  void make_batches();
  bool advance();

  std::shared_ptr<const Dataset> dataset_;
  DatasetPosition position_;  // of the batch to make next
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
