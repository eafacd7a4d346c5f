// The parts of a session, which its runs share.
#ifndef PERCALE_CORE_SESSION_SESSION_STATE_H_
#define PERCALE_CORE_SESSION_SESSION_STATE_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/engine/engine_users.h"
#include "core/engine/idle_pool.h"
#include "core/session/context/cancel.h"
#include "core/session/plan_cache.h"
#include "core/state/precomputed_store.h"
#include "core/state/resources.h"
#include "core/state/variables.h"

namespace percale {

// The cancellation token of the runs under way. Thread-safe.
class SessionCancel {
 public:
  // The token for a run that begins now.
  std::shared_ptr<const CancelToken> token() const {
    const std::lock_guard lock(mutex_);
    return token_;
  }
  // Cancels all runs that have begun. Later runs get a new token.
  void cancel_all() {
    const std::lock_guard lock(mutex_);
    token_->cancel();
    token_ = std::make_shared<CancelToken>();
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<CancelToken> token_ = std::make_shared<CancelToken>();
};

struct SessionState final : EngineUser {
  std::shared_ptr<Engine> engine;
  std::shared_ptr<MemoryPool> memory;  // accounts for what the session holds
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<Variables> variables;  // null: every run passes its variables, or there are none
  std::vector<int32_t> table_index;      // per variable of the graph: its place in `variables`
  std::shared_ptr<Resources> resources;
  std::unique_ptr<NodeTimes> times;  // null: times are neither known nor measured
  bool measures = false;
  PrecomputedStore precomputed;  // of versions that are not those of `variables`
  std::unique_ptr<DeviceStore> store;
  std::unique_ptr<PlanCache> cache;
  IdlePool<std::vector<Tensor>> ordered;  // variables in the order of the graph, for one run each
  SessionCancel cancel;
  std::atomic<int64_t> runs{0};
  // The time within the runs of a session of the host (RunTimer).
  std::atomic<int64_t> run_ns{0};
  std::atomic<bool> has_long_runs{true};  // the first one compiles
  bool is_hosts = false;

  int64_t trim() override {
    const int64_t before = memory->used();
    drop_idle_memory();
    return std::max<int64_t>(before - memory->used(), 0);
  }
  void count(RunCounts& out) const override {
    if (!is_hosts) return;
    ++out.sessions;
    out.runs += runs.load(std::memory_order_relaxed);
    out.run_ns += run_ns.load(std::memory_order_relaxed);
    out.plans += cache->plans_made();
    out.cache_hits += cache->hits();
  }

  // Frees the memory that is kept for later runs. Returns false if there was none.
  bool drop_idle_memory() {
    const bool dropped = store->drop_unused();
    return cache->drop_idle_memory() || dropped;
  }
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_SESSION_STATE_H_
