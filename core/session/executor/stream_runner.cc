#include "core/session/executor/stream_runner.h"

#include <algorithm>

#include "core/base/thread_pool.h"
#include "core/session/executor/host_runner.h"
#include "core/session/executor/kernel_call.h"
#include "core/session/executor/transfers.h"

namespace percale {
namespace {

// The operands of the instructions [begin, end).
std::span<void* const> operands_of(const BoundProgram& p, int32_t begin, int32_t end) {
  const auto& instructions = p.program().instructions;
  const size_t first = instructions[static_cast<size_t>(begin)].first_operand;
  const auto last = static_cast<size_t>(end) - 1;
  const size_t behind = instructions[last].first_operand + p.stream->instructions[last].operands;
  return std::span(p.table.operands).subspan(first, behind - first);
}

// Called on a thread of the device that borrows the kernel. After an error the remaining kernels
// are skipped, so that the context keeps the first one.
void run_on_device_thread(const void* state, const percale_launch* launch) {
  const auto& instruction = *static_cast<const StreamInstruction*>(state);
  BoundProgram& p = *instruction.program;
  const auto ended = [&] {
    return p.context.error.load(std::memory_order_relaxed) != 0 || p.context.cancelled.load(std::memory_order_relaxed);
  };
  if (ended()) return;
  Execution& run = *p.run;
  if (run.frame.should_stop()) {
    p.context.cancelled = true;
    return run.signal.fail();
  }
  const FloatMode mode;
  const auto number = static_cast<size_t>(instruction.number);
  if (run.frame.watched()) p.stream->begun[number] = now_ns();
  call_kernel(p, p.program().instructions[number], *launch);
  if (!ended()) return;
  p.stream->failed_at = instruction.number;
  run.signal.fail();
}

// An instruction of a stream ends when the next one may begin. Its span then holds the delays of
// the device too.
void note_end(BoundProgram& p, int32_t instruction) {
  if (p.device().api().stream_signal == nullptr || instruction < 0 || instruction >= p.size()) return;
  StreamProgram& stream = *p.stream;
  const int64_t end = now_ns(), begin = std::max(stream.begun[static_cast<size_t>(instruction)], stream.last_end);
  stream.last_end = end;
  if (p.context.error.load(std::memory_order_relaxed) != 0) return;
  const RunFrame& frame = p.run->frame;
  record_instruction(*p.placed, instruction, begin, end, frame.options.trace, frame.times);
}

// Called when the stream has reached a marker.
void on_marker(void* program, uint64_t progress, percale_code code) {
  BoundProgram& p = *static_cast<BoundProgram*>(program);
  if (code != PERCALE_OK) return p.run->signal.fail();  // drain_streams() gets the reason
  if (p.run->frame.watched()) note_end(p, static_cast<int32_t>(progress) - 1);
  p.progress.store(static_cast<int32_t>(progress), std::memory_order_release);
  p.run->signal.wake();
}

}  // namespace

bool StreamRunner::fail(Status status) {
  run_.fail(std::move(status));
  return true;
}

bool StreamRunner::advance() {
  const bool moved = enqueue_all();
  if (!run_.has_watcher() || run_.signal.failed()) return moved;
  return tell_watcher(run_, p_, p_.progress.load(std::memory_order_acquire)) || moved;
}

bool StreamRunner::enqueue_all() {
  const int32_t end = p_.size(), begin = stream_.enqueued;
  if (begin > end) return false;
  while (stream_.enqueued < end) {
    const int32_t i = stream_.enqueued;
    if (!receive_before(run_, p_, i)) return i > begin;
    if (run_.frame.should_stop()) return fail(run_.frame.stop_reason());
    if (run_.signal.failed()) return true;
    const Result<int32_t> next = enqueue_from(i);
    if (!next.ok()) return fail(next.status());
    if (Status status = enqueue_copies(*next); !status.ok()) return fail(std::move(status));
    stream_.enqueued = *next;
  }
  if (!receive_before(run_, p_, end)) return end > begin;
  Status status = finish_outputs(run_, p_);
  if (status.ok()) status = enqueue_copies(end + 1);
  if (!status.ok()) return fail(std::move(status));
  stream_.enqueued = end + 1;
  return true;
}

// Enqueues an instruction, or the segment that begins with it. Returns the number of the next one.
Result<int32_t> StreamRunner::enqueue_from(int32_t i) {
  auto& segments = stream_.segments_now();
  size_t& next = stream_.next_segment;
  while (next < segments.size() && segments[next].begin() < i) ++next;
  // A watched run needs the time of each instruction.
  if (next < segments.size() && segments[next].begin() == i && !run_.frame.watched()) {
    PERCALE_ASSIGN_OR_RETURN(const bool replayed, replay(segments[next]));
    if (replayed) return segments[next].end();
  }
  PERCALE_RETURN_IF_ERROR(enqueue(i));
  return i + 1;
}

// Enqueues a segment as one piece. Returns false if it must be enqueued one by one.
Result<bool> StreamRunner::replay(CapturedSegment& segment) {
  CapturedSegment::Capture* const found = segment.find(operands_of(p_, segment.begin(), segment.end()));
  if (found == nullptr) return false;
  if (found->work.get() == nullptr) {
    PERCALE_RETURN_IF_ERROR(capture(segment, *found));
    if (found->work.get() == nullptr) return segment.refuse(), false;
  }
  const Device& d = p_.device();
  PERCALE_RETURN_IF_ERROR(
      from_c(d.api().replay(p_.stream_handle(), found->work.get(), &p_.context)).with_context(d.name()));
  return true;
}

// Leaves `capture.work` null if the device cannot capture these instructions.
Status StreamRunner::capture(CapturedSegment& segment, CapturedSegment::Capture& capture) {
  const Device& d = p_.device();
  PERCALE_RETURN_IF_ERROR(from_c(d.api().capture_begin(p_.stream_handle())).with_context(d.name()));
  Status enqueued;
  for (int32_t i = segment.begin(); i < segment.end() && enqueued.ok(); ++i) enqueued = enqueue(i);
  void* work = nullptr;
  Status ended = from_c(d.api().capture_end(p_.stream_handle(), &work)).with_context(d.name());
  DeviceCapture owner(d, work);
  PERCALE_RETURN_IF_ERROR(std::move(enqueued));
  PERCALE_RETURN_IF_ERROR(std::move(ended));
  capture.work = std::move(owner);
  return {};
}

Status StreamRunner::enqueue(int32_t i) {
  const auto number = static_cast<size_t>(i);
  if (run_.frame.watched()) stream_.begun[number] = now_ns();
  if (p_.placed->executable != nullptr) return call_partition(p_);
  const Device& d = p_.device();
  const Instruction& instruction = p_.program().instructions[number];
  const percale_launch launch = launch_of(p_, instruction);
  if (d.api().launch != nullptr) {
    const StreamInstruction& state = stream_.instructions[number];
    return from_c(d.api().launch(p_.stream_handle(), &run_on_device_thread, &state, &launch, state.operands))
        .with_context(d.name());
  }
  p_.context.mark = i;
  call_kernel(p_, instruction, launch);  // the kernel enqueues its work
  return p_.context.error.load(std::memory_order_relaxed) != 0 ? kernel_error(p_, i) : Status();
}

// Enqueues the copies that become possible with `progress`, and tells those who wait for it.
Status StreamRunner::enqueue_copies(int32_t progress) {
  for (; stream_.next_send < stream_.sends.size(); ++stream_.next_send) {
    const StreamCopy& send = stream_.sends[stream_.next_send];
    if (send.after > progress) break;
    std::byte* const to = run_.bound.staging[static_cast<size_t>(send.to)].data;
    PERCALE_RETURN_IF_ERROR(
        copy_from_output(run_, p_, static_cast<size_t>(send.output), to, run_.transfer(send.to).bytes));
  }
  for (; stream_.next_result_copy < stream_.result_copies.size(); ++stream_.next_result_copy) {
    const StreamCopy& copy = stream_.result_copies[stream_.next_result_copy];
    if (copy.after > progress) break;
    const Tensor& result = run_.results[static_cast<size_t>(copy.to)];
    if (!result.defined()) continue;
    PERCALE_RETURN_IF_ERROR(
        copy_from_output(run_, p_, static_cast<size_t>(copy.output), result.data(), result.bytes()));
  }
  return enqueue_marker(progress);
}

// True if the watcher can be told of fetches with `progress`, but not before.
bool StreamRunner::reach_early(int32_t progress) {
  const size_t begin = stream_.next_marked;
  while (stream_.next_marked < p_.early.size() && p_.early[stream_.next_marked].after <= progress) {
    ++stream_.next_marked;
  }
  return run_.has_watcher() && stream_.next_marked > begin;
}

// Enqueues a marker if someone waits for `progress`: another program, or the run's watcher. A run
// whose times are recorded wants one behind each instruction. A device without markers is drained
// for other programs.
Status StreamRunner::enqueue_marker(int32_t progress) {
  const Device& d = p_.device();
  const bool has_markers = d.api().stream_signal != nullptr;
  const bool awaited = p_.sync.reach(progress), early = reach_early(progress);
  if (!awaited && !(has_markers && (early || run_.frame.watched()))) return {};
  if (has_markers) {
    return from_c(d.api().stream_signal(p_.stream_handle(), &on_marker, &p_, static_cast<uint64_t>(progress)))
        .with_context(d.name());
  }
  PERCALE_RETURN_IF_ERROR(from_c(d.api().stream_synchronize(p_.stream_handle())).with_context(d.name()));
  on_marker(&p_, static_cast<uint64_t>(progress), PERCALE_OK);
  return {};
}

void drain_streams(Execution& run) {
  for (auto& p : run.bound.programs) {
    if (run.signal.failed() && p->has_stream()) p->context.cancelled = true;
  }
  for (auto& p : run.bound.programs) {
    if (!p->has_stream()) continue;
    const Device& d = p->device();
    Status status = from_c(d.api().stream_synchronize(p->stream_handle())).with_context(d.name());
    if (p->context.error.load() != 0) run.fail(kernel_error(*p, p->stream->failed_at.load()));
    if (!status.ok()) run.fail(std::move(status));
  }
  if (run.signal.failed() && run.status().ok()) run.fail(run.frame.stop_reason());
}

}  // namespace percale
