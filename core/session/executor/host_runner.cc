#include "core/session/executor/host_runner.h"

#include <cstring>
#include <utility>

#include "core/session/executor/kernel_call.h"
#include "core/session/executor/operands.h"
#include "core/session/executor/transfers.h"

namespace percale {

// A run that is not watched calls its kernels here, all others call them in execute(): the loop is
// short, so that a small kernel costs little more than itself.
bool HostRunner::advance() {
  const int32_t end = p_.size(), begin = p_.progress.load(std::memory_order_relaxed);
  const bool alone = run_.has_one_program(), has_watcher = run_.has_watcher();
  const bool is_plain = p_.placed->executable == nullptr && !run_.frame.watched();
  const uint64_t seen = run_.signal.changes();
  const Instruction* const instructions = p_.program().instructions.data();
  for (int32_t i = begin; i <= end; ++i) {
    if (!receive_before(run_, p_, i)) return i > begin;
    if (i == end) break;
    if (run_.frame.should_stop()) return stop();
    if (is_plain) {
      call_kernel(p_, instructions[i], launch_of(p_, instructions[i]));
    } else if (Status status = execute(i); !status.ok()) {
      return fail(std::move(status));
    }
    if (p_.context.error.load(std::memory_order_relaxed) != 0) return fail(kernel_error(p_, i));
    if (p_.context.cancelled.load(std::memory_order_relaxed)) return stop();
    if (std::exchange(p_.context.again, false)) return i > begin;
    p_.progress.store(i + 1, std::memory_order_release);
    if (has_watcher) tell_watcher(run_, p_, i + 1);
    if (alone) continue;
    if (p_.sync.reach(i + 1)) run_.signal.wake();
    if (run_.signal.failed()) return true;
    // A stream may have run dry meanwhile, and this thread may be the only one to feed it.
    if (run_.has_streams() && run_.signal.changes() != seen) return true;
  }
  if (Status status = finish_outputs(run_, p_); !status.ok()) return fail(std::move(status));
  p_.progress.store(end + 1, std::memory_order_release);
  if (!alone) run_.signal.wake();
  return true;
}

bool HostRunner::stop() { return fail(run_.frame.stop_reason()); }

bool HostRunner::fail(Status status) {
  run_.fail(std::move(status));
  return true;
}

Status HostRunner::execute(int32_t i) {
  const RunFrame& frame = run_.frame;
  const int64_t begin = frame.watched() ? now_ns() : 0;
  if (p_.placed->executable != nullptr) {
    PERCALE_RETURN_IF_ERROR(call_partition(p_));
  } else {
    const Instruction& instruction = p_.program().instructions[static_cast<size_t>(i)];
    call_kernel(p_, instruction, launch_of(p_, instruction));
  }
  if (frame.watched()) record_instruction(*p_.placed, i, begin, now_ns(), frame.options.trace, frame.times);
  return {};
}

bool tell_watcher(Execution& run, BoundProgram& p, int32_t progress) {
  const size_t begin = p.next_early;
  for (; p.next_early < p.early.size() && p.early[p.next_early].after <= progress; ++p.next_early) {
    const EarlyFetch& early = p.early[p.next_early];
    run.frame.told = true;
    DeviceStore::Copy* const kept = early.kept < 0 ? nullptr : p.made[static_cast<size_t>(early.kept)];
    run.frame.options.watcher->ready(static_cast<size_t>(early.fetch), kept);
  }
  return p.next_early > begin;
}

Status finish_outputs(const Execution& run, BoundProgram& p) {
  const Program& program = p.program();
  const bool on_host = p.shares_host_memory();
  for (const ProgramCopy& copy : program.copies) {
    if (!on_host) break;
    void* to = operand_address(run, p, copy.to);
    const void* from = operand_address(run, p, copy.from);
    if (to != nullptr && to != from && copy.bytes > 0) std::memcpy(to, from, static_cast<size_t>(copy.bytes));
  }
  if (p.has_stream()) return {};  // the stream copies its results
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    const auto& results = p.placed->part.outputs[k].results;
    // On the host the program writes the first result itself.
    for (size_t r = on_host ? 1 : 0; r < results.size(); ++r) {
      const Tensor& result = run.results[static_cast<size_t>(results[r])];
      if (!result.defined()) continue;
      if (on_host) {
        std::memcpy(result.data(), p.table.outputs[k], static_cast<size_t>(result.bytes()));
      } else {
        PERCALE_RETURN_IF_ERROR(copy_from_output(run, p, k, result.data(), result.bytes()));
      }
    }
  }
  return {};
}

}  // namespace percale
