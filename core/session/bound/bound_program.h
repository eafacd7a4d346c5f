// A program with its memory and tables of operands, which one run after the other uses.
#ifndef PERCALE_CORE_SESSION_BOUND_BOUND_PROGRAM_H_
#define PERCALE_CORE_SESSION_BOUND_BOUND_PROGRAM_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/compile/plan.h"
#include "core/engine/device_handle.h"
#include "core/engine/device_store.h"
#include "core/session/bound/captured_segment.h"

namespace percale {

struct BoundProgram;
class Execution;  // core/session/executor/execution.h

// An operand whose address differs from run to run.
struct Patch {
  uint32_t position;  // in OperandTable::operands
  Operand operand;
};

// The addresses that instructions read and write.
struct OperandTable {
  std::vector<void*> operands;  // of all instructions, one after the other
  std::vector<Patch> patches;
  std::vector<void*> constants;
  std::vector<void*> inputs, outputs;
  // Buffers of the program for inputs and outputs; null where the memory comes from elsewhere.
  std::vector<void*> own_inputs, own_outputs;
};

// The program waits before instruction `at` until program `from` has reached `progress`.
struct Wait {
  int32_t at, transfer, from, progress;
  bool kept;  // the value has a StoreKey, so the device may have it already
};

// The points at which programs wait for each other. Progress counts the instructions that are done;
// it is one more than their number when the copies of the program are done too.
struct SyncPoints {
  std::vector<Wait> waits;       // by instruction
  std::vector<int32_t> awaited;  // progress that others wait for; ascending
  // Positions of the run under way.
  size_t next_wait = 0, next_awaited = 0;

  // True if instruction `i` needs a transfer that has not been received.
  bool waits_before(int32_t i) const { return next_wait < waits.size() && waits[next_wait].at <= i; }
  // True if `progress` is the first to reach an awaited value.
  bool reach(int32_t progress) {
    bool hit = false;
    for (; next_awaited < awaited.size() && awaited[next_awaited] <= progress; ++next_awaited) hit = true;
    return hit;
  }
};

// A fetch that has its final contents once `after` instructions are done. `kept`: the output that
// stays on the device; -1: the contents are in the host's memory.
struct EarlyFetch {
  int32_t after, fetch, kept;
};

// Once `after` instructions are done, an output is copied from the device to transfer or result
// `to`.
struct StreamCopy {
  int32_t after, output, to;
};

// The state that a device's own thread needs to run one instruction.
struct StreamInstruction {
  BoundProgram* program;
  int32_t number;
  uint32_t operands;
};

// The additional state of a program whose device works from a stream.
struct StreamProgram {
  std::vector<StreamInstruction> instructions;
  std::vector<StreamCopy> sends, result_copies;  // both by `after`
  std::vector<CapturedSegment> segments;
  std::vector<CapturedSegment> long_segments;  // of runs that find the device with all variables

  // The run under way.
  int32_t enqueued = 0;  // as progress: what the stream was given
  size_t next_send = 0, next_result_copy = 0, next_segment = 0, next_marked = 0;
  bool has_variables = false;
  std::vector<int64_t> begun;          // ns per instruction, if the run is watched
  int64_t last_end = 0;                // ns, of the instruction before
  std::atomic<int32_t> failed_at{-1};  // the instruction that set the error

  DeviceStream stream;  // declared last, so it is destroyed before the captures of the segments

  std::vector<CapturedSegment>& segments_now() { return has_variables ? long_segments : segments; }
};

struct BoundProgram {
  const PlacedProgram* placed = nullptr;
  DeviceMemory arena;
  std::vector<DeviceMemory> buffers;  // of own inputs, own outputs and constants
  OperandTable table;
  SyncPoints sync;
  std::vector<EarlyFetch> early;  // by `after`

  // The run under way.
  size_t next_early = 0;
  std::vector<DeviceStore::Copy*> read, made;  // borrowed per input and output; null: none
  RunContext context;
  Execution* run = nullptr;
  std::atomic<int32_t> progress{0};
  std::atomic<bool> claimed{false};  // by a thread that advances the program

  // Null if the device has no streams. Declared last, so it is destroyed before the memory it uses.
  std::unique_ptr<StreamProgram> stream;

  const Device& device() const { return *placed->device; }
  const Program& program() const { return *placed->program; }
  int32_t size() const { return static_cast<int32_t>(program().instructions.size()); }
  bool shares_host_memory() const { return device().shares_host_memory(); }
  bool has_stream() const { return stream != nullptr; }
  // The device's handle of the stream; null if there is none.
  void* stream_handle() const { return stream == nullptr ? nullptr : stream->stream.get(); }
  bool is_done() const { return progress.load(std::memory_order_acquire) > size(); }
};

// Allocates the memory of the program and fills in what does not change from run to run.
// `p.placed` must be one of `plan.programs`.
Status bind_program(const Plan& plan, BoundProgram& p);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_BOUND_BOUND_PROGRAM_H_
