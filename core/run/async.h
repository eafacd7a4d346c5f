// Threads for asynchronous runs: started when there is something to do, at most a fixed number of them.
#ifndef PERCALE_CORE_RUN_ASYNC_H_
#define PERCALE_CORE_RUN_ASYNC_H_

#include <functional>
#include <memory>

#include "core/base/status.h"

namespace percale {

// Thread-safe. Tasks begin in the order in which they were given.
class AsyncRunner {
 public:
  // At most `max_threads` (>= 1) tasks run at once. Starts nothing. Threads are called "percale-run" and block all signals.
  explicit AsyncRunner(int32_t max_threads);
  // Waits for the tasks that were given; a task may be what destroys the runner: then its own thread ends after it.
  ~AsyncRunner();
  AsyncRunner(const AsyncRunner&) = delete;
  AsyncRunner& operator=(const AsyncRunner&) = delete;

  // `task` must not throw. RESOURCE_EXHAUSTED when there is no thread yet and the system gives none.
  Status submit(std::function<void()> task);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace percale

#endif  // PERCALE_CORE_RUN_ASYNC_H_
