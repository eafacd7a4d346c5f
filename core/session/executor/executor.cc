#include "core/session/executor/executor.h"

#include <utility>

#include "core/session/executor/execution.h"
#include "core/session/executor/operands.h"
#include "core/session/executor/scheduler.h"
#include "core/session/executor/store_access.h"
#include "core/session/executor/stream_runner.h"

namespace percale {
namespace {

// While it lives, the barrier wakes the run when other shards arrive.
class BarrierAttachment {
 public:
  BarrierAttachment(ShardBarrier* barrier, RunSignal& signal) : barrier_(barrier), signal_(signal) {
    if (barrier_ != nullptr) barrier_->attach(signal_);
  }
  ~BarrierAttachment() {
    if (barrier_ != nullptr) barrier_->detach(signal_);
  }
  BarrierAttachment(const BarrierAttachment&) = delete;
  BarrierAttachment& operator=(const BarrierAttachment&) = delete;

 private:
  ShardBarrier* const barrier_;
  RunSignal& signal_;
};

Status begin_programs(Execution& run) {
  for (auto& p : run.bound.programs) PERCALE_RETURN_IF_ERROR(begin_program(run, *p));
  // After all programs have begun, because the addresses of variables must be known.
  for (auto& p : run.bound.programs) PERCALE_RETURN_IF_ERROR(borrow_variables(run, *p));
  return {};
}

// Hands the assigned values to the state of the run.
void note_assigned(Execution& run) {
  StateFrame& state = run.frame.state;
  if (state.exclusive || run.assigned.empty()) return;
  state.next.resize(run.assigned.size());
  for (size_t i = 0; i < run.assigned.size(); ++i) {
    if (run.assigned[i].defined()) state.next[i] = std::move(run.assigned[i]);
  }
}

Status execute(Execution& run) {
  const BarrierAttachment attachment(run.frame.options.barrier, run.signal);
  if (Status begun = begin_programs(run); begun.ok()) {
    Scheduler(run).run_all();
  } else {
    run.fail(std::move(begun));
  }
  if (run.has_streams()) drain_streams(run);
  return_copies(run);
  PERCALE_RETURN_IF_ERROR(Status(run.status()));
  note_assigned(run);
  return {};
}

}  // namespace

Status execute_programs(const Plan& plan, Engine& engine, RunFrame& frame, std::span<const Tensor> feeds,
                        std::span<const Tensor> results) {
  if (plan.programs.empty()) return {};
  std::unique_ptr<IdleRun> memory = plan.idle.take();
  if (memory == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(memory, bind_run(plan, frame.memory));
  }
  const Lent<IdleRun> lent(plan.idle, std::move(memory));
  const ThreadPool::Busy busy(engine.threads());
  Execution run(plan, engine, frame, static_cast<BoundRun&>(*lent), feeds, results);
  return execute(run);
}

}  // namespace percale
