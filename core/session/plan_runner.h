// Runs a plan: its programs, then its control nodes, then the rest of its function.
#ifndef PERCALE_CORE_SESSION_PLAN_RUNNER_H_
#define PERCALE_CORE_SESSION_PLAN_RUNNER_H_

#include <span>
#include <vector>

#include "core/session/context/run_frame.h"
#include "core/session/session_state.h"

namespace percale {

// One per run. Bodies of control nodes and rests are plans that run inside the run.
class PlanRunner {
 public:
  PlanRunner(SessionState& session, RunFrame& frame) : session_(session), frame_(frame) {}

  // kAllowed: outputs that the caller has not allocated may share the memory of feeds and
  // variables.
  enum class Sharing : bool { kNo, kAllowed };
  // Writes to the outputs that are defined, and makes new tensors for the others. `handed`: as
  // RunFrame::handed.
  Status run_plan(const Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> outputs, Sharing sharing,
                  std::span<DeviceStore::Copy* const> handed = {});

  // Runs a control node. `inputs` were computed from version `version` of the variables.
  Result<std::vector<Tensor>> run_control_node(const ControlNode& control, const std::vector<Tensor>& inputs,
                                               int64_t version);

  SessionState& session() const { return session_; }
  RunFrame& frame() const { return frame_; }

 private:
  Result<std::vector<Tensor>> call_function(const RunSpec& spec, std::span<const Tensor> feeds);
  Result<std::vector<Tensor>> call_body(const ControlNode& control, const Function& body,
                                        std::span<const Tensor> arguments, int64_t version);

  SessionState& session_;
  RunFrame& frame_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_PLAN_RUNNER_H_
