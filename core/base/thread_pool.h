// The engine's threads. They run pieces of loops; which thread runs which piece never changes a result.
#ifndef PERCALE_CORE_BASE_THREAD_POOL_H_
#define PERCALE_CORE_BASE_THREAD_POOL_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/status.h"

namespace percale {

// Thread-safe: each caller works on its own loop, the workers help wherever there is one. A loop inside a piece of
// another is a loop like any other. A caller never waits for anything but pieces of its loop that others have begun.
// When a piece throws bad_alloc, on whatever thread, the pieces not yet begun are left out and the call throws it.
class ThreadPool {
 public:
  // `threads` compute for one caller, the caller counted: threads - 1 workers are started, none for 1. Workers are called
  // "percale-N", block all signals, and run in FloatMode. RESOURCE_EXHAUSTED when the system gives no thread.
  static Result<std::unique_ptr<ThreadPool>> create(int32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int32_t threads() const { return static_cast<int32_t>(workers_.size()) + 1; }
  ParallelFor parallel() { return {&ThreadPool::call, this}; }

  // While one lives, more loops are to come soon: workers without work stay awake for longer. Cheap.
  class Busy {
   public:
    explicit Busy(ThreadPool& pool) : pool_(pool) { pool_.busy_.fetch_add(1, std::memory_order_relaxed); }
    ~Busy() { pool_.busy_.fetch_sub(1, std::memory_order_relaxed); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    ThreadPool& pool_;
  };

 private:
  struct Loop;
  // A worker counts itself in before it looks at the loop, so that a caller who has taken its loop away and sees no
  // user knows that nobody will look at it again. The slot stays the caller's until then: were it lent again earlier,
  // two callers could each wait for a worker that waits for the other.
  struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<Loop*> loop{nullptr};
    std::atomic<int32_t> users{0};
  };

  ThreadPool() = default;
  static void call(void* pool, int64_t pieces, ParallelFor::Body body, void* arg);
  void work(int32_t worker);  // from 1: 0 is who calls
  bool help_once(int32_t worker);
  void wake_workers();

  std::array<Slot, 16> slots_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> published_{0};
  std::atomic<int32_t> sleepers_{0}, busy_{0};
  std::atomic<bool> stop_{false};
};

// Starts a thread of the engine: its name, all signals blocked. RESOURCE_EXHAUSTED when the system gives none.
Result<std::thread> start_thread(const std::string& name, std::function<void()> body);

// The number of threads to use when nobody says: the CPUs of the affinity mask, at most the cgroup's quota; at least 1.
int32_t default_threads();

// While it lives, the thread rounds to nearest, keeps denormals and masks all traps, whatever the host has set.
class FloatMode {
 public:
  FloatMode();
  ~FloatMode();
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  uint32_t saved_ = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_BASE_THREAD_POOL_H_
