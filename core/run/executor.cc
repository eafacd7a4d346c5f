#include "core/run/executor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/run/bound_run.h"
#include "core/run/run_signal.h"

namespace percale {

bool RunFrame::should_stop() const {
  return (session_cancel != nullptr && session_cancel->cancelled()) ||
         (options.cancel != nullptr && options.cancel->cancelled()) ||
         (options.deadline_ns >= 0 && now_ns() >= options.deadline_ns);
}

Status RunFrame::stop_reason() const {
  if (!should_stop()) return {};
  const bool cancelled = (session_cancel != nullptr && session_cancel->cancelled()) ||
                         (options.cancel != nullptr && options.cancel->cancelled());
  if (cancelled) return Status(Code::kCancelled, "the run was cancelled; nothing was assigned");
  return Status(Code::kDeadlineExceeded, "the run's deadline has passed; nothing was assigned");
}

namespace {

bool shares(const BoundProgram& p) { return p.shares_host_memory(); }

class ProgramRun {
 public:
  ProgramRun(const Compiled& compiled, Engine& engine, RunFrame& frame, BoundRun& bound, std::span<const Tensor> feeds,
             std::span<const Tensor> results)
      : compiled_(compiled), engine_(engine), frame_(frame), bound_(bound), feeds_(feeds), results_(results) {}

  Status run() {
    const Visit visit(frame_.options.meeting, signal_);
    Status started;
    for (auto& p : bound_.programs) {
      queues_ = queues_ || p->is_queued();
      if (started.ok()) started = start(*p);
    }
    for (auto& p : bound_.programs) {
      if (started.ok()) take_kept(*p);
    }
    if (!started.ok()) {
      fail(std::move(started));
    } else if (bound_.programs.size() == 1 && !queues_ && frame_.options.meeting == nullptr) {
      advance(*bound_.programs[0]);
    } else {
      schedule();
    }
    if (queues_) drain();
    give_back_copies();
    PERCALE_RETURN_IF_ERROR(std::move(status_));
    publish();
    return {};
  }

 private:
  // While it lives, others of the batch wake the run.
  struct Visit {
    Visit(ShardMeeting* where, RunSignal& who) : meeting(where), signal(who) {
      if (meeting != nullptr) meeting->enter(signal);
    }
    ~Visit() {
      if (meeting != nullptr) meeting->leave(signal);
    }
    ShardMeeting* const meeting;
    RunSignal& signal;
  };

  // A thread's among those that compute for the batch.
  class Place {
   public:
    explicit Place(ShardMeeting* meeting) : meeting_(meeting) { take(); }
    ~Place() { leave(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    void take() {
      if (meeting_ == nullptr || held_) return;
      meeting_->begin_work();
      held_ = true;
    }
    void leave() {
      if (held_) meeting_->end_work();
      held_ = false;
    }

   private:
    ShardMeeting* const meeting_;
    bool held_ = false;
  };

  // Points the operands that differ from run to run at this run's memory.
  Status start(BoundProgram& p) {
    const Program& program = *p.placed->program;
    const Part& part = p.placed->part;
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      if (part.inputs[i].kind != PartInput::Kind::kFeed) continue;
      const Tensor& feed = feeds_[static_cast<size_t>(part.inputs[i].index)];
      if (shares(p)) {
        p.inputs[i] = feed.data();
      } else if (const int32_t number = p.placed->input_variable[i]; number >= 0) {
        const VariableVersion version = version_of(number, nullptr);
        p.read[i] = frame_.device_variables->find(*p.placed->device, number, version);
        if (p.read[i] == nullptr && feed.defined()) {
          PERCALE_ASSIGN_OR_RETURN(
              p.read[i], frame_.device_variables->read(*p.placed->device, number, version, feed.data(), feed.bytes()));
        }
        if (p.read[i] == nullptr) return internal_error(p.placed->device->name(), " lacks what it was to be given");
        p.inputs[i] = DeviceVariables::data(*p.read[i]);
      } else {
        PERCALE_RETURN_IF_ERROR(copy_in(p, i, feed.data(), feed.bytes()));
      }
    }
    for (size_t k = 0; k < part.outputs.size(); ++k) {
      if (shares(p) && !part.outputs[k].results.empty()) {
        p.outputs[k] = results_[static_cast<size_t>(part.outputs[k].results[0])].data();
      }
      if (const int32_t variable = p.placed->output_variable[k]; variable >= 0) {
        const ValueType& type = program.outputs[k];
        PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(type.dtype, type.shape));
        PERCALE_ASSIGN_OR_RETURN(p.made[k], frame_.device_variables->make(*p.placed->device, variable, bytes));
        p.outputs[k] = DeviceVariables::data(*p.made[k]);
      }
    }
    for (const int32_t variable : program.assigned) PERCALE_RETURN_IF_ERROR(allocate_next(variable));
    for (const Patch& patch : p.patches) p.operands[patch.position] = address(p, patch.operand);
    p.frame = &frame_;
    p.context.parallel = {&ProgramRun::guarded_loop, &p};
    p.context.clear_error();
    p.context.log = &engine_.log();
    p.context.cancelled = false;
    p.context.seed = frame_.options.seed;
    p.context.step = frame_.step;
    p.context.first_row = frame_.options.first_row;
    p.context.meeting = frame_.options.meeting;
    p.context.shard = frame_.options.shard;
    p.context.again = false;
    p.signal = &signal_;
    p.progress = 0;
    p.claimed = false;
    p.next_wait = p.next_awaited = p.next_send = p.next_leave = 0;
    p.enqueued = 0;
    p.next_stretch = 0;
    p.last_end = 0;
    p.failed_at = -1;
    return {};
  }

