// Measures a training: how much each device computed, how long it waited, and the times of the
// host's work.
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

// Adds up over all calls of a trainer. Thread-safe except for set_trace().
class RunFacts {
 public:
  // Spans of averaging and of commits go to this trace, too. Null: none.
  void set_trace(Trace* trace) { trace_ = trace; }
  Trace* trace() const { return trace_; }
  // Returns the number of a device; the same name has the same number.
  size_t device(const std::string& name);

  // The end of a shard that was handed out.
  enum class End {
    kComputed,  // its gradient waits for accepted() or dropped()
    kStopped,   // it was not wanted any more, or failed: it has no gradient
    kLost,      // its device was lost; others compute it
  };
  void begin_shard(size_t device);
  void end_shard(size_t device, End end, int64_t rows);
  // A computed gradient became part of a commit, on variables that were `staleness` commits old
  // when it was begun; or it was not applied.
  void accepted(int64_t staleness);
  void dropped();
  // The same for all gradients that wait: accepted, with a staleness of 0; or dropped, except for
  // `keep`.
  void accept_all();
  void drop_all_but(int64_t keep);
  int64_t waiting() const;
  // Adds a time in which these devices were there to compute.
  void add_time(int64_t ns, std::span<const size_t> devices);

  enum class Work { kAverage, kCommit };
  // Times a piece of the host's work. `facts` may be null. `row`: of the trace, for pieces that
  // overlap.
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

  // Writes an object: "seconds", "averaging_seconds", "exposed_averaging_seconds",
  // "commit_seconds", "commits", "shards", "staleness", "devices".
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
  // computed_: neither accepted nor dropped yet.
  int64_t handed_out_ = 0, computed_ = 0, accepted_ = 0, dropped_ = 0;
  std::map<int64_t, int64_t> staleness_;  // shards by it
  int64_t time_ns_ = 0, commits_ = 0;
  std::array<int64_t, 2> work_ns_{};
  // Adding is exposed while no device computes.
  int64_t computing_ = 0, adding_ = 0, changed_ns_ = 0, exposed_ns_ = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_RUN_FACTS_H_
