#include "core/session/context/run_signal.h"

#include <new>

#include "core/session/context/run_frame.h"

namespace percale {
namespace {

// Cancelling the run wakes the sleeper while this object lives.
class Attached {
 public:
  Attached(const RunFrame& frame, Waker& waker) : waker_(waker) {
    for (const CancelToken* token : {frame.session_cancel, frame.options.cancel}) {
      if (token == nullptr) continue;
      try {
        token->attach(waker);
      } catch (const std::bad_alloc&) {
        detach();
        throw;
      }
      tokens_[count_++] = token;
    }
  }
  ~Attached() { detach(); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  void detach() {
    while (count_ > 0) tokens_[--count_]->detach(waker_);
  }

  Waker& waker_;
  const CancelToken* tokens_[2] = {};
  size_t count_ = 0;
};

}  // namespace

void RunSignal::wake() {
  const std::lock_guard lock(mutex_);
  changes_.fetch_add(1, std::memory_order_release);
  for (Waker* sleeper : sleepers_) sleeper->wake();
}

void RunSignal::fail() {
  failed_.store(true, std::memory_order_release);
  wake();
}

void RunSignal::sleep(uint64_t seen, const RunFrame& frame) {
  Waker waker;
  const Attached attached(frame, waker);
  {
    const std::lock_guard lock(mutex_);
    if (changes_.load(std::memory_order_relaxed) != seen) return;
    sleepers_.push_back(&waker);
  }
  if (!frame.should_stop()) waker.sleep(frame.options.deadline_ns);
  const std::lock_guard lock(mutex_);
  std::erase(sleepers_, &waker);
}

}  // namespace percale