  // Variables that the device has come before anything begins: its program is cut only where it waits for something.
  void take_kept(BoundProgram& p) {
    p.has_variables = p.is_queued();
    if (!p.is_queued()) return;
    for (const Wait& w : p.waits) {
      if (!w.kept) continue;
      const Transfer& t = compiled_.transfers[static_cast<size_t>(w.transfer)];
      const auto input = static_cast<size_t>(t.to_input);
      const int32_t variable = p.placed->input_variable[input];
      const void* where =
          place_of(*bound_.programs[static_cast<size_t>(t.from_part)], static_cast<size_t>(t.from_output));
      auto* copy = frame_.device_variables->find(*p.placed->device, variable, version_of(variable, where));
      if (copy == nullptr) {
        p.has_variables = false;
        continue;
      }
      p.read[input] = copy;
      p.inputs[input] = DeviceVariables::data(*copy);
    }
    for (const Patch& patch : p.patches) {
      if (patch.operand.home == Home::kInput) p.operands[patch.position] = address(p, patch.operand);
    }
  }

  // Every piece asks first whether to stop, so that cancelling takes no longer than the pieces under way.
  static void guarded_loop(void* self, int64_t pieces, ParallelFor::Body body, void* arg) {
    struct Piece {
      BoundProgram* program;
      ParallelFor::Body body;
      void* arg;
    } piece{static_cast<BoundProgram*>(self), body, arg};
    const Device& device = *piece.program->placed->device;
    const ParallelFor pool = piece.program->frame->options.alone ? device.all_threads() : device.parallel();
    pool.call(
        pool.pool, pieces,
        [](void* p, int64_t i) {
          const Piece& piece = *static_cast<Piece*>(p);
          RunContext& context = piece.program->context;
          if (context.cancelled.load(std::memory_order_relaxed)) return;
          if (piece.program->frame->should_stop()) {
            context.cancelled.store(true, std::memory_order_relaxed);
            return;
          }
          piece.body(piece.arg, i);
        },
        &piece);
  }

  Status allocate_next(int32_t variable) {
    if (frame_.state.exclusive) return {};
    assigned_.resize(frame_.state.base->size());
    const Tensor& now = frame_.state.value(variable);
    auto& next = assigned_[static_cast<size_t>(variable)];
    PERCALE_ASSIGN_OR_RETURN(next, Tensor::allocate(frame_.memory, now.dtype(), now.shape()));
    return {};
  }

  void* address(const BoundProgram& p, const Operand& o) const {
    const auto i = static_cast<size_t>(o.index);
    switch (o.home) {
      case Home::kNone: return nullptr;
      case Home::kArena: return static_cast<std::byte*>(p.arena.data()) + o.index;
      case Home::kInput: return p.inputs[i];
      case Home::kOutput: return p.outputs[i];
      case Home::kConstant: return p.constants[i];
      case Home::kVariable: return frame_.state.value(o.index).data();
      case Home::kAssigned: return frame_.state.exclusive ? (*frame_.state.base)[i].data() : assigned_[i].data();
    }
    return nullptr;
  }

