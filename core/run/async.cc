#include "core/run/async.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

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

namespace {

// While it lives, a thread that is started inherits a mask that blocks every signal.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t saved_;
};

}  // namespace

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
      const SignalsBlocked blocked;
      try {
        std::thread& started = state_->threads.emplace_back(work, state_);
        pthread_setname_np(started.native_handle(), "percale-run");
      } catch (const std::system_error&) {
        if (state_->threads.empty()) return resource_exhausted("the system gives no thread for an asynchronous run");
      }
    }
    state_->tasks.push_back(std::move(task));
  }
  state_->wake.notify_one();
  return {};
}

}  // namespace percale
