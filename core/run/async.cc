#include "core/run/async.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/thread_pool.h"

namespace percale {

struct AsyncRunner::State {
  explicit State(int32_t most) : max_threads(static_cast<size_t>(most < 1 ? 1 : most)) {}
  const size_t max_threads;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  std::vector<std::thread> threads;
  size_t idle = 0;
  bool stop = false;
};

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
  const auto work = [](const std::shared_ptr<State>& state) {
    std::unique_lock lock(state->mutex);
    while (true) {
      ++state->idle;
      state->wake.wait(lock, [&] { return state->stop || !state->tasks.empty(); });
      --state->idle;
      if (state->tasks.empty()) return;
      std::function<void()> next = std::move(state->tasks.front());
      state->tasks.pop_front();
      lock.unlock();
      next();
      next = nullptr;  // what it holds ends outside the lock
      lock.lock();
    }
  };
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->idle <= state_->tasks.size() && state_->threads.size() < state_->max_threads) {
      state_->threads.reserve(state_->threads.size() + 1);
      auto started = start_thread("percale-run", [work, state = state_] { work(state); });
      if (started.ok()) {
        state_->threads.push_back(std::move(started).value());
      } else if (state_->threads.empty()) {
        return started.status();
      }
    }
    state_->tasks.push_back(std::move(task));
  }
  state_->wake.notify_one();
  return {};
}

}  // namespace percale
