// Threads that wait for devices with streams of their own, so that no compute thread has to.
#ifndef PERCALE_CORE_TRAIN_SHARDS_DEVICE_THREADS_H_
#define PERCALE_CORE_TRAIN_SHARDS_DEVICE_THREADS_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/status.h"

namespace percale {

// One caller at a time.
class DeviceThreads {
 public:
  DeviceThreads() = default;
  ~DeviceThreads();
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  // Starts threads until there are `count`. RESOURCE_EXHAUSTED when the system gives no thread.
  Status reserve(size_t count);
  // Runs body(0) ... body(count - 1), each on a thread of its own, and `meanwhile` on the caller's;
  // returns when all have returned. They must throw nothing. Precondition: `count` threads were
  // reserved.
  void run(size_t count, const std::function<void(size_t)>& body, const std::function<void()>& meanwhile);

 private:
  void work(size_t number);

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const std::function<void(size_t)>* body_ = nullptr;
  size_t count_ = 0, running_ = 0;
  uint64_t round_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_SHARDS_DEVICE_THREADS_H_
