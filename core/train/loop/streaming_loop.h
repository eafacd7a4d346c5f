// A fit whose devices work on several batches at once: the modes `async` and `bounded:k`.
#ifndef PERCALE_CORE_TRAIN_LOOP_STREAMING_LOOP_H_
#define PERCALE_CORE_TRAIN_LOOP_STREAMING_LOOP_H_

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "core/train/loop/fit_batches.h"
#include "core/train/loop/stream_shards.h"
#include "core/train/loop/train_loop.h"

namespace percale {

// Commits change the working set on any thread, and leave a note of what they did. The log and the
// rest of the trainer change on the caller's thread alone, which takes up the notes.
class StreamingLoop final : public TrainLoop {
 public:
  StreamingLoop(const FitParts& parts, const StreamParts& steps, FitRequest request);

  Status fit() override;

  // While the lock is held no commit is made, and the log describes the working set. On the
  // caller's thread.
  std::unique_lock<std::shared_mutex> hold();
  // True while devices are at work, so that plans are in use.
  bool running() const { return running_; }

 private:
  // The record of a commit.
  struct Note {
    StepRecord record;
    AppliedShards applied;  // the shard, where it is not the whole batch
  };
  int64_t rows_of(int64_t batch) const;
  int64_t shards_of(int64_t batch) const { return std::min(steps_.shards.shards(), rows_of(batch)); }
  int64_t steps_before(int64_t batch) const;
  int64_t steps_done() const;
  Status prepare();
  Status run_epoch();
  Status run_stream();
  Status end_epoch();
  ShardStream::Calls calls();
  int64_t random_step(int64_t batch) const;
  Status commit(const ShardStream::Commit& commit);
  Result<std::list<Note>> note_of(const ShardStream::Commit& commit, int64_t rows) const;
  void settle();
  Result<bool> told();
  bool tell(const StepRecord& record);
  Status publish_if(bool due);

  const StreamParts steps_;
  const int64_t batches_;  // of an epoch
  std::unique_ptr<StreamShards> shards_;
  std::unique_ptr<ShardStream> stream_;
  ProcessPtr<Prefetcher> source_;
  bool running_ = false;
  std::list<Note> to_tell_;

  // The position of the epoch under way, when its stream began.
  int64_t first_batch_ = 0, first_step_ = 0;
  int64_t committed_ = 0;  // steps; guarded by the lock of the variables

  std::mutex mutex_;  // guards what follows
  std::list<Note> notes_;
  std::vector<std::pair<size_t, Status>> losses_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_LOOP_STREAMING_LOOP_H_
