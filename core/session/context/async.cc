#include "core/session/context/async.h"

#include <algorithm>
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
  State(int32_t most, std::shared_ptr<HostPool> the_host)
      : max_running(static_cast<size_t>(most < 1 ? 1 : most)), host(std::move(the_host)) {}
  const size_t max_running;
  std::mutex mutex;  // guards what follows
  std::condition_variable wake, place, finished;
  std::shared_ptr<HostPool> host;  // null: `threads` work; also after the end of the runner
  struct Task {
    uint64_t number;
    std::function<void()> run;
  };
  std::deque<Task> tasks;
  uint64_t submitted = 0;
  std::vector<std::thread> threads;
  std::vector<std::thread::id> host_threads;  // of the host, that run a task
  size_t workers = 0;                         // threads, or tasks that the host's pool has
  size_t idle = 0;                            // workers without a task
  size_t running = 0;                         // tasks that have a slot
  size_t sleepers = 0, returning = 0;         // tasks without a slot; those that want it back
  bool stop = false;

  // Returning tasks go first, because others may be waiting for them.
  bool has_place() const { return running + returning < max_running; }
  // True if every worker sleeps, so that none would take the next task.
  bool all_sleep() const { return workers <= sleepers; }
  // Gets a worker for the next task if none is idle and one more is allowed. Returns an error if
  // that fails and no other worker will take the task. The mutex must be held by `lock`; while the
  // host is asked, it is not.
  static Status serve(const std::shared_ptr<State>& state, std::unique_lock<std::mutex>& lock) noexcept;
  Status start_worker(const std::shared_ptr<State>& state);
  static Status ask_host(const std::shared_ptr<State>& state, std::unique_lock<std::mutex>& lock);
  class HostWorker;
  void work();
  std::deque<Task>::iterator find(uint64_t number) {
    return std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) { return task.number == number; });
  }
  void run(std::deque<Task>::iterator task, std::unique_lock<std::mutex>& lock);
};

// A worker of the host's pool. It ends with the task of the host, whether or not that was run.
class AsyncRunner::State::HostWorker {
 public:
  explicit HostWorker(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~HostWorker() {
    if (!counted_) return;
    const std::lock_guard lock(state_->mutex);
    --state_->workers;
    --state_->idle;
  }
  HostWorker(const HostWorker&) = delete;
  HostWorker& operator=(const HostWorker&) = delete;

  // Counts it among the idle workers. The mutex must be held.
  void count() {
    state_->host_threads.reserve(state_->workers + 1);
    ++state_->workers;
    ++state_->idle;
    counted_ = true;
  }
  // Runs tasks. Does not wait: a thread of the host is given back as soon as there is no task for
  // it.
  void run() {
    std::unique_lock lock(state_->mutex);
    const auto own = std::this_thread::get_id();
    --state_->idle;
    state_->host_threads.push_back(own);
    while (!state_->tasks.empty() && state_->has_place()) state_->run(state_->tasks.begin(), lock);
    state_->host_threads.erase(std::find(state_->host_threads.begin(), state_->host_threads.end(), own));
    --state_->workers;
    counted_ = false;
    state_->finished.notify_all();
  }

 private:
  const std::shared_ptr<State> state_;
  bool counted_ = false;
};

// Takes a task out of the queue and runs it. The lock is held before and after.
void AsyncRunner::State::run(std::deque<Task>::iterator task, std::unique_lock<std::mutex>& lock) {
  std::function<void()> next = std::move(task->run);
  tasks.erase(task);
  ++running;
  lock.unlock();
  next();
  next = nullptr;  // destroys its captures outside the lock
  lock.lock();
  --running;
  place.notify_one();
}

void AsyncRunner::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle;
    wake.wait(lock, [&] { return (stop && tasks.empty()) || (!tasks.empty() && has_place()); });
    --idle;
    if (tasks.empty()) return;
    run(tasks.begin(), lock);
    if (stop) {
      wake.notify_all();
    } else {
      wake.notify_one();
    }
  }
}

Status AsyncRunner::State::start_worker(const std::shared_ptr<State>& state) {
  threads.reserve(threads.size() + 1);
  PERCALE_ASSIGN_OR_RETURN(auto started, start_thread("percale-run", [state] { state->work(); }));
  threads.push_back(std::move(started));
  ++workers;
  return {};
}

Status AsyncRunner::State::ask_host(const std::shared_ptr<State>& state, std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<HostPool> pool = state->host;
  auto worker = std::make_shared<HostWorker>(state);
  worker->count();
  lock.unlock();
  Status status = pool->execute([worker] { worker->run(); });
  worker = nullptr;  // needs the mutex if it is the last reference
  lock.lock();
  return status.with_context("the thread pool of the host");
}

Status AsyncRunner::State::serve(const std::shared_ptr<State>& state, std::unique_lock<std::mutex>& lock) noexcept {
  if (state->idle >= state->tasks.size() || state->workers >= state->max_running + state->sleepers) return {};
  Status failure;
  try {
    failure = state->host == nullptr ? state->start_worker(state) : ask_host(state, lock);
    if (failure.ok()) return {};
  } catch (const std::bad_alloc&) {
    if (!lock.owns_lock()) lock.lock();
    failure = Status::out_of_memory();
  }
  return state->all_sleep() ? failure : Status();
}

AsyncRunner::AsyncRunner(int32_t max_threads, std::shared_ptr<HostPool> host)
    : state_(std::make_shared<State>(max_threads, std::move(host))) {}

AsyncRunner::~AsyncRunner() {
  std::vector<std::thread> threads;
  std::shared_ptr<HostPool> host;  // ends after the lock
  {
    std::unique_lock lock(state_->mutex);
    while (state_->host != nullptr && !state_->tasks.empty()) state_->run(state_->tasks.begin(), lock);
    state_->stop = true;
    threads.swap(state_->threads);
    host.swap(state_->host);
    const auto own = std::this_thread::get_id();
    state_->finished.wait(lock, [&] {
      return std::all_of(state_->host_threads.begin(), state_->host_threads.end(), [&](auto id) { return id == own; });
    });
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

void AsyncRunner::run_unbegun(uint64_t number) {
  std::unique_lock lock(state_->mutex);
  if (state_->host == nullptr) return;
  if (const auto task = state_->find(number); task != state_->tasks.end()) state_->run(task, lock);
}

Status AsyncRunner::submit(std::function<void()> task, uint64_t* number) {
  {
    std::unique_lock lock(state_->mutex);
    const uint64_t own = ++state_->submitted;
    if (number != nullptr) *number = own;
    state_->tasks.push_back({own, std::move(task)});
    if (Status served = State::serve(state_, lock); !served.ok()) {
      const auto left = state_->find(own);
      // Another worker may have taken it while the host was asked.
      if (left == state_->tasks.end()) return {};
      state_->tasks.erase(left);
      return served;
    }
  }
  state_->wake.notify_one();
  return {};
}

Status AsyncRunner::leave() {
  {
    std::unique_lock lock(state_->mutex);
    if (state_->sleepers >= kMaxSleepers) {
      return resource_exhausted("more than ", static_cast<uint64_t>(kMaxSleepers),
                                " asynchronous runs wait for others");
    }
    --state_->running;
    ++state_->sleepers;
    if (!state_->tasks.empty() && !state_->stop) {
      if (Status served = State::serve(state_, lock); !served.ok()) {
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