  // To and from a device's memory: done when they return, or, where it has queues, behind what its queue was given before.
  static Status copy_to_device(const BoundProgram& p, void* to, const void* from, size_t bytes) {
    const Device& d = *p.placed->device;
    return from_c(d.api().copy_from_host(d.handle(), p.queue.get(), to, from, bytes)).with_context(d.name());
  }
  static Status copy_in(BoundProgram& p, size_t input, const void* from, int64_t bytes) {
    return copy_to_device(p, p.own_inputs[input], from, static_cast<size_t>(bytes));
  }
  // An output that is ready is not written again.
  Status copy_out(const BoundProgram& p, size_t output, void* to, int64_t bytes) const {
    const Device& d = *p.placed->device;
    const auto copy = d.api().copy_out != nullptr && p.is_queued() ? d.api().copy_out : d.api().copy_to_host;
    return from_c(copy(d.handle(), p.queue.get(), to, place_of(p, output), static_cast<uint64_t>(bytes)))
        .with_context(d.name());
  }
  // Where an output lies once it is ready.
  void* place_of(const BoundProgram& p, size_t output) const {
    return address(p, p.placed->program->output_from[output]);
  }

  // Where a transfer from a device with memory of its own passes through the host.
  void* staging(const BoundProgram& from, const Transfer& t, size_t number) const {
    if (bound_.staging[number].data != nullptr) return bound_.staging[number].data;
    for (const Send& send : from.sends) {
      if (send.output == t.from_output) return bound_.staging[static_cast<size_t>(send.transfer)].data;
    }
    return nullptr;
  }

  // Between CPU devices the receiver reads where the sender wrote; between unlike memories the host passes the bytes on.
  Status receive(BoundProgram& to, const Transfer& t, size_t number) {
    if (t.to_input < 0) return {};
    const auto input = static_cast<size_t>(t.to_input);
    if (to.read[input] != nullptr) return {};  // it was there before
    const auto output = static_cast<size_t>(t.from_output);
    const BoundProgram& from = *bound_.programs[static_cast<size_t>(t.from_part)];
    void* where = shares(from) ? place_of(from, output) : staging(from, t, number);
    if (!shares(from) && !from.is_queued()) PERCALE_RETURN_IF_ERROR(copy_out(from, output, where, t.bytes));
    if (const int32_t variable = to.placed->input_variable[input]; variable >= 0) {
      PERCALE_ASSIGN_OR_RETURN(
          to.read[input],
          frame_.device_variables->read(*to.placed->device, variable, version_of(variable, where), where, t.bytes));
      where = DeviceVariables::data(*to.read[input]);
    } else if (!shares(to)) {
      return copy_in(to, input, where, t.bytes);
    }
    to.inputs[input] = where;
    for (const Patch& patch : to.patches) {
      if (patch.operand.home == Home::kInput && patch.operand.index == t.to_input) to.operands[patch.position] = where;
    }
    return {};
  }

  // What this run has assigned is no version that others know.
  VariableVersion version_of(int32_t variable, const void* contents) const {
    const StateFrame& state = frame_.state;
    if (variable >= DeviceVariables::kFirstPrepared) {
      const void* whose = frame_.options.state != nullptr ? nullptr : &engine_;
      return state.next.empty() ? VariableVersion{state.version, whose} : VariableVersion{};
    }
    if (variable >= DeviceVariables::kFirstGiven) return {frame_.options.given_version, nullptr};
    if (state.is_assigned(variable)) return {};
    if (frame_.options.state != nullptr && frame_.options.state_versions != nullptr) {
      return {(*frame_.options.state_versions)[static_cast<size_t>(variable)], nullptr};
    }
    return {state.version, contents};
  }

  VariableVersion next_version_of(int32_t variable) const {
    const RunOptions& options = frame_.options;
    if (!status_.ok()) return {};
    if (variable >= DeviceVariables::kFirstGiven) return {options.next_given_version, nullptr};
    return options.next_versions == nullptr ? VariableVersion{}
                                            : VariableVersion{(*options.next_versions)[static_cast<size_t>(variable)]};
  }

