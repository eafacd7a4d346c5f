// The batches of a fit, as far as one rank of a group computes them.
#ifndef PERCALE_CORE_TRAIN_LOOP_FIT_BATCHES_H_
#define PERCALE_CORE_TRAIN_LOOP_FIT_BATCHES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/train/data/dataset.h"
#include "core/train/data/prefetch.h"
#include "core/train/step/step_runner.h"

namespace percale {

// The batches of one step.
struct StepBatches {
  std::vector<StepBatch> batches;  // empty: the epoch has no further ones
  bool end_epoch = false;
};

// Thread-compatible.
class FitBatches {
 public:
  virtual ~FitBatches() = default;
  // Goes on at this position. Also called when the group was formed anew: then it is that of the
  // step under way, or of the next one.
  virtual Status open(const DatasetPosition& position) = 0;
  // True if the batches are the same with fewer ranks.
  virtual bool survives_losses() const = 0;
  // Per epoch, once it is open; -1: only the end of an epoch tells.
  virtual int64_t batches() const = 0;
  // The next batches, `most` at most, all of one epoch.
  virtual Result<StepBatches> take(int64_t most) = 0;
};

// Where batches come from. Borrows all but the data set.
struct BatchSource {
  std::shared_ptr<const Dataset> data;
  ThreadPool& threads;
  BatchShards& shards;
  StepRunner& runner;
  int64_t epochs = 1;
};

// Every rank of a group can read all rows, and reads those of its shards alone. Without a group:
// all batches of the data set. FAILED_PRECONDITION in a group for a replica's part of a data set,
// and for rows in a stream.
Result<std::unique_ptr<FitBatches>> whole_batches(BatchSource source);
// Each rank of a group has a part of the data: a batch is made of a batch of each part. An epoch
// ends when all parts have ended; until then an ended one gives batches without rows. Also for one
// process that does not know how many rows its data has.
std::unique_ptr<FitBatches> part_batches(BatchSource source);

// Makes batches ahead of time if threads are there for it.
Result<ProcessPtr<Prefetcher>> open_prefetcher(std::shared_ptr<const Dataset> data, const DatasetPosition& position,
                                               int64_t epochs, ThreadPool& threads);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_FIT_BATCHES_H_
