// How a run is ended from another thread, and where it waits meanwhile.
#ifndef PERCALE_CORE_SESSION_CONTEXT_CANCEL_H_
#define PERCALE_CORE_SESSION_CONTEXT_CANCEL_H_

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "core/state/resources.h"

namespace percale {

// Ends runs from another thread. Thread-safe.
class CancelToken {
 public:
  CancelToken() = default;
  // Cancelled when `parent` is, which must outlive it, or by itself.
  explicit CancelToken(const CancelToken* parent) : parent_(parent) {}
  void cancel() {
    cancelled_.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    for (Waker* waker : wakers_) waker->wake();
  }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (parent_ != nullptr && parent_->cancelled());
  }

  // From attach() to detach() cancel() wakes a run that sleeps.
  void attach(Waker& waker) const {
    if (parent_ != nullptr) parent_->attach(waker);
    try {
      const std::lock_guard lock(mutex_);
      wakers_.push_back(&waker);
    } catch (const std::bad_alloc&) {
      if (parent_ != nullptr) parent_->detach(waker);
      throw;
    }
  }
  void detach(Waker& waker) const {
    if (parent_ != nullptr) parent_->detach(waker);
    const std::lock_guard lock(mutex_);
    std::erase(wakers_, &waker);
  }

 private:
  const CancelToken* const parent_ = nullptr;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  mutable std::vector<Waker*> wakers_;
};

// Who counts the threads on which runs are carried out: a run that sleeps gives its place to another. Thread-safe.
class RunPlaces {
 public:
  virtual ~RunPlaces() = default;
  // Before a run sleeps. RESOURCE_EXHAUSTED when no thread is left for those that it may wait for.
  virtual Status leave() = 0;
  // After it: waits for a place until `stopped(user)`. Every leave() that succeeded is followed by it.
  virtual void come_back(bool (*stopped)(const void* user), const void* user) = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_CANCEL_H_