  // Nothing is under way any more.
  void give_back_copies() {
    for (auto& p : bound_.programs) {
      for (auto& copy : p->read) {
        if (auto* given = std::exchange(copy, nullptr)) frame_.device_variables->release(given);
      }
      for (size_t k = 0; k < p->made.size(); ++k) {
        auto* given = std::exchange(p->made[k], nullptr);
        if (given == nullptr) continue;
        frame_.device_variables->keep(given, next_version_of(p->placed->output_variable[k]));
      }
    }
  }

  void fail(Status status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
    signal_.fail();
  }

  // The transfers that stand before instruction `i`. False when one of them cannot be had yet, or the run has failed.
  bool receive_before(BoundProgram& p, int32_t i) {
    for (; p.next_wait < p.waits.size() && p.waits[p.next_wait].at <= i; ++p.next_wait) {
      const Wait& w = p.waits[p.next_wait];
      if (bound_.programs[static_cast<size_t>(w.from)]->progress.load(std::memory_order_acquire) < w.progress) {
        return false;
      }
      if (signal_.failed()) return false;  // what a queue has left out cannot be received
      const auto number = static_cast<size_t>(w.transfer);
      if (Status s = receive(p, compiled_.transfers[number], number); !s.ok()) return fail(std::move(s)), false;
    }
    return true;
  }

  // Whether `progress` is a state that somebody waits for, or lies behind one, and was not seen yet.
  static bool is_awaited(BoundProgram& p, int32_t progress) {
    bool hit = false;
    for (; p.next_awaited < p.awaited.size() && p.awaited[p.next_awaited] <= progress; ++p.next_awaited) hit = true;
    return hit;
  }

  // Does what can be done without waiting. True when something was done; then it may go on.
  bool advance(BoundProgram& p) {
    const int32_t end = p.size(), begin = p.progress.load(std::memory_order_relaxed);
    const bool alone = bound_.programs.size() == 1;
    const uint64_t seen = signal_.changes();
    for (int32_t i = begin; i <= end; ++i) {
      if (!receive_before(p, i)) return i > begin;
      if (i == end) break;
      if (frame_.should_stop()) return fail(frame_.stop_reason()), true;
      if (Status s = execute(p, i); !s.ok()) return fail(std::move(s)), true;
      if (p.context.error.load(std::memory_order_relaxed) != 0) return fail(kernel_error(p, i)), true;
      if (p.context.cancelled.load(std::memory_order_relaxed)) return fail(frame_.stop_reason()), true;
      if (std::exchange(p.context.again, false)) return i > begin;
      p.progress.store(i + 1, std::memory_order_release);
      if (alone) continue;
      if (is_awaited(p, i + 1)) signal_.wake();
      if (signal_.failed()) return true;
      // A queue may have run dry meanwhile, and who works here may be the only one to see to it.
      if (queues_ && signal_.changes() != seen) return true;
    }
    if (Status s = finish(p); !s.ok()) return fail(std::move(s)), true;
    p.progress.store(end + 1, std::memory_order_release);
    if (!alone) signal_.wake();
    return true;
  }

  // The same for a program on a queue: gives it what can be given.
  bool enqueue(BoundProgram& p) {
    const int32_t end = p.size(), begin = p.enqueued;
    for (; p.enqueued <= end; ++p.enqueued) {
      const int32_t i = p.enqueued;
      if (!receive_before(p, i)) return i > begin;
      if (i == end) break;
      if (frame_.should_stop()) return fail(frame_.stop_reason()), true;
      if (signal_.failed()) return true;
      const Result<int32_t> next = launch_from(p, i);
      if (!next.ok()) return fail(next.status()), true;
      if (Status status = send(p, *next); !status.ok()) return fail(std::move(status)), true;
      p.enqueued = *next - 1;
    }
    if (p.enqueued > end) return false;
    Status status = finish(p);
    if (status.ok()) status = send(p, end + 1);
    if (!status.ok()) return fail(std::move(status)), true;
    ++p.enqueued;
    return true;
  }

