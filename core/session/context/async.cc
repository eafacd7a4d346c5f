#include "core/session/context/async.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/thread_pool.h"

namespace percale {
namespace {

constexpr size_t kMaxSleepers = 1024;
constexpr std::chrono::milliseconds kLook(5);  // between checks of a task that waits for a slot

}  // namespace

struct AsyncRunner::State {
  explicit State(int32_t most) : max_running(static_cast<size_t>(most < 1 ? 1 : most)) {}
  const size_t max_running;
  std::mutex mutex;
  std::condition_variable wake, place;
  std::deque<std::function<void()>> tasks;
  std::vector<std::thread> threads;
  size_t idle = 0;                     // threads without a task
  size_t running = 0;                  // tasks that have a slot
  size_t sleepers = 0, returning = 0;  // tasks without a slot; those that want it back
  bool stop = false;

  // Returning tasks go first, because others may be waiting for them.
  bool has_place() const { return running + returning < max_running; }
  // True if every thread sleeps, so that none would take the next task.
  bool all_sleep() const { return threads.size() <= sleepers; }
  // Starts a thread for the next task if none is idle and one more is allowed. Returns an error if
  // that fails and no other thread will take the task. The mutex must be held.
  static Status serve(const std::shared_ptr<State>& state) noexcept;
  void work();
};

void AsyncRunner::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle;
    wake.wait(lock, [&] { return (stop && tasks.empty()) || (!tasks.empty() && has_place()); });
    --idle;
    if (tasks.empty()) return;
    std::function<void()> next = std::move(tasks.front());
    tasks.pop_front();
    ++running;
    lock.unlock();
    next();
    next = nullptr;  // destroys its captures outside the lock
    lock.lock();
    --running;
    place.notify_one();
    if (stop) {
      wake.notify_all();
    } else {
      wake.notify_one();
    }
  }
}

Status AsyncRunner::State::serve(const std::shared_ptr<State>& state) noexcept {
  if (state->idle >= state->tasks.size() || state->threads.size() >= state->max_running + state->sleepers) return {};
  Status failure;
  try {
    state->threads.reserve(state->threads.size() + 1);
    auto started = start_thread("percale-run", [state] { state->work(); });
    if (started.ok()) {
      state->threads.push_back(std::move(started).value());
      return {};
    }
    failure = started.status();
  } catch (const std::bad_alloc&) {
    failure = Status::out_of_memory();
  }
  return state->all_sleep() ? failure : Status();
}

AsyncRunner::AsyncRunner(int32_t max_threads) : state_(std::make_shared<State>(max_threads)) {}

AsyncRunner::~AsyncRunner() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
    threads.swap(state_->threads);
  }
  state_->wake.notify_all();
  for (std::thread& thread : threads) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

Status AsyncRunner::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    if (Status served = State::serve(state_); !served.ok()) {
      state_->tasks.pop_back();
      return served;
    }
  }
  state_->wake.notify_one();
  return {};
}

Status AsyncRunner::leave() {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->sleepers >= kMaxSleepers) {
      return resource_exhausted("more than ", static_cast<uint64_t>(kMaxSleepers),
                                " asynchronous runs wait for others");
    }
    --state_->running;
    ++state_->sleepers;
    if (!state_->tasks.empty() && !state_->stop) {
      if (Status served = State::serve(state_); !served.ok()) {
        ++state_->running;
        --state_->sleepers;
        return served;
      }
    }
  }
  state_->wake.notify_one();
  state_->place.notify_one();
  return {};
}

void AsyncRunner::come_back(bool (*stopped)(const void* user), const void* user) {
  std::unique_lock lock(state_->mutex);
  ++state_->returning;
  while (state_->running >= state_->max_running && !stopped(user)) state_->place.wait_for(lock, kLook);
  --state_->returning;
  --state_->sleepers;
  ++state_->running;
}

}  // namespace percale
