#include "core/run/executor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "core/run/bound_run.h"

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
    for (auto& p : bound_.programs) PERCALE_RETURN_IF_ERROR(start(*p));
    if (bound_.programs.size() == 1) {
      advance(*bound_.programs[0]);
    } else {
      schedule();
    }
    PERCALE_RETURN_IF_ERROR(std::move(status_));
    publish();
    return {};
  }

 private:
  // Points the operands that differ from run to run at this run's memory.
  Status start(BoundProgram& p) {
    const Program& program = *p.placed->program;
    const Part& part = p.placed->part;
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      if (part.inputs[i].kind != PartInput::Kind::kFeed) continue;
      const Tensor& feed = feeds_[static_cast<size_t>(part.inputs[i].index)];
      if (shares(p)) {
        p.inputs[i] = feed.data();
      } else {
        PERCALE_RETURN_IF_ERROR(copy_in(p, i, feed.data(), feed.bytes()));
      }
    }
    for (size_t k = 0; k < part.outputs.size(); ++k) {
      if (shares(p) && !part.outputs[k].results.empty()) {
        p.outputs[k] = results_[static_cast<size_t>(part.outputs[k].results[0])].data();
      }
    }
    for (const int32_t variable : program.assigned) PERCALE_RETURN_IF_ERROR(allocate_next(variable));
    for (const Patch& patch : p.patches) p.operands[patch.position] = address(p, patch.operand);
    p.frame = &frame_;
    p.context.parallel = {&ProgramRun::guarded_loop, &p};
    p.context.error = 0;
    p.context.error_message = nullptr;
    p.context.log = &engine_.log();
    p.context.cancelled = false;
    p.context.seed = frame_.options.seed;
    p.context.step = frame_.step;
    p.context.first_row = frame_.options.first_row;
    p.progress = 0;
    p.claimed = false;
    p.next_wait = 0;
    return {};
  }

  // Every piece asks first whether to stop, so that cancelling takes no longer than the pieces under way.
  static void guarded_loop(void* self, int64_t pieces, ParallelFor::Body body, void* arg) {
    struct Piece {
      BoundProgram* program;
      ParallelFor::Body body;
      void* arg;
    } piece{static_cast<BoundProgram*>(self), body, arg};
    const ParallelFor pool = piece.program->placed->device->parallel();
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

  Status copy_in(BoundProgram& p, size_t input, const void* from, int64_t bytes) {
    const Device& d = *p.placed->device;
    return from_c(d.api().copy_from_host(d.handle(), nullptr, p.own_inputs[input], from, static_cast<uint64_t>(bytes)));
  }
  Status copy_out(const BoundProgram& p, size_t output, void* to, int64_t bytes) {
    const Device& d = *p.placed->device;
    return from_c(d.api().copy_to_host(d.handle(), nullptr, to, p.outputs[output], static_cast<uint64_t>(bytes)));
  }

  // Between CPU devices the receiver reads where the sender wrote; between unlike memories the host passes the bytes on.
  Status receive(BoundProgram& to, const Transfer& t, size_t number) {
    if (t.to_input < 0) return {};
    const auto input = static_cast<size_t>(t.to_input);
    const auto output = static_cast<size_t>(t.from_output);
    const BoundProgram& from = *bound_.programs[static_cast<size_t>(t.from_part)];
    void* where = from.outputs[output];
    if (!shares(from)) {
      where = bound_.staging[number].data();
      PERCALE_RETURN_IF_ERROR(copy_out(from, output, where, t.bytes));
    }
    if (!shares(to)) return copy_in(to, input, where, t.bytes);
    to.inputs[input] = where;
    for (const Patch& patch : to.patches) {
      if (patch.operand.home == Home::kInput && patch.operand.index == t.to_input) to.operands[patch.position] = where;
    }
    return {};
  }

  void fail(Status status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
    failed_.store(true);
  }

  // Does what can be done without waiting. True when the program has come to its end, or the run has failed.
  bool advance(BoundProgram& p) {
    const Program& program = *p.placed->program;
    const auto end = static_cast<int32_t>(program.instructions.size());
    int32_t i = p.progress.load(std::memory_order_relaxed);
    for (; i <= end; ++i) {
      for (; p.next_wait < p.waits.size() && p.waits[p.next_wait].at <= i; ++p.next_wait) {
        const Wait& w = p.waits[p.next_wait];
        if (bound_.programs[static_cast<size_t>(w.from)]->progress.load(std::memory_order_acquire) < w.progress) {
          return false;
        }
        const auto number = static_cast<size_t>(w.transfer);
        if (Status s = receive(p, compiled_.transfers[number], number); !s.ok()) return fail(std::move(s)), true;
      }
      if (i == end) break;
      if (frame_.should_stop()) return fail(frame_.stop_reason()), true;
      execute(p, program.instructions[static_cast<size_t>(i)]);
      if (p.context.error.load(std::memory_order_relaxed) != 0) return fail(kernel_error(p, i)), true;
      if (p.context.cancelled.load(std::memory_order_relaxed)) return fail(frame_.stop_reason()), true;
      p.progress.store(i + 1, std::memory_order_release);
    }
    if (Status s = finish(p); !s.ok()) return fail(std::move(s)), true;
    p.progress.store(end + 1, std::memory_order_release);
    return true;
  }

  void execute(BoundProgram& p, const Instruction& instruction) {
    const percale_launch launch{
        p.operands.data() + instruction.first_operand,
        instruction.scratch_offset < 0 ? nullptr : static_cast<std::byte*>(p.arena.data()) + instruction.scratch_offset,
        nullptr, &p.context};
    const int64_t begin = frame_.options.trace == nullptr ? 0 : now_ns();
    try {
      instruction.run(instruction.state, &launch);
    } catch (const std::bad_alloc&) {
      p.context.fail(RunError::kOutOfMemory, 0);
    }
    if (frame_.options.trace != nullptr) record(p, instruction, begin);
  }

  // A span that there is no memory for is not worth the run.
  void record(const BoundProgram& p, const Instruction& instruction, int64_t begin) noexcept {
    try {
      const ProgramNode& node = p.placed->program->nodes[static_cast<size_t>(instruction.node)];
      frame_.options.trace->add(str_cat(node.op->name, " ", node.name), p.placed->device->name(), begin, now_ns(),
                                node.kernel);
    } catch (const std::bad_alloc&) {
    }
  }

  static Status kernel_error(const BoundProgram& p, int32_t i) {
    const Program& program = *p.placed->program;
    const ProgramNode& node = program.nodes[static_cast<size_t>(program.instructions[static_cast<size_t>(i)].node)];
    return run_error_status(*node.op, node.name, p.context);
  }

  Status finish(BoundProgram& p) {
    const Program& program = *p.placed->program;
    for (const ProgramCopy& copy : program.copies) {
      void* to = address(p, copy.to);
      const void* from = address(p, copy.from);
      if (shares(p)) {
        if (to != from && copy.bytes > 0) std::memcpy(to, from, static_cast<size_t>(copy.bytes));
        continue;
      }
      // A device without a copy of its own lets the host pass the bytes on.
      std::vector<std::byte> bytes(static_cast<size_t>(copy.bytes));
      const Device& d = *p.placed->device;
      PERCALE_RETURN_IF_ERROR(from_c(d.api().copy_to_host(d.handle(), nullptr, bytes.data(), from, bytes.size())));
      PERCALE_RETURN_IF_ERROR(from_c(d.api().copy_from_host(d.handle(), nullptr, to, bytes.data(), bytes.size())));
    }
    for (size_t k = 0; k < program.outputs.size(); ++k) {
      const auto& results = p.placed->part.outputs[k].results;
      for (size_t r = shares(p) ? 1 : 0; r < results.size(); ++r) {
        const Tensor& result = results_[static_cast<size_t>(results[r])];
        if (shares(p)) {
          std::memcpy(result.data(), p.outputs[k], static_cast<size_t>(result.bytes()));
        } else {
          PERCALE_RETURN_IF_ERROR(copy_out(p, k, result.data(), result.bytes()));
        }
      }
    }
    return {};
  }

  // The programs of several devices: as many threads as the engine has take up whichever can go on.
  void schedule() {
    engine_.threads().parallel()(static_cast<int64_t>(bound_.programs.size()), [this](int64_t) {
      const FloatMode mode;
      const auto done = [](const BoundProgram& p) {
        return p.progress.load(std::memory_order_acquire) >
               static_cast<int32_t>(p.placed->program->instructions.size());
      };
      for (bool open = true; open && !failed_;) {
        open = false;
        bool moved = false;
        for (auto& p : bound_.programs) {
          if (done(*p)) continue;
          open = true;
          if (p->claimed.exchange(true)) continue;
          const int32_t before = p->progress.load();
          try {
            if (!done(*p)) moved = advance(*p) || p->progress.load() != before || moved;
          } catch (const std::bad_alloc&) {
            fail(Status::out_of_memory());
          }
          p->claimed.store(false);
        }
        if (open && !moved) std::this_thread::yield();
      }
    });
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
  std::mutex mutex_;
  Status status_;
  std::atomic<bool> failed_{false};
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
  return ProgramRun(compiled, engine, frame, *bound, feeds, results).run();
}

}  // namespace percale
