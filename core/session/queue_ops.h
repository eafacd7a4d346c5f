// Carries out the ops on queues and mutexes, between the programs of a run.
#ifndef PERCALE_CORE_SESSION_QUEUE_OPS_H_
#define PERCALE_CORE_SESSION_QUEUE_OPS_H_

#include <vector>

#include "core/session/context/run_frame.h"

namespace percale {

// How a run waits: woken by its cancel tokens, at most until its deadline, without a place among the runs that compute.
class RunWaiter final : public Waiter {
 public:
  // Borrows the frame.
  explicit RunWaiter(const RunFrame& frame) : frame_(frame) {}
  Status stop_reason() const override { return frame_.stop_reason(); }
  int64_t deadline_ns() const override { return frame_.options.deadline_ns; }
  Status begin(Waker& waker) override;
  void end(Waker& waker) override;

 private:
  void detach(Waker& waker);
  const RunFrame& frame_;
};

// The outputs of a node of such an op. Inputs are copied into memory of the frame where they are kept.
Result<std::vector<Tensor>> run_queue_op(const Node& node, const std::vector<Tensor>& inputs, RunFrame& frame);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_QUEUE_OPS_H_
