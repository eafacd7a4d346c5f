// Wakes the threads of one run when something that they wait for has happened.
#ifndef PERCALE_CORE_SESSION_CONTEXT_RUN_SIGNAL_H_
#define PERCALE_CORE_SESSION_CONTEXT_RUN_SIGNAL_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/registry/shard_barrier.h"
#include "core/state/resources.h"

namespace percale {

struct RunFrame;  // core/session/context/run_frame.h

// Thread-safe.
class RunSignal final : public ShardWaiter {
 public:
  // Counts the wakes. State that is read after changes() is at least as new as the count.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // Called when something has happened that others may wait for.
  void wake() override;
  // Called when the run has failed: all threads stop waiting.
  void fail();
  // Sleeps until changes() differs from `seen`, or the run has failed or should stop.
  void sleep(uint64_t seen, const RunFrame& frame);

 private:
  std::atomic<uint64_t> changes_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::vector<Waker*> sleepers_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_RUN_SIGNAL_H_
