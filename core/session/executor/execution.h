// The state that the programs of one run share.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_EXECUTION_H_
#define PERCALE_CORE_SESSION_EXECUTOR_EXECUTION_H_

#include <mutex>
#include <span>
#include <vector>

#include "core/session/bound/bound_run.h"
#include "core/session/context/run_frame.h"
#include "core/session/context/run_signal.h"

namespace percale {

// Borrows everything it is made of. fail() and `signal` are thread-safe.
class Execution {
 public:
  Execution(const Plan& of_plan, Engine& on_engine, RunFrame& in_frame, BoundRun& with_memory,
            std::span<const Tensor> run_feeds, std::span<const Tensor> run_results);

  const Plan& plan;
  Engine& engine;
  RunFrame& frame;
  BoundRun& bound;
  const std::span<const Tensor> feeds, results;
  RunSignal signal;
  std::vector<Tensor> assigned;  // next values of variables; empty if the state is exclusive

  bool has_streams() const { return has_streams_; }
  // True if the caller has a watcher for the fetches of this plan.
  bool has_watcher() const { return frame.watched_plan == &plan; }
  bool has_one_program() const { return bound.programs.size() == 1; }
  BoundProgram& program(int32_t number) const { return *bound.programs[static_cast<size_t>(number)]; }
  const Transfer& transfer(int32_t number) const { return plan.transfers[static_cast<size_t>(number)]; }

  // Ends the run. The first status is the one that is reported.
  void fail(Status status);
  // The status of fail(), or OK. Not thread-safe.
  const Status& status() const { return status_; }

 private:
  bool has_streams_ = false;
  std::mutex mutex_;  // guards status_ while programs run
  Status status_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_EXECUTION_H_
