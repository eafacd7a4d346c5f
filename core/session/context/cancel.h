// Cancellation tokens, and the slots of asynchronous runs.
#ifndef PERCALE_CORE_SESSION_CONTEXT_CANCEL_H_
#define PERCALE_CORE_SESSION_CONTEXT_CANCEL_H_

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "core/state/resources.h"

namespace percale {

// Cancelling the token ends the runs that were given it. Thread-safe.
class CancelToken {
 public:
  CancelToken() = default;
  // Also cancelled when `parent` is, which must outlive it.
  explicit CancelToken(const CancelToken* parent) : parent_(parent) {}
  void cancel() {
    cancelled_.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    for (Waker* waker : wakers_) waker->wake();
  }
  bool cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (parent_ != nullptr && parent_->cancelled());
  }

  // cancel() wakes the waker between attach() and detach().
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

// The slots of the threads that carry out runs. A run that sleeps gives its slot to another run.
// Thread-safe.
class RunPlaces {
 public:
  virtual ~RunPlaces() = default;
  // Called before a run sleeps. RESOURCE_EXHAUSTED if no thread is left for the runs that it may
  // wait for.
  virtual Status leave() = 0;
  // Called after a leave() that succeeded. Waits for a slot until `stopped(user)`.
  virtual void come_back(bool (*stopped)(const void* user), const void* user) = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_CANCEL_H_
