#include "core/session/executor/kernel_call.h"

namespace percale {

Status call_partition(const BoundProgram& p) {
  return p.placed->executable->execute(p.stream_handle(), p.table.inputs.data(), p.table.outputs.data());
}

Status kernel_error(const BoundProgram& p, int32_t instruction) {
  const Program& program = p.program();
  const int64_t i = instruction >= 0 ? instruction : p.context.failed_mark.load();
  if (i < 0) return internal_error(p.device().name(), ": a kernel failed with code ", p.context.error.load());
  const ProgramNode& node = program.nodes[static_cast<size_t>(program.instructions[static_cast<size_t>(i)].node)];
  return run_error_status(*node.op, node.name, p.context);
}

void stoppable_loop(void* program, int64_t pieces, ParallelFor::Body body, void* arg) {
  struct Piece {
    BoundProgram& program;
    ParallelFor::Body body;
    void* arg;
  } piece{*static_cast<BoundProgram*>(program), body, arg};
  const Device& device = piece.program.device();
  const ParallelFor pool = piece.program.run->frame.options.alone ? device.all_threads() : device.parallel();
  pool.call(
      pool.pool, pieces,
      [](void* p, int64_t i) {
        const Piece& each = *static_cast<Piece*>(p);
        RunContext& context = each.program.context;
        if (context.cancelled.load(std::memory_order_relaxed)) return;
        if (each.program.run->frame.should_stop()) {
          context.cancelled.store(true, std::memory_order_relaxed);
          return;
        }
        each.body(each.arg, i);
      },
      &piece);
}

}  // namespace percale