  // Instruction i, or the stretch that begins with it; the instruction behind.
  Result<int32_t> launch_from(BoundProgram& p, int32_t i) {
    auto& stretches = p.stretches_now();
    while (p.next_stretch < stretches.size() && stretches[p.next_stretch].begin() < i) ++p.next_stretch;
    // Whoever watches wants to see each instruction.
    if (p.next_stretch < stretches.size() && stretches[p.next_stretch].begin() == i && !frame_.watched()) {
      PERCALE_ASSIGN_OR_RETURN(const bool played, play(p, stretches[p.next_stretch]));
      if (played) return stretches[p.next_stretch].end();
    }
    PERCALE_RETURN_IF_ERROR(launch(p, i));
    return i + 1;
  }

  // As one piece; false where it must go instruction by instruction.
  Result<bool> play(BoundProgram& p, Stretch& stretch) {
    Stretch::Met* const met = stretch.meet(p.operands_of(stretch.begin(), stretch.end()));
    if (met == nullptr) return false;
    const Device& d = *p.placed->device;
    void* const queue = p.queue.get();
    if (met->recording.get() == nullptr) {
      PERCALE_RETURN_IF_ERROR(from_c(d.api().capture_begin(queue)).with_context(d.name()));
      Status status;
      for (int32_t i = stretch.begin(); i < stretch.end() && status.ok(); ++i) status = launch(p, i);
      void* made = nullptr;
      Status ended = from_c(d.api().capture_end(queue, &made)).with_context(d.name());
      DeviceRecording recording(d, made);
      PERCALE_RETURN_IF_ERROR(std::move(status));
      PERCALE_RETURN_IF_ERROR(std::move(ended));
      if (made == nullptr) return stretch.refuse(), false;
      met->recording = std::move(recording);
    }
    PERCALE_RETURN_IF_ERROR(from_c(d.api().replay(queue, met->recording.get(), &p.context)).with_context(d.name()));
    return true;
  }

  Status launch(BoundProgram& p, int32_t i) {
    // Of a kernel that a thread of the device runs it is known better when that begins.
    if (p.frame->watched()) p.begun[static_cast<size_t>(i)] = now_ns();
    if (p.placed->executable != nullptr) return execute_whole(p);
    const Device& d = *p.placed->device;
    const Instruction& instruction = p.placed->program->instructions[static_cast<size_t>(i)];
    const QueuedInstruction& queued = p.queued[static_cast<size_t>(i)];
    const percale_launch launch = launch_of(p, instruction);
    if (d.api().launch != nullptr) {
      return from_c(d.api().launch(p.queue.get(), &ProgramRun::run_queued, &queued, &launch, queued.operands))
          .with_context(d.name());
    }
    p.context.mark = i;
    run_kernel(p, instruction, launch);  // enqueues by itself
    return p.context.error.load(std::memory_order_relaxed) != 0 ? kernel_error(p, i) : Status();
  }

  // On a thread of the device. What comes after an error is left out, so that the error word says who was first.
  static void run_queued(const void* state, const percale_launch* launch) {
    const auto& queued = *static_cast<const QueuedInstruction*>(state);
    BoundProgram& p = *queued.program;
    if (p.context.error.load(std::memory_order_relaxed) != 0 || p.context.cancelled.load(std::memory_order_relaxed)) {
      return;
    }
    if (p.frame->should_stop()) {
      p.context.cancelled = true;
      return p.signal->fail();
    }
    const FloatMode mode;
    if (p.frame->watched()) p.begun[static_cast<size_t>(queued.number)] = now_ns();
    run_kernel(p, p.placed->program->instructions[static_cast<size_t>(queued.number)], *launch);
    if (p.context.error.load(std::memory_order_relaxed) == 0 && !p.context.cancelled.load(std::memory_order_relaxed)) {
      return;
    }
    p.failed_at = queued.number;
    p.signal->fail();
  }

