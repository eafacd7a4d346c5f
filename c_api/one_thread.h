// The check of a thread-compatible object: one thread at a time may use it, and a second one gets
// an error.
#ifndef PERCALE_C_API_ONE_THREAD_H_
#define PERCALE_C_API_ONE_THREAD_H_

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/base/status.h"

namespace percale::c_api {

// Knows which thread is in a call with an object. Calls nest on that thread, as those within a
// callback do.
class OneThread {
 public:
  // `what` names the object in messages: "call". A literal.
  explicit OneThread(const char* what) : what_(what) {}

  // A call with the object, until its destruction, which must come before the object's.
  class Use {
   public:
    Use() = default;
    explicit Use(std::atomic<uintptr_t>* owner) : owner_(owner) {}
    Use(Use&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)) {}
    Use& operator=(Use&& other) noexcept {
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~Use() {
      if (owner_ != nullptr) owner_->store(0, std::memory_order_release);
    }

   private:
    std::atomic<uintptr_t>* owner_ = nullptr;  // null: a call around this one ends the use
  };
  // FAILED_PRECONDITION while another thread is in a call with the object.
  Result<Use> enter(const char* function) const {
    const uintptr_t self = this_thread();
    uintptr_t owner = 0;
    if (owner_.compare_exchange_strong(owner, self, std::memory_order_acquire)) return Use(&owner_);
    if (owner == self) return Use();
    return failed_precondition(function, ": the ", what_, " is used by another thread: one thread at a time may");
  }

  // A callback of the call under way, until its destruction: the callback's thread may use the
  // object.
  class Callback {
   public:
    explicit Callback(OneThread& object) : owner_(object.owner_), before_(owner_.exchange(this_thread())) {}
    ~Callback() { owner_.store(before_); }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

   private:
    std::atomic<uintptr_t>& owner_;
    const uintptr_t before_;
  };

 private:
  // A number of this thread, not 0, that no other living thread has.
  static uintptr_t this_thread() {
    static thread_local const char mark = 0;
    return reinterpret_cast<uintptr_t>(&mark);
  }

  const char* const what_;
  mutable std::atomic<uintptr_t> owner_{0};
};

}  // namespace percale::c_api

#endif  // PERCALE_C_API_ONE_THREAD_H_
