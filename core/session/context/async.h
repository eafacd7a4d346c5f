// Threads for asynchronous runs, started on demand.
#ifndef PERCALE_CORE_SESSION_CONTEXT_ASYNC_H_
#define PERCALE_CORE_SESSION_CONTEXT_ASYNC_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/host_pool.h"
#include "core/base/status.h"
#include "core/session/context/cancel.h"

namespace percale {

// Thread-safe. Tasks begin in the order of submit().
class AsyncRunner final : public RunPlaces {
 public:
  // At most `max_threads` (>= 1) tasks run at once. Tasks that sleep between leave() and
  // come_back() do not count. Starts no thread yet. Threads are called "percale-run" and block all
  // signals. With `host` there are no threads: the host's pool runs the tasks.
  explicit AsyncRunner(int32_t max_threads, std::shared_ptr<HostPool> host = nullptr);
  // Waits for all tasks. A task may itself destroy the runner; then its thread ends after it.
  ~AsyncRunner() override;
  AsyncRunner(const AsyncRunner&) = delete;
  AsyncRunner& operator=(const AsyncRunner&) = delete;

  // `task` must not throw. RESOURCE_EXHAUSTED if there is no thread yet and the system refuses one.
  // `number` (may be null) receives a number for run_unbegun().
  Status submit(std::function<void()> task, uint64_t* number = nullptr);
  // Runs a task that no thread of the host has begun, for a caller that is about to wait for it:
  // the host's pool may be waiting for the caller. Does nothing if the task has begun, and without
  // a host's pool.
  void run_unbegun(uint64_t number);
  // To be called by tasks. At most 1024 tasks sleep at once.
  Status leave() override;
  void come_back(bool (*stopped)(const void* user), const void* user) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_ASYNC_H_
