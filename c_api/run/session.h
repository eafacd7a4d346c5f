// The structs behind percale_session and percale_trace.
#ifndef PERCALE_C_API_RUN_SESSION_H_
#define PERCALE_C_API_RUN_SESSION_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "c_api/engine.h"
#include "c_api/graph/variables.h"
#include "c_api/handles.h"
#include "core/engine/trace.h"
#include "core/session/session.h"

struct percale_trace : percale::c_api::Counted {
  std::shared_ptr<percale::Trace> trace = std::make_shared<percale::Trace>();
};

namespace percale::c_api {
struct AsyncRun;  // event.cc
}

struct percale_session : percale::c_api::Counted {
  percale::c_api::Ref<percale_engine> engine;
  std::shared_ptr<percale::Session> session;

  std::mutex mutex;  // guards what follows
  std::shared_ptr<percale::Trace> trace;
  std::vector<std::shared_ptr<percale::c_api::AsyncRun>> running;
  std::condition_variable ended;
  // Feeds of runs whose event was released before their end: their deleters run on a thread of the
  // caller.
  std::vector<percale::Tensor> left_over;

  // Ends the runs whose results cannot be asked for any more, and waits for them.
  ~percale_session();
  // True in a forked child, where the parent's threads end no run and may have left mutexes locked.
  bool is_forked() const;
  void run_unbegun();
  std::shared_ptr<percale::Trace> current_trace();
  void drop_left_over();
};

namespace percale::c_api {

// Names of feeds, fetches and targets.
Result<RunSpec> run_spec(const char* function, const char* const* feed_names, size_t feed_count,
                         const char* const* fetch_names, size_t fetch_count, const char* const* target_names,
                         size_t target_count);
// Types of feeds from arrays of dtypes, dims and ranks.
Result<std::vector<ValueType>> feed_types(const char* function, const percale_dtype* dtypes, const int64_t* const* dims,
                                          const size_t* ranks, size_t count);
// A timeout from now as a deadline; -1 for none.
int64_t deadline_after(int64_t timeout_ns);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_RUN_SESSION_H_
