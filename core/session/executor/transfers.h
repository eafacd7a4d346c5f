// Moves values between programs, and between the host and devices with memory of their own.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_TRANSFERS_H_
#define PERCALE_CORE_SESSION_EXECUTOR_TRANSFERS_H_

#include "core/session/executor/execution.h"

namespace percale {

// Copies host memory to the program's own buffer of an input. Has ended on return, or is enqueued
// on the program's stream.
Status copy_to_input(BoundProgram& p, size_t input, const void* from, int64_t bytes);
// Copies an output that is ready to host memory. Has ended on return, or is enqueued on the stream.
Status copy_from_output(const Execution& run, const BoundProgram& p, size_t output, void* to, int64_t bytes);

// The part of receive_before() for an instruction that needs a transfer.
bool receive_awaited(Execution& run, BoundProgram& p, int32_t i);
// Receives the transfers that instruction `i` needs. Returns false if one of them is not there yet,
// or if the run has failed.
inline bool receive_before(Execution& run, BoundProgram& p, int32_t i) {
  return !p.sync.waits_before(i) || receive_awaited(run, p, i);
}

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_TRANSFERS_H_
