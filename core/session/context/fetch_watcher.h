// Told of fetches that have their values before the run ends.
#ifndef PERCALE_CORE_SESSION_CONTEXT_FETCH_WATCHER_H_
#define PERCALE_CORE_SESSION_CONTEXT_FETCH_WATCHER_H_

#include <cstddef>

namespace percale {

class FetchWatcher {
 public:
  virtual ~FetchWatcher() = default;
  // Fetch `fetch` has its final contents, in the memory that the caller gave for it. Called at most
  // once per fetch, by the threads of the run, perhaps by several at once. Values of devices with
  // memory of their own, and those that are copied when the run ends, are not told of. A run that
  // fails may have told of some.
  virtual void ready(size_t fetch) noexcept = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_FETCH_WATCHER_H_
