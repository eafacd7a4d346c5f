// A fit whose devices work on several batches at once: the modes `async` and `bounded:k` of a trainer.
#ifndef PERCALE_CORE_TRAIN_TRAINER_STREAM_H_
#define PERCALE_CORE_TRAIN_TRAINER_STREAM_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/train/data/prefetch.h"
#include "core/train/shards/shard_stream.h"
#include "core/train/trainer.h"

namespace percale {

// Commits change the working set on any thread, and note what they did; what else the trainer knows of its steps changes on the
// caller's thread alone, who takes these notes up before anybody can ask.
class Trainer::Streaming {
 public:
  // All but `trainer` as for Trainer::fit(), whose checks have been made. Borrowed for as long as this lives.
  Streaming(Trainer& trainer, std::shared_ptr<Dataset> dataset, int64_t epochs, const ProgressFunction& progress,
            const CancelToken& token);
  ~Streaming();
  Status fit();

  // While it is held nobody commits, and all of the trainer is the state after one commit. On the caller's thread.
  std::unique_lock<std::shared_mutex> hold();
  // Whether devices are at work, so that the trainer's plans are in use.
  bool running() const { return running_; }

 private:
  struct OpenBatch {
    std::vector<Tensor> feeds;
    std::shared_ptr<const ShardPlans> plans;
    int64_t rows = 0;
    RowGradients by_rows;  // with a bound
    std::shared_ptr<const Plan> commit;
  };
  // What a loop computes on, and the rows that its shard looked up.
  struct Lane {
    std::vector<Tensor> state;
    int64_t state_version = 0;
    std::vector<int64_t> versions;
    RowGradients by_rows;  // without a bound
    std::shared_ptr<const Plan> commit;
  };
  // What a commit did.
  struct Record {
    int64_t step = 0, batch = 0, rows = 0;
    double loss = 0, epoch_loss = 0, learning_rate = 0, seconds = 0;
    std::vector<double> totals;
    std::set<std::pair<int64_t, int64_t>> applied;  // the shard, where it is not the whole batch
    int64_t step_in_epoch = 0, rows_done = 0;       // as the caller's thread counts them
  };

  bool whole_batches() const { return trainer_.mode_.kind == TrainMode::Kind::kBounded; }
  int64_t steps_before(int64_t batch) const;
  int64_t rows_of(int64_t batch) const;
  Status prepare();
  Status run_epoch();
  Status end_epoch();
  ShardStream::Calls calls();
  Result<int64_t> take(int64_t batch);
  std::shared_ptr<OpenBatch> open(int64_t batch);
  Status pull(size_t loop);
  Status compute(const ShardStream::Task& task, const CancelToken& token, std::vector<Tensor>& out);
  Status commit(const ShardStream::Commit& commit);
  void settle();
  Result<bool> told();
  bool tell(const Record& record);

  Trainer& trainer_;
  const std::shared_ptr<Dataset> dataset_;
  const int64_t epochs_, batches_;
  const ProgressFunction& progress_;
  const CancelToken& token_;
  const std::vector<std::string> names_;
  std::vector<size_t> changing_;  // what training changes of the working set: parameters, then statistics
  bool deltas_ = false;           // statistics come as what they add
  std::unique_ptr<ShardStream> stream_;
  std::unique_ptr<Prefetcher> source_;
  std::vector<Lane> lanes_;
  int64_t per_epoch_ = 0, total_steps_ = 0, first_step_ = 0;
  int64_t started_ns_ = 0, rows_done_ = 0;
  double seconds_before_ = 0;
  bool running_ = false, go_ = true;
  std::list<Record> to_tell_;

  // Of the epoch under way, by its beginning.
  int64_t run_first_batch_ = 0, run_first_step_ = 0;
  int64_t committed_ = 0;  // steps; guarded by the lock of the variables

  std::mutex mutex_;  // guards what follows
  std::map<int64_t, std::shared_ptr<OpenBatch>> open_;
  std::list<Record> notes_;
  std::vector<std::pair<size_t, Status>> losses_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_TRAINER_STREAM_H_
