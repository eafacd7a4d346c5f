// What a run of a plan needs that outlives it: memory, and tables of operands that do not change from run to run.
#ifndef PERCALE_CORE_SESSION_BOUND_RUN_H_
#define PERCALE_CORE_SESSION_BOUND_RUN_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/compile/plan.h"
#include "core/engine/device_handle.h"
#include "core/engine/device_store.h"
#include "core/session/captured_segment.h"

namespace percale {

struct RunFrame;  // core/session/executor.h

// An operand whose address differs from run to run.
struct Patch {
  uint32_t position;
  Operand operand;
};

// Instruction `at` waits until the part that sends has come this far.
struct Wait {
  int32_t at, transfer, from, progress;
  bool kept;  // a variable, or what is precomputed from some, that the device may have already
};

// An output that leaves a queue for the staging memory of a transfer when so many instructions are done.
struct Send {
  int32_t after, output, transfer;
};

// An output that leaves a queue for a result of the run when so many instructions are done.
struct Leave {
  int32_t after, output, result;
};

struct BoundProgram;

// What a queue is given to run.
struct StreamInstruction {
  BoundProgram* program;
  int32_t number;
  uint32_t operands;
};

class RunSignal;  // core/session/run_signal.h

struct BoundProgram {
  const PlacedProgram* placed = nullptr;
  DeviceMemory arena;
  std::vector<DeviceMemory> buffers;  // inputs, outputs and constants of a device with memory of its own; transfers
  std::vector<void*> operands;        // of all instructions
  std::vector<Patch> patches;
  std::vector<Wait> waits;  // by instruction
  std::vector<int32_t>
      awaited;  // the states of progress that other programs, or the end of the run, wait for; ascending
  std::vector<void*> constants;
  std::vector<void*> inputs, outputs;          // as instructions see them
  std::vector<void*> own_inputs, own_outputs;  // buffers that stand in for them, null where there is none
  // Of the run under way, null where there is none: what stands in for variables, and for their next values.
  std::vector<DeviceStore::Copy*> read, made;
  RunContext context;
  const RunFrame* frame = nullptr;   // of the run under way: its loops ask it whether to stop
  RunSignal* signal = nullptr;       // of the run under way
  std::atomic<int32_t> progress{0};  // instructions done; one more when the copies are done as well
  std::atomic<bool> claimed{false};
  size_t next_wait = 0, next_awaited = 0;

  // Of a device with queues alone.
  std::vector<StreamInstruction> queued;
  std::vector<int64_t> begun;  // ns, per instruction, in a run that is watched
  int64_t last_end = 0;        // ns, of the instruction before
  std::vector<Send> sends;     // by `after`
  int32_t enqueued = 0;        // as progress, of what the queue was given
  size_t next_send = 0;
  std::vector<Leave> leaves;  // by `after`
  size_t next_leave = 0;
  // Ascending; `long_segments` of runs that find the device with all variables, so that none comes while they are under way.
  std::vector<CapturedSegment> segments, long_segments;
  bool has_variables = false;  // of the run under way
  size_t next_segment = 0;
  std::atomic<int32_t> failed_at{-1};  // the instruction that set the error word
  DeviceStream stream;                 // the first to go

  bool shares_host_memory() const { return placed->device->shares_host_memory(); }
  bool has_stream() const { return stream.get() != nullptr; }
  std::vector<CapturedSegment>& segments_now() { return has_variables ? long_segments : segments; }
  // Of instructions `begin` to `end`.
  std::span<void* const> operands_of(int32_t begin, int32_t end) const {
    const auto first = placed->program->instructions[static_cast<size_t>(begin)].first_operand;
    const StreamInstruction& last = queued[static_cast<size_t>(end) - 1];
    const auto behind = placed->program->instructions[static_cast<size_t>(end) - 1].first_operand + last.operands;
    return std::span(operands).subspan(static_cast<size_t>(first), static_cast<size_t>(behind - first));
  }
  int32_t size() const { return static_cast<int32_t>(placed->program->instructions.size()); }
};

// Host memory, aligned as kernels want it: of the device that copies there where that has some, else plain.
struct Staging {
  std::vector<std::byte> memory;
  PinnedMemory pinned;
  std::byte* data = nullptr;
};

struct BoundRun final : IdleRun {
  explicit BoundRun(std::shared_ptr<MemoryPool> pool) : memory(std::move(pool)) {}
  ~BoundRun() override {
    if (booked > 0) memory->unbook(booked);
  }
  BoundRun(const BoundRun&) = delete;
  BoundRun& operator=(const BoundRun&) = delete;

  std::shared_ptr<MemoryPool> memory;
  int64_t booked = 0;  // what devices have allocated for the session
  std::vector<std::unique_ptr<BoundProgram>> programs;
  // Per transfer between devices of unlike memory. What leaves a queue for several of them leaves it once: the later ones have null.
  std::vector<Staging> staging;
};

// Books and makes all of it.
Result<std::unique_ptr<BoundRun>> bind_run(const Plan& plan, const std::shared_ptr<MemoryPool>& memory);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_BOUND_RUN_H_
