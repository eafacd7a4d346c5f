// Runs a program instruction by instruction on the calling thread.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_HOST_RUNNER_H_
#define PERCALE_CORE_SESSION_EXECUTOR_HOST_RUNNER_H_

#include "core/session/executor/execution.h"

namespace percale {

// For a program whose device has no streams. Used by one thread at a time.
class HostRunner {
 public:
  HostRunner(Execution& run, BoundProgram& program) : run_(run), p_(program) {}
  // Runs until an instruction would have to wait. Returns true if it did something.
  bool advance();

 private:
  // Runs an instruction that is watched, or the partition that the device has compiled.
  Status execute(int32_t instruction);
  // Ends the run, and returns true: something was done.
  bool stop();
  bool fail(Status status);

  Execution& run_;
  BoundProgram& p_;
};

// Copies outputs that lie elsewhere to where they belong, once all instructions are done.
Status finish_outputs(const Execution& run, BoundProgram& p);

// Tells the run's watcher of the fetches that are there with `progress`. Returns true if there was
// one.
bool tell_watcher(Execution& run, BoundProgram& p, int32_t progress);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_HOST_RUNNER_H_
