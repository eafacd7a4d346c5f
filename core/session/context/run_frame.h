// The context that a run hands down to its programs, bodies and rests.
#ifndef PERCALE_CORE_SESSION_CONTEXT_RUN_FRAME_H_
#define PERCALE_CORE_SESSION_CONTEXT_RUN_FRAME_H_

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/engine/device_store.h"
#include "core/session/context/node_times.h"
#include "core/session/context/run_options.h"
#include "core/state/resources.h"

namespace percale {

struct Plan;

// The variables as one run sees them: the contents it started with, and the values it has assigned.
struct StateFrame {
  const std::vector<Tensor>* base = nullptr;  // null: the graph has no variables
  std::vector<Tensor> next;                   // undefined where nothing was assigned
  bool exclusive = false;                     // assignments go into the memory of `base`
  int64_t version = -1;                       // of `base`; -1: not known

  bool is_assigned(int64_t variable) const {
    const auto i = static_cast<size_t>(variable);
    return i < next.size() && next[i].defined();
  }
  const Tensor& value(int64_t variable) const {
    return is_assigned(variable) ? next[static_cast<size_t>(variable)] : (*base)[static_cast<size_t>(variable)];
  }
};

// One per run. Its programs, bodies and rests use it one after the other.
struct RunFrame {
  const RunOptions& options;
  const CancelToken* session_cancel = nullptr;
  StateFrame state;
  int64_t step = 0;                    // counter of random ops
  std::shared_ptr<MemoryPool> memory;  // of the session
  ResourceRun* resources = nullptr;    // queues and mutexes
  DeviceStore* store = nullptr;        // of the session
  // Switches to the newest version of the variables. A run that has waited for another run may rely
  // on the values that the other has published. Empty if the caller has passed the variables.
  std::function<void()> see_latest = {};
  NodeTimes* times = nullptr;  // collects the times of instructions; null: nothing does
  // The plan whose fetches the watcher is told of; bodies and rests have other plans. Null: no
  // watcher.
  const Plan* watched_plan = nullptr;
  std::atomic<bool> told{false};  // the watcher was told of a fetch
  // Both belong to the plan whose programs run now. Per feed, or empty: the copy that its home has;
  // null: the host has the feed.
  std::span<DeviceStore::Copy* const> handed = {};
  // Per input of the plan's rest: the copy that stays on a device for it is stored there.
  std::span<DeviceStore::Copy*> to_hand_on = {};

  bool watched() const { return options.trace != nullptr || times != nullptr; }

  bool is_cancelled() const {
    return (session_cancel != nullptr && session_cancel->cancelled()) ||
           (options.cancel != nullptr && options.cancel->cancelled());
  }
  bool should_stop() const { return is_cancelled() || (options.deadline_ns >= 0 && now_ns() >= options.deadline_ns); }
  // CANCELLED or DEADLINE_EXCEEDED if should_stop(), else OK.
  Status stop_reason() const;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_RUN_FRAME_H_
