// The ops on queues and mutexes, which run between the programs of a run.
#ifndef PERCALE_CORE_SESSION_QUEUE_OPS_H_
#define PERCALE_CORE_SESSION_QUEUE_OPS_H_

#include <vector>

#include "core/session/context/run_frame.h"

namespace percale {

// A run that waits gives its slot away. Its cancellation tokens and its deadline wake it.
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

// The outputs of a node of such an op. Inputs that are kept are copied into memory of the frame.
Result<std::vector<Tensor>> run_queue_op(const Node& node, const std::vector<Tensor>& inputs, RunFrame& frame);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_QUEUE_OPS_H_
