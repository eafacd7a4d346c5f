// Walks the programs of a plan. No look-up, no type check and, once warm, no allocation but for results.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_H_
#define PERCALE_CORE_SESSION_EXECUTOR_H_

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/compile/plan.h"
#include "core/engine/device_store.h"
#include "core/session/node_times.h"
#include "core/session/session.h"

namespace percale {

// The variables as one run sees them: what it started with, and what it has assigned so far. The programs, the bodies and the
// rest of a plan share it, one after the other.
struct StateFrame {
  const std::vector<Tensor>* base = nullptr;
  std::vector<Tensor> next;  // undefined where nothing was assigned; empty until the first assignment
  bool exclusive = false;    // assignments go into the memory of `base`
  int64_t version = -1;      // of `base`; -1: not known

  bool is_assigned(int64_t variable) const {
    const auto i = static_cast<size_t>(variable);
    return i < next.size() && next[i].defined();
  }
  const Tensor& value(int64_t variable) const {
    return is_assigned(variable) ? next[static_cast<size_t>(variable)] : (*base)[static_cast<size_t>(variable)];
  }
};

// What one run has in common, with all its programs, bodies and rests.
struct RunFrame {
  const RunOptions& options;
  const CancelToken* session_cancel = nullptr;
  StateFrame state;
  int64_t step = 0;                    // counter of random ops
  std::shared_ptr<MemoryPool> memory;  // of the session: what a run allocates and what plans keep for the next ones
  ResourceRun* resources = nullptr;    // queues and mutexes
  DeviceStore* store = nullptr;        // of the session
  // Puts the newest version of the variables in the place of the one that the run has pinned: what waited for another run may
  // rely on what that has published. Empty where the caller has given the variables.
  std::function<void()> see_latest = {};
  NodeTimes* times = nullptr;  // where the times of instructions go; null: nowhere

  bool watched() const { return options.trace != nullptr || times != nullptr; }

  bool should_stop() const;
  // CANCELLED or DEADLINE_EXCEEDED where should_stop(), else success.
  Status stop_reason() const;
};

// Runs the programs of `plan`. results[i] is written into; all but those of Plan::stays are defined and of the type that
// Plan::results says.
Status run_programs(const Plan& plan, Engine& engine, RunFrame& frame, std::span<const Tensor> feeds,
                    std::span<const Tensor> results);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_H_
