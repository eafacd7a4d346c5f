#include "core/session/session_run.h"

#include <algorithm>
#include <cstring>

namespace percale {
namespace {

bool shares_memory(const Tensor& t, const Tensor& output) { return t.defined() && t.buffer() == output.buffer(); }

}  // namespace

SessionRun::SessionRun(SessionState& session, const Plan& plan, const RunOptions& options)
    : session_(session),
      plan_(plan),
      cancel_(session.cancel.token()),
      frame_{options, cancel_.get(), {}, options.step, session.memory},
      ordered_(session.ordered),
      waiter_(frame_),
      resources_(*session.resources, waiter_) {
  const int64_t number = session.runs.fetch_add(1, std::memory_order_relaxed);
  if (frame_.step < 0) frame_.step = number;
  frame_.state.exclusive = plan.spec.binding.is_exclusive();
  frame_.store = session.store.get();
  frame_.resources = &resources_;
  if (session.measures) frame_.times = session.times.get();
  if (options.watcher != nullptr) frame_.watched_plan = &plan;
}

Status SessionRun::pin() {
  const RunValues& values = frame_.options.values;
  if (values.are_callers()) {
    frame_.state.base = values.variables();
    frame_.state.version = values.versions().all;
    return {};
  }
  if (frame_.state.exclusive) return invalid_argument("an exclusive RunBinding needs RunValues::of_caller()");
  if (session_.graph->variables.empty()) {
    frame_.state.version = 0;  // the only one
    return {};
  }
  if (session_.variables == nullptr) {
    return failed_precondition("the graph has variables, the session was made without a table of them");
  }
  pin_latest();
  frame_.see_latest = [this] { pin_latest(); };
  frame_.state.base = &*ordered_;
  return {};
}

void SessionRun::pin_latest() {
  pinned_ = session_.variables->current();
  frame_.state.version = pinned_->number;
  ordered_->clear();
  for (const int32_t index : session_.table_index) ordered_->push_back(pinned_->values[static_cast<size_t>(index)]);
}

Status SessionRun::execute(std::span<const Tensor> feeds, std::span<Tensor> outputs) {
  // Results of bodies and rests may share the memory of feeds and variables. The caller's must not.
  std::vector<bool> may_share;
  if (!plan_.control.empty() || plan_.rest.graph != nullptr) {
    for (const Tensor& output : outputs) may_share.push_back(!output.defined());
  }
  PERCALE_RETURN_IF_ERROR(run_plan(feeds, outputs));
  for (size_t i = 0; i < may_share.size(); ++i) {
    if (may_share[i]) PERCALE_RETURN_IF_ERROR(unshare(feeds, outputs[i]));
  }
  return {};
}

// Runs the plan a second time if memory was short and some can be freed: memory that waits for
// later runs must not keep this one from running. A run whose assignments go into the caller's
// memory is not repeated, nor is one that has told its watcher of a fetch, which may be in use.
Status SessionRun::run_plan(std::span<const Tensor> feeds, std::span<Tensor> outputs) {
  PlanRunner runner(session_, frame_);
  Status status = runner.run_plan(plan_, feeds, outputs, PlanRunner::Sharing::kNo);
  const bool may_repeat = status.code() == Code::kResourceExhausted && !frame_.state.exclusive && !frame_.told;
  if (!may_repeat || !session_.drop_idle_memory()) return status;
  frame_.state.next.clear();
  resources_.rollback();
  return runner.run_plan(plan_, feeds, outputs, PlanRunner::Sharing::kNo);
}

// Gives an output memory of its own if it lies in a feed or a variable.
Status SessionRun::unshare(std::span<const Tensor> feeds, Tensor& output) const {
  const auto shares = [&](const Tensor& t) { return shares_memory(t, output); };
  const StateFrame& state = frame_.state;
  const bool shared = std::any_of(feeds.begin(), feeds.end(), shares) ||
                      (state.base != nullptr && std::any_of(state.base->begin(), state.base->end(), shares)) ||
                      std::any_of(state.next.begin(), state.next.end(), shares);
  if (!shared) return {};
  const Tensor from = output;
  PERCALE_ASSIGN_OR_RETURN(output, Tensor::allocate(session_.memory, from.dtype(), from.shape()));
  std::memcpy(output.data(), from.data(), static_cast<size_t>(from.bytes()));
  return {};
}

Status SessionRun::publish() {
  std::vector<std::pair<int32_t, Tensor>> changes;
  const std::vector<Tensor>& next = frame_.state.next;
  for (size_t i = 0; i < next.size() && !frame_.options.values.are_callers(); ++i) {
    if (next[i].defined()) changes.emplace_back(session_.table_index[i], next[i]);
  }
  // Before the resources are committed: the run that takes an element or a mutex next sees the
  // variables that were assigned before.
  if (!changes.empty()) PERCALE_RETURN_IF_ERROR(session_.variables->publish(changes).status());
  resources_.commit();
  if (frame_.options.variables_version != nullptr && pinned_ != nullptr) {
    *frame_.options.variables_version = pinned_->number;
  }
  return {};
}

}  // namespace percale