  // What others, and the end of the run, wait for when so many instructions are done.
  Status send(BoundProgram& p, int32_t progress) {
    const Device& d = *p.placed->device;
    for (; p.next_send < p.sends.size() && p.sends[p.next_send].after <= progress; ++p.next_send) {
      const Send& s = p.sends[p.next_send];
      const auto number = static_cast<size_t>(s.transfer);
      PERCALE_RETURN_IF_ERROR(
          copy_out(p, static_cast<size_t>(s.output), bound_.staging[number].data, compiled_.transfers[number].bytes));
    }
    for (; p.next_leave < p.leaves.size() && p.leaves[p.next_leave].after <= progress; ++p.next_leave) {
      const Leave& leave = p.leaves[p.next_leave];
      const Tensor& result = results_[static_cast<size_t>(leave.result)];
      if (!result.defined()) continue;
      PERCALE_RETURN_IF_ERROR(copy_out(p, static_cast<size_t>(leave.output), result.data(), result.bytes()));
    }
    // Whoever watches wants to know when each instruction has ended.
    const bool tells = d.api().stream_signal != nullptr && frame_.watched();
    if (!is_awaited(p, progress) && !tells) return {};
    if (d.api().stream_signal != nullptr) {
      return from_c(d.api().stream_signal(p.queue.get(), &ProgramRun::reached, &p, static_cast<uint64_t>(progress)))
          .with_context(d.name());
    }
    PERCALE_RETURN_IF_ERROR(from_c(d.api().stream_synchronize(p.queue.get())).with_context(d.name()));
    reached(&p, static_cast<uint64_t>(progress), PERCALE_OK);
    return {};
  }

  static void reached(void* event, uint64_t progress, percale_code code) {
    BoundProgram& p = *static_cast<BoundProgram*>(event);
    if (code != PERCALE_OK) return p.signal->fail();  // stream_synchronize() says why
    if (p.frame->watched()) note_end(p, static_cast<int32_t>(progress) - 1);
    p.progress.store(static_cast<int32_t>(progress), std::memory_order_release);
    p.signal->wake();
  }

  // An instruction of a queue ends when what is behind it may begin, which is later than its kernel where the device takes its time.
  static void note_end(BoundProgram& p, int32_t instruction) {
    if (p.placed->device->api().stream_signal == nullptr || instruction < 0 || instruction >= p.size()) return;
    const int64_t end = now_ns(), begin = std::max(p.begun[static_cast<size_t>(instruction)], p.last_end);
    p.last_end = end;
    if (p.context.error.load(std::memory_order_relaxed) != 0) return;
    record_instruction(*p.placed, instruction, begin, end, p.frame->options.trace, p.frame->times);
  }

  // Nothing of this run is under way any more when it returns, and what has failed in a queue is known.
  void drain() {
    for (auto& p : bound_.programs) {
      if (signal_.failed() && p->is_queued()) p->context.cancelled = true;
    }
    for (auto& p : bound_.programs) {
      if (!p->is_queued()) continue;
      const Device& d = *p->placed->device;
      Status status = from_c(d.api().stream_synchronize(p->queue.get())).with_context(d.name());
      if (p->context.error.load() != 0) fail(kernel_error(*p, p->failed_at.load()));
      if (!status.ok()) fail(std::move(status));
    }
    if (signal_.failed() && status_.ok()) fail(frame_.stop_reason());
  }

  static percale_launch launch_of(BoundProgram& p, const Instruction& instruction) {
    return {
        p.operands.data() + instruction.first_operand,
        instruction.scratch_offset < 0 ? nullptr : static_cast<std::byte*>(p.arena.data()) + instruction.scratch_offset,
        p.queue.get(), &p.context};
  }

  static Status execute_whole(const BoundProgram& p) {
    return p.placed->executable->execute(p.queue.get(), p.inputs.data(), p.outputs.data());
  }

  // On the thread that sees to the program.
  static Status execute(BoundProgram& p, int32_t i) {
    const bool watched = p.frame->watched();
    const int64_t begin = watched ? now_ns() : 0;
    if (p.placed->executable != nullptr) {
      PERCALE_RETURN_IF_ERROR(execute_whole(p));
    } else {
      const Instruction& instruction = p.placed->program->instructions[static_cast<size_t>(i)];
      run_kernel(p, instruction, launch_of(p, instruction));
    }
    if (watched) record_instruction(*p.placed, i, begin, now_ns(), p.frame->options.trace, p.frame->times);
    return {};
  }

  static void run_kernel(BoundProgram& p, const Instruction& instruction, const percale_launch& launch) {
    try {
      instruction.run(instruction.state, &launch);
    } catch (const std::bad_alloc&) {
      p.context.fail(RunError::kOutOfMemory, 0);
    }
  }

