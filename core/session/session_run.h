// One run of a session.
#ifndef PERCALE_CORE_SESSION_SESSION_RUN_H_
#define PERCALE_CORE_SESSION_SESSION_RUN_H_

#include <memory>
#include <span>
#include <vector>

#include "core/session/plan_runner.h"
#include "core/session/queue_ops.h"
#include "core/session/session_state.h"
#include "core/state/variables.h"

namespace percale {

// The methods are called once each, in the order in which they are declared.
class SessionRun {
 public:
  SessionRun(SessionState& session, const Plan& plan, const RunOptions& options);
  SessionRun(const SessionRun&) = delete;
  SessionRun& operator=(const SessionRun&) = delete;

  // Pins the variables that the run reads.
  Status pin();
  // Runs the plan. Other runs do not see what it assigns yet.
  Status execute(std::span<const Tensor> feeds, std::span<Tensor> outputs);
  // Makes assigned variables and the changes of queues visible to others.
  Status publish();

 private:
  void pin_latest();
  Status run_plan(std::span<const Tensor> feeds, std::span<Tensor> outputs);
  Status unshare(std::span<const Tensor> feeds, Tensor& output) const;

  SessionState& session_;
  const Plan& plan_;
  const std::shared_ptr<const CancelToken> cancel_;
  RunFrame frame_;
  const Lent<std::vector<Tensor>> ordered_;         // pinned variables, as the graph orders them
  std::shared_ptr<const VariablesVersion> pinned_;  // null: the caller has passed the variables
  RunWaiter waiter_;
  ResourceRun resources_;  // rolled back unless publish() commits it
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_SESSION_RUN_H_
