#include "core/train/shards/device_threads.h"

#include "core/base/thread_pool.h"

namespace percale {

DeviceThreads::~DeviceThreads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    begin_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

Status DeviceThreads::reserve(size_t count) {
  threads_.reserve(count);  // a started thread must find its place
  while (threads_.size() < count) {
    const size_t number = threads_.size();
    PERCALE_ASSIGN_OR_RETURN(auto thread, start_thread(str_cat("percale-dev-", static_cast<uint64_t>(number)),
                                                       [this, number] { work(number); }));
    threads_.push_back(std::move(thread));
  }
  return {};
}

void DeviceThreads::run(size_t count, const std::function<void(size_t)>& body, const std::function<void()>& meanwhile) {
  if (count > 0) {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    count_ = running_ = count;
    ++round_;
    begin_.notify_all();
  }
  meanwhile();
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return running_ == 0; });
  count_ = 0;
}

void DeviceThreads::work(size_t number) {
  const FloatMode mode;
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    begin_.wait(lock, [&] { return stop_ || (round_ != seen && number < count_); });
    if (stop_) return;
    seen = round_;
    const auto* body = body_;
    lock.unlock();
    (*body)(number);
    lock.lock();
    if (--running_ == 0) end_.notify_all();
  }
}

}  // namespace percale
