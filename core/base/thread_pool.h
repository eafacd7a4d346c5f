// The engine's threads, or those of its host. They run pieces of loops. The assignment of pieces to
// threads never changes a result.
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

#include "core/base/host_pool.h"
#include "core/base/parallel.h"
#include "core/base/status.h"

namespace percale {

// Runs parallel loops. Thread-safe: each caller works on its own loop, and the workers help with
// any loop that has pieces left. Loops may be nested. A caller waits only for pieces of its own
// loop that other threads have begun. If a piece throws bad_alloc on any thread, pieces not yet
// begun are skipped and the call throws bad_alloc.
class ThreadPool {
 public:
  // `threads` includes the caller: threads - 1 workers are started. Workers are named "percale-N",
  // block all signals, and run in FloatMode. RESOURCE_EXHAUSTED if the system refuses a thread.
  static Result<std::unique_ptr<ThreadPool>> create(int32_t threads);
  // Starts no threads. `host` is asked for up to threads - 1 helpers whenever a loop begins. They
  // may come late or never: the caller runs the pieces that no helper has begun.
  static std::unique_ptr<ThreadPool> create_on(std::shared_ptr<HostPool> host, int32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int32_t threads() const { return threads_; }
  ParallelFor parallel() { return {&ThreadPool::call, this}; }
  // Null if the threads are the engine's own.
  const std::shared_ptr<HostPool>& host() const { return host_; }
  // True if a thread may be started that computes beside the caller.
  bool may_start_threads() const { return threads_ > 1 && host_ == nullptr; }

  // Notices that the host's pool failed while the object lives. Loops do not fail with it.
  class FailureWatch {
   public:
    explicit FailureWatch(const ThreadPool& pool) : pool_(pool), seen_(pool.failures_) {}
    // The last error of the host's pool, if there was one.
    Status status() const { return pool_.failures_ == seen_ ? Status() : pool_.failure(); }

   private:
    const ThreadPool& pool_;
    const int64_t seen_;
  };

  // While an object lives, more loops are expected soon, and idle workers stay awake for longer.
  // Cheap to construct.
  class Busy {
   public:
    explicit Busy(ThreadPool& pool) : busy_(pool.loops_->busy) { busy_.fetch_add(1, std::memory_order_relaxed); }
    ~Busy() { busy_.fetch_sub(1, std::memory_order_relaxed); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    std::atomic<int32_t>& busy_;
  };

 private:
  struct Loop;
  // A worker increments `users` before it reads `loop`. A caller that has cleared `loop` and then
  // sees no users knows that no worker will access the loop again. The caller keeps the slot until
  // then: if the slot were reused earlier, two callers could each wait for a worker that waits for
  // the other.
  struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<Loop*> loop{nullptr};
    std::atomic<int32_t> users{0};
  };

  // The state that threads look at. Tasks of a host's pool may begin after the end of the pool, and
  // share it.
  struct Loops {
    std::array<Slot, 16> slots;
    std::atomic<uint64_t> published{0};
    std::atomic<int32_t> busy{0};
    std::atomic<int32_t> helpers{0};  // tasks that the host has
    std::atomic<bool> stop{false};

    // Takes the place of a helper, of which there are `most`. False if none is free. A loop may
    // count on one of its pieces being run by its caller, so there must not be more.
    bool join(int32_t most);
    bool help_once(int32_t worker);
    bool has_pieces();
    void help(int32_t worker);
  };
  class Helper;

  explicit ThreadPool(int32_t threads) : threads_(threads) {}
  static void call(void* pool, int64_t pieces, ParallelFor::Body body, void* arg);
  void work(int32_t worker);  // `worker` starts at 1; 0 is the caller
  void wake_workers();
  void ask_host(int64_t pieces) noexcept;
  std::shared_ptr<Helper> make_helper(int32_t number);
  Status failure() const;

  const int32_t threads_;
  const std::shared_ptr<Loops> loops_ = std::make_shared<Loops>();
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<int32_t> sleepers_{0};

  std::shared_ptr<HostPool> host_;
  std::atomic<int64_t> failures_{0};
  mutable std::mutex failure_mutex_;
  Status failure_;
};

// Starts a thread with this name (cut to 15 bytes) and all signals blocked. RESOURCE_EXHAUSTED if
// the system refuses.
Result<std::thread> start_thread(const std::string& name, std::function<void()> body);

// Returns the default number of threads: the CPUs in the affinity mask, limited by the cgroup
// quota; at least 1.
int32_t default_threads();

// While an object lives, the thread rounds to nearest, keeps denormals and masks all traps,
// whatever the host has set. Does nothing except on x86-64 and arm64.
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
