// What a training tells about its devices: who computed how much and waited how long, and what the host's adding cost.
#ifndef PERCALE_CORE_TRAIN_SHARDS_RUN_FACTS_H_
#define PERCALE_CORE_TRAIN_SHARDS_RUN_FACTS_H_

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/engine/trace.h"
#include "core/text/json.h"

namespace percale {

// Thread-safe but for set_trace(). Adds up over all calls of a trainer.
class RunFacts {
 public:
  // Spans of averaging and committing go there too; null: nowhere.
  void set_trace(Trace* trace) { trace_ = trace; }
  // The number of a device by its name, the same for the same name.
  size_t device(const std::string& name);

  // What became of a shard that was handed out.
  enum class End {
    kComputed,  // its gradient waits for accepted() or dropped()
    kStopped,   // it was not wanted any more, or failed: it gives none
    kLost,      // its device was lost; others compute it
  };
  void begin_shard(size_t device);
  void end_shard(size_t device, End end, int64_t rows);
  // A computed gradient became part of a commit, on variables that were `staleness` commits old when it was begun; or was not applied.
  void accepted(int64_t staleness);
  void dropped();
  // The same of those that wait: all that a step has computed on the variables that it commits to; all but `keep`.
  void accept_all();
  void drop_all_but(int64_t keep);
  int64_t waiting() const;
  // A time in which these devices were there to compute.
  void add_time(int64_t ns, std::span<const size_t> devices);

  enum class Work { kAverage, kCommit };
  // The host does such work while it lives; `facts` may be null. `row`: of the trace, for what goes on at once.
  class Span {
   public:
    Span(RunFacts* facts, Work work, size_t row = 0);
    ~Span();
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    RunFacts* const facts_;
    const Work work_;
    const size_t row_;
    int64_t begin_ = 0;
  };

  // An object: "seconds", "averaging_seconds", "exposed_averaging_seconds", "commit_seconds", "commits", "shards", "staleness",
  // "devices".
  void write(JsonWriter& json) const;

 private:
  struct Device {
    std::string name;
    int64_t shards = 0, lost_shards = 0, stopped = 0, rows = 0;
    int64_t running = 0, since_ns = 0, busy_ns = 0, there_ns = 0;
  };
  void advance();

  Trace* trace_ = nullptr;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Device> devices_;
  int64_t handed_out_ = 0, computed_ = 0, accepted_ = 0, dropped_ = 0;  // computed_: neither of the next two yet
  std::map<int64_t, int64_t> staleness_;                                // shards by it
  int64_t time_ns_ = 0, commits_ = 0;
  std::array<int64_t, 2> work_ns_{};
  // Adding is exposed while no device computes.
  int64_t computing_ = 0, adding_ = 0, changed_ns_ = 0, exposed_ns_ = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_RUN_FACTS_H_
