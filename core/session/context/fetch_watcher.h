// Told of fetches that have their values before the run ends.
#ifndef PERCALE_CORE_SESSION_CONTEXT_FETCH_WATCHER_H_
#define PERCALE_CORE_SESSION_CONTEXT_FETCH_WATCHER_H_

#include <cstddef>

#include "core/engine/device_store.h"

namespace percale {

class FetchWatcher {
 public:
  virtual ~FetchWatcher() = default;
  // Fetch `fetch` has its final contents. They lie in the memory that the caller gave for it or, if
  // it stays on a device, in `kept`. The run neither reads nor writes them any more.
  // Called at most once per fetch, by the threads of the run, perhaps by several at once. The run
  // ends after the call; the streams of devices go on meanwhile. There is no call for the last
  // fetches of a stream, for those that a device without streams copies to the host, and for those
  // that are copied when the run ends. A run that fails may have called.
  virtual void ready(size_t fetch, DeviceStore::Copy* kept) noexcept = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_FETCH_WATCHER_H_
