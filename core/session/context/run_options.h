// The options of one run.
#ifndef PERCALE_CORE_SESSION_CONTEXT_RUN_OPTIONS_H_
#define PERCALE_CORE_SESSION_CONTEXT_RUN_OPTIONS_H_

#include <cstdint>

#include "core/engine/trace.h"
#include "core/registry/shard_barrier.h"
#include "core/session/context/cancel.h"
#include "core/session/context/fetch_watcher.h"
#include "core/session/context/run_values.h"

namespace percale {

// Pointers are borrowed until the end of the run.
struct RunOptions {
  int64_t deadline_ns = -1;  // on the monotonic clock; -1: none
  const CancelToken* cancel = nullptr;
  RunPlaces* places = nullptr;  // of an asynchronous run, else null
  Trace* trace = nullptr;
  // The barrier of the batch of which this run computes shard `shard`. All shards must run at the
  // same time. Null: the run does not wait for others.
  ShardBarrier* barrier = nullptr;
  int64_t shard = 0;
  // True if no other run uses the devices: loops then use the threads of all of them. The bits are
  // the same either way.
  bool alone = false;
  // The key and the counter of random ops. A step of -1 means the number of the run in its session.
  int64_t seed = 0, step = -1, first_row = 0;
  RunValues values = {};
  // A run that succeeds writes here which version of the session's table it has read; null:
  // nowhere.
  int64_t* variables_version = nullptr;
  FetchWatcher* watcher = nullptr;  // null: none
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_RUN_OPTIONS_H_
