// The engine's threads. They run pieces of loops; which thread runs which piece never changes a result.
#ifndef PERCALE_CORE_BASE_THREAD_POOL_H_
#define PERCALE_CORE_BASE_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/status.h"

namespace percale {

// Thread-safe: loops of several callers take turns on the workers, each caller works on its own loop as well.
class ThreadPool {
 public:
  // `threads` compute at once, the caller counted: threads - 1 workers are started, none for 1. Workers are called
  // "percale-N", block all signals, and run with the floating-point mode of FloatMode.
  static Result<std::unique_ptr<ThreadPool>> create(int32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int32_t threads() const { return static_cast<int32_t>(workers_.size()) + 1; }
  ParallelFor parallel() { return {&ThreadPool::call, this}; }

 private:
  struct Loop;
  ThreadPool() = default;
  static void call(void* pool, int64_t pieces, ParallelFor::Body body, void* arg);
  void work(int32_t index);
  bool help();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<Loop*> current_{nullptr};
  std::atomic<uint64_t> epoch_{0};
  std::atomic<int32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
};

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
