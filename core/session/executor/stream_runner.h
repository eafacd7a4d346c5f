// Feeds a program to the stream of its device, ahead of the device's work.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_STREAM_RUNNER_H_
#define PERCALE_CORE_SESSION_EXECUTOR_STREAM_RUNNER_H_

#include "core/session/executor/execution.h"

namespace percale {

// For a program whose device has streams. Used by one thread at a time.
class StreamRunner {
 public:
  StreamRunner(Execution& run, BoundProgram& program) : run_(run), p_(program), stream_(*program.stream) {}
  // Enqueues instructions and copies until one would have to wait. Then tells the run's watcher how
  // far the device has come. Returns true if it did something.
  bool advance();

 private:
  bool enqueue_all();
  Result<int32_t> enqueue_from(int32_t instruction);
  Result<bool> replay(CapturedSegment& segment);
  Status capture(CapturedSegment& segment, CapturedSegment::Capture& capture);
  Status enqueue(int32_t instruction);
  Status enqueue_copies(int32_t progress);
  bool reach_early(int32_t progress);
  Status enqueue_marker(int32_t progress);
  bool fail(Status status);

  Execution& run_;
  BoundProgram& p_;
  StreamProgram& stream_;
};

// Waits until all streams of the run are empty. Then the errors of their kernels are known.
void drain_streams(Execution& run);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_STREAM_RUNNER_H_
