// The shards of one batch, all of them under way at once, exchange means of what they have computed.
#ifndef PERCALE_CORE_TRAIN_SHARDS_BATCH_MEETING_H_
#define PERCALE_CORE_TRAIN_SHARDS_BATCH_MEETING_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/registry/shard_meeting.h"

namespace percale {

class BatchMeeting final : public ShardMeeting {
 public:
  // `rows` per shard; a shard without any does not come. At most `places` (>= 1) threads compute at once.
  BatchMeeting(std::vector<int64_t> rows, int32_t places);

  // Numbers are added in f64 and in the order of the shards.
  bool mean(const ShardPart& part, bool transposed, void* out) override;
  void enter(ShardGuest& guest) override;
  void leave(ShardGuest& guest) override;
  void begin_work() override;
  void end_work() override;

 private:
  struct Subject {
    std::vector<std::vector<double>> parts;  // by shard, empty where it has not come
    int64_t missing = 0;
    std::vector<double> result;  // of all, zeros until none is missing
  };
  const std::vector<int64_t> rows_;
  int64_t all_rows_ = 0, shards_ = 0;  // that come
  std::mutex mutex_;                   // guards what follows
  std::map<std::string, Subject, std::less<>> subjects_;
  std::vector<ShardGuest*> guests_;
  int32_t places_;
  std::condition_variable place_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_BATCH_MEETING_H_
