// Asynchronous runs and their ends.
#include <algorithm>
#include <chrono>

#include "c_api/run/session.h"
#include "core/session/context/async.h"

using namespace percale;
using namespace percale::c_api;

namespace percale::c_api {

struct AsyncRun {
  RunSpec spec;
  RunOptions options;
  std::shared_ptr<Trace> trace;
  CancelToken cancel;
  uint64_t number = 0;  // of the task

  std::mutex mutex;  // guards what follows
  std::condition_variable ended;
  bool over = false;
  bool abandoned = false;  // the last event was released
  Status status;
  std::vector<Tensor> feeds, results;
  int64_t variables_version = 0;
  std::vector<std::pair<percale_event_callback, void*>> callbacks;
};

namespace {

// Runs on a thread of the engine. After `session` has heard that the run is over it may be gone.
void carry_out(const std::shared_ptr<AsyncRun>& run, percale_session* session) {
  Status status;
  std::vector<Tensor> results;
  int64_t version = 0;
  try {
    RunOptions options = run->options;
    options.variables_version = &version;
    auto result = run->cancel.cancelled()
                      ? Result<std::vector<Tensor>>(Status(Code::kCancelled, "cancelled before the run began"))
                      : session->session->run(run->spec, run->feeds, options);
    if (result.ok()) {
      results = std::move(result).value();
    } else {
      status = result.status();
    }
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  std::vector<std::pair<percale_event_callback, void*>> callbacks;
  {
    const std::lock_guard session_lock(session->mutex);
    {
      const std::lock_guard lock(run->mutex);
      run->over = true;
      run->status = std::move(status);
      run->results = std::move(results);
      run->variables_version = version;
      callbacks.swap(run->callbacks);
      if (run->abandoned) {
        // Its room was booked when the run was given.
        for (Tensor& feed : run->feeds) session->left_over.push_back(std::move(feed));
        run->feeds.clear();
      }
    }
    std::erase(session->running, run);
    session->ended.notify_all();
  }
  run->ended.notify_all();
  const CallbackScope scope(Callback::kEvent);
  for (const auto& [callback, user] : callbacks) callback(user);
}

}  // namespace
}  // namespace percale::c_api

struct percale_event : Counted {
  percale_event(percale_session* s, std::shared_ptr<AsyncRun> r) : session(s), run(std::move(r)) {}
  ~percale_event() {
    if (session->is_forked()) return;
    std::vector<Tensor> feeds;
    const std::lock_guard lock(run->mutex);
    run->abandoned = true;
    if (run->over) feeds.swap(run->feeds);
  }
  Ref<percale_session> session;
  std::shared_ptr<AsyncRun> run;
};

// The runs that no thread of the host has begun end here, because its pool may be waiting for this
// thread.
void percale_session::run_unbegun() {
  std::unique_lock lock(mutex);
  for (size_t left = running.size(); left > 0; --left) {  // backwards: runs that end leave the list
    if (left > running.size()) continue;
    const uint64_t number = running[left - 1]->number;
    lock.unlock();
    engine->runner->run_unbegun(number);
    lock.lock();
  }
}

bool percale_session::is_forked() const { return !engine->engine->check_usable().ok(); }

percale_session::~percale_session() {
  if (is_forked()) return;
  std::unique_lock lock(mutex);
  for (const auto& run : running) run->cancel.cancel();
  lock.unlock();
  run_unbegun();
  lock.lock();
  ended.wait(lock, [&] { return running.empty(); });
}

percale_status* percale_session_run_async(percale_session* session, const char* const* feed_names,
                                          percale_tensor* const* feeds, size_t feed_count,
                                          const char* const* fetch_names, size_t fetch_count,
                                          const char* const* target_names, size_t target_count, int64_t timeout_ns,
                                          percale_event** out_event) {
  clear(out_event);
  return guarded(__func__, {NEEDS(session), NEEDS(out_event)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_array(function, "feeds", feeds, feed_count));
    auto run = std::make_shared<AsyncRun>();
    PERCALE_ASSIGN_OR_RETURN(
        run->spec, run_spec(function, feed_names, feed_count, fetch_names, fetch_count, target_names, target_count));
    PERCALE_RETURN_IF_ERROR(session->engine->engine->check_usable());
    session->drop_left_over();
    run->feeds = tensors_of(feeds, feed_count);
    run->trace = session->current_trace();
    run->options = {.deadline_ns = deadline_after(timeout_ns),
                    .cancel = &run->cancel,
                    .places = session->engine->runner.get(),
                    .trace = run->trace.get()};
    auto event = std::make_unique<percale_event>(session, run);
    {
      const std::lock_guard lock(session->mutex);
      size_t all_feeds = session->left_over.size() + feed_count;
      for (const auto& other : session->running) all_feeds += other->spec.feeds.size();
      session->left_over.reserve(all_feeds);
      session->running.push_back(run);
    }
    Status status;
    try {
      status = session->engine->runner->submit([run, session] { carry_out(run, session); }, &run->number);
    } catch (const std::bad_alloc&) {
      status = Status::out_of_memory();
    }
    if (!status.ok()) {
      // The session must not wait for a run that no thread carries out.
      const std::lock_guard lock(session->mutex);
      std::erase(session->running, run);
      run->over = true;
      return status;
    }
    *out_event = event.release();
    return {};
  });
}

