// Calls the kernels of a program.
#ifndef PERCALE_CORE_SESSION_EXECUTOR_KERNEL_CALL_H_
#define PERCALE_CORE_SESSION_EXECUTOR_KERNEL_CALL_H_

#include <cstddef>
#include <new>

#include "core/session/executor/execution.h"

namespace percale {

inline percale_launch launch_of(BoundProgram& p, const Instruction& instruction) {
  auto* const arena = static_cast<std::byte*>(p.arena.get());
  return {p.table.operands.data() + instruction.first_operand,
          instruction.scratch_offset < 0 ? nullptr : arena + instruction.scratch_offset, p.stream_handle(), &p.context};
}

// Calls the kernel. Errors are noted in the program's context.
inline void call_kernel(BoundProgram& p, const Instruction& instruction, const percale_launch& launch) {
  try {
    instruction.run(instruction.state, &launch);
  } catch (const std::bad_alloc&) {
    p.context.fail(RunError::kOutOfMemory, 0);
  }
}

// Runs a partition that the device has compiled as a whole, or enqueues it on the stream.
Status call_partition(const BoundProgram& p);

// The status of the error in the program's context. `instruction`: where it happened; -1: the
// context may know.
Status kernel_error(const BoundProgram& p, int32_t instruction);

// RunContext::parallel of a program `p`. Each piece first checks that the run should go on, so that
// cancelling takes no longer than the pieces that are already running.
void stoppable_loop(void* p, int64_t pieces, ParallelFor::Body body, void* arg);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_EXECUTOR_KERNEL_CALL_H_