  static Status kernel_error(const BoundProgram& p, int32_t i) {
    const Program& program = *p.placed->program;
    if (i < 0) i = static_cast<int32_t>(p.context.failed_mark.load());  // a kernel that enqueued, or is not known
    if (i < 0) return internal_error(p.placed->device->name(), ": a kernel failed with code ", p.context.error.load());
    const ProgramNode& node = program.nodes[static_cast<size_t>(program.instructions[static_cast<size_t>(i)].node)];
    return run_error_status(*node.op, node.name, p.context);
  }

  Status finish(BoundProgram& p) {
    const Program& program = *p.placed->program;
    for (const ProgramCopy& copy : program.copies) {
      if (!shares(p)) break;
      void* to = address(p, copy.to);
      const void* from = address(p, copy.from);
      if (to != nullptr && to != from && copy.bytes > 0) std::memcpy(to, from, static_cast<size_t>(copy.bytes));
    }
    for (size_t k = 0; k < program.outputs.size() && !p.is_queued(); ++k) {  // what a queue makes has left
      const auto& results = p.placed->part.outputs[k].results;
      for (size_t r = shares(p) ? 1 : 0; r < results.size(); ++r) {
        const Tensor& result = results_[static_cast<size_t>(results[r])];
        if (!result.defined()) continue;
        if (shares(p)) {
          std::memcpy(result.data(), p.outputs[k], static_cast<size_t>(result.bytes()));
        } else {
          PERCALE_RETURN_IF_ERROR(copy_out(p, k, result.data(), result.bytes()));
        }
      }
    }
    return {};
  }

  // The programs of several devices: as many threads as the engine has, and as there are programs for threads, take up whichever
  // can go on. What a device does on queues of its own needs no thread, only somebody who sees to it now and then.
  void schedule() {
    const auto& programs = bound_.programs;
    const auto worked = std::count_if(programs.begin(), programs.end(), [](const auto& p) { return !p->is_queued(); });
    engine_.threads().parallel()(std::max<int64_t>(worked, 1), [this](int64_t) {
      const FloatMode mode;
      try {
        work();
      } catch (const std::bad_alloc&) {
        fail(Status::out_of_memory());
      }
    });
  }

  void work() {
    Place place(frame_.options.meeting);
    while (!signal_.failed()) {
      const uint64_t seen = signal_.changes();
      bool open = false;
      // Queues first: they work while the thread does.
      bool moved = work_on(true, &open);
      moved = work_on(false, &open) || moved;
      if (!open) return;
      if (moved) continue;
      place.leave();
      signal_.sleep(seen, frame_);
      place.take();
      if (frame_.should_stop()) fail(frame_.stop_reason());
    }
  }

  bool work_on(bool queued, bool* open) {
    bool moved = false;
    for (auto& p : bound_.programs) {
      if (p->is_queued() != queued || p->progress.load(std::memory_order_acquire) > p->size()) continue;
      *open = true;
      if (p->claimed.exchange(true)) continue;
      const bool done = p->progress.load(std::memory_order_acquire) > p->size();
      if (!done && !signal_.failed()) moved = (queued ? enqueue(*p) : advance(*p)) || moved;
      p->claimed.store(false);
    }
    return moved;
  }

  void publish() {
    if (frame_.state.exclusive || assigned_.empty()) return;
    frame_.state.next.resize(assigned_.size());
    for (size_t i = 0; i < assigned_.size(); ++i) {
      if (assigned_[i].defined()) frame_.state.next[i] = std::move(assigned_[i]);
    }
  }

  const Compiled& compiled_;
  Engine& engine_;
  RunFrame& frame_;
  BoundRun& bound_;
  std::span<const Tensor> feeds_, results_;
  std::vector<Tensor> assigned_;
  std::mutex mutex_;  // guards status_
  Status status_;
  RunSignal signal_;
  bool queues_ = false;
};

}  // namespace

Status run_programs(const Compiled& compiled, Engine& engine, RunFrame& frame, std::span<const Tensor> feeds,
                    std::span<const Tensor> results) {
  if (compiled.programs.empty()) return {};
  std::unique_ptr<BoundRun> memory = compiled.idle.take();
  if (!memory) {
    PERCALE_ASSIGN_OR_RETURN(memory, bind_run(compiled, frame.memory));
  }
  const Lent<BoundRun> bound(compiled.idle, std::move(memory));
  const ThreadPool::Busy busy(engine.threads());
  return ProgramRun(compiled, engine, frame, *bound, feeds, results).run();
}

}  // namespace percale