int32_t percale_event_poll(const percale_event* event) {
  if (event == nullptr) return 0;
  const std::lock_guard lock(event->run->mutex);
  return event->run->over ? 1 : 0;
}

percale_status* percale_event_wait(percale_event* event, int64_t timeout_ns) {
  return guarded(__func__, {NEEDS(event)}, [&, function = __func__]() -> Status {
    std::vector<Tensor> feeds;  // ends after the lock
    AsyncRun& run = *event->run;
    std::unique_lock lock(run.mutex);
    const auto over = [&] { return run.over; };
    if (!over()) {
      PERCALE_RETURN_IF_ERROR(event->session->engine->engine->check_usable());
      if (timeout_ns != 0) PERCALE_RETURN_IF_ERROR(check_may_wait(function));
    }
    if (timeout_ns == PERCALE_FOREVER) {
      lock.unlock();
      event->session->engine->runner->run_unbegun(run.number);
      lock.lock();
      run.ended.wait(lock, over);
    } else {
      // As much as the clock can add without overflow.
      const auto most = std::chrono::hours(24 * 365);
      const auto timeout =
          std::min<std::chrono::nanoseconds>(std::chrono::nanoseconds(std::max<int64_t>(timeout_ns, 0)), most);
      if (!run.ended.wait_for(lock, timeout, over)) {
        return Status(Code::kDeadlineExceeded, str_cat("the run is not over after ", timeout_ns, " ns"));
      }
    }
    feeds.swap(run.feeds);
    return run.status;
  });
}

percale_status* percale_event_on_ready(percale_event* event, percale_event_callback callback, void* user) {
  return guarded(__func__, {NEEDS(event), NEEDS(callback)}, [&]() -> Status {
    {
      const std::lock_guard lock(event->run->mutex);
      if (!event->run->over) {
        event->run->callbacks.emplace_back(callback, user);
        return {};
      }
    }
    const CallbackScope scope(Callback::kEvent);
    callback(user);
    return {};
  });
}

void percale_event_cancel(percale_event* event) {
  if (event != nullptr) event->run->cancel.cancel();
}

int64_t percale_event_variables_version(const percale_event* event) {
  if (event == nullptr) return 0;
  const std::lock_guard lock(event->run->mutex);
  return event->run->variables_version;
}

percale_status* percale_event_result(percale_event* event, size_t index, percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(event), NEEDS(out_tensor)}, [&, function = __func__]() -> Status {
    const std::lock_guard lock(event->run->mutex);
    if (!event->run->over) return failed_precondition(function, ": the run is not over");
    PERCALE_RETURN_IF_ERROR(event->run->status);
    if (index >= event->run->results.size()) {
      return out_of_range(function, ": the run has ", uint64_t{event->run->results.size()},
                          " results, not one of index ", uint64_t{index});
    }
    *out_tensor = new percale_tensor(event->run->results[index]);
    return {};
  });
}

percale_event* percale_event_retain(percale_event* event) { return retain(event); }

void percale_event_release(percale_event* event) { release(event); }
