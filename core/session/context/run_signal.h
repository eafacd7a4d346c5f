// Where the threads of one run sleep until something that they wait for has happened.
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
  // Counts wakes: what was looked at after reading it is no older than the count.
  uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // Something has happened that others may wait for.
  void wake() override;
  // The run has failed: nothing that anybody waits for needs to happen any more.
  void fail();
  // Until changes() is no longer `seen`, or the run has failed or should stop. Returns at once where that is so already.
  void sleep(uint64_t seen, const RunFrame& frame);

 private:
  std::atomic<uint64_t> changes_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::vector<Waker*> sleepers_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_RUN_SIGNAL_H_
