// Threads for asynchronous runs: started when there is something to do, and no more than the runs that compute need.
#ifndef PERCALE_CORE_SESSION_CONTEXT_ASYNC_H_
#define PERCALE_CORE_SESSION_CONTEXT_ASYNC_H_

#include <functional>
#include <memory>

#include "core/base/status.h"
#include "core/session/context/cancel.h"

namespace percale {

// Thread-safe. Tasks begin in the order in which they were given.
class AsyncRunner final : public RunPlaces {
 public:
  // At most `max_threads` (>= 1) tasks run at once, those not counted that sleep between leave() and come_back(). Starts
  // nothing. Threads are called "percale-run" and block all signals.
  explicit AsyncRunner(int32_t max_threads);
  // Waits for the tasks that were given; a task may be what destroys the runner: then its own thread ends after it.
  ~AsyncRunner() override;
  AsyncRunner(const AsyncRunner&) = delete;
  AsyncRunner& operator=(const AsyncRunner&) = delete;

  // `task` must not throw. RESOURCE_EXHAUSTED when there is no thread yet and the system gives none.
  Status submit(std::function<void()> task);
  // For tasks alone. At most 1024 sleep at once.
  Status leave() override;
  void come_back(bool (*stopped)(const void* user), const void* user) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_ASYNC_H_
