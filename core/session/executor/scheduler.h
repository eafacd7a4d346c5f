// Advances the programs of a run on as many threads as they can use.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_SCHEDULER_H_
#define PERCALE_CORE_SESSION_EXECUTOR_SCHEDULER_H_

#include "core/session/executor/execution.h"

namespace percale {

// Used once per run.
class Scheduler {
 public:
  explicit Scheduler(Execution& run) : run_(run) {}
  // Returns when all programs are done or the run has failed. Streams may still be working.
  void run_all();

 private:
  void work();
  bool advance_all(bool streams, bool* open);
  bool advance(BoundProgram& p);

  Execution& run_;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_SCHEDULER_H_
