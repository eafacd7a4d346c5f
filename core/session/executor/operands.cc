#include "core/session/executor/operands.h"

#include "core/session/executor/kernel_call.h"
#include "core/session/executor/store_access.h"
#include "core/session/executor/transfers.h"

namespace percale {
namespace {

Status bind_feeds(const Execution& run, BoundProgram& p) {
  const std::vector<PartInput>& inputs = p.placed->part.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].kind != PartInput::Kind::kFeed) continue;
    const Tensor& feed = run.feeds[static_cast<size_t>(inputs[i].index)];
    if (p.shares_host_memory()) {
      p.table.inputs[i] = feed.data();
    } else if (p.placed->input_keys[i].defined()) {
      PERCALE_RETURN_IF_ERROR(borrow_feed(run, p, i, feed));
    } else {
      PERCALE_RETURN_IF_ERROR(copy_to_input(p, i, feed.data(), feed.bytes()));
    }
  }
  return {};
}

Status bind_outputs(const Execution& run, BoundProgram& p) {
  const std::vector<PartOutput>& outputs = p.placed->part.outputs;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (p.shares_host_memory() && !outputs[k].results.empty()) {
      p.table.outputs[k] = run.results[static_cast<size_t>(outputs[k].results[0])].data();
    }
    if (p.placed->output_keys[k].defined()) PERCALE_RETURN_IF_ERROR(borrow_output(run, p, k));
  }
  return {};
}

// Memory for the next values of variables that the program assigns.
Status allocate_assigned(Execution& run, const Program& program) {
  if (run.frame.state.exclusive) return {};
  for (const int32_t variable : program.assigned) {
    run.assigned.resize(run.frame.state.base->size());
    const Tensor& now = run.frame.state.value(variable);
    auto& next = run.assigned[static_cast<size_t>(variable)];
    PERCALE_ASSIGN_OR_RETURN(next, Tensor::allocate(run.frame.memory, now.dtype(), now.shape()));
  }
  return {};
}

void reset_context(Execution& run, BoundProgram& p) {
  const RunOptions& options = run.frame.options;
  RunContext& context = p.context;
  context.parallel = {&stoppable_loop, &p};
  context.clear_error();
  context.log = &run.engine.log();
  context.cancelled.store(false, std::memory_order_relaxed);
  context.seed = options.seed;
  context.step = run.frame.step;
  context.first_row = options.first_row;
  context.barrier = options.barrier;
  context.shard = options.shard;
  context.again = false;
}

void patch_operands(BoundProgram& p, Home home, int32_t index, void* address) {
  for (const Patch& patch : p.table.patches) {
    if (patch.operand.home == home && patch.operand.index == index) p.table.operands[patch.position] = address;
  }
}

void reset_progress(BoundProgram& p) {
  // Relaxed, because no other thread sees the run yet.
  p.progress.store(0, std::memory_order_relaxed);
  p.claimed.store(false, std::memory_order_relaxed);
  p.sync.next_wait = p.sync.next_awaited = 0;
  p.next_early = 0;
  if (!p.has_stream()) return;
  StreamProgram& stream = *p.stream;
  stream.enqueued = 0;
  stream.next_send = stream.next_result_copy = stream.next_segment = stream.next_marked = 0;
  stream.last_end = 0;
  stream.failed_at = -1;
}

}  // namespace

void* operand_address(const Execution& run, const BoundProgram& p, const Operand& o) {
  const auto i = static_cast<size_t>(o.index);
  const StateFrame& state = run.frame.state;
  switch (o.home) {
    case Home::kNone: return nullptr;
    case Home::kArena: return static_cast<std::byte*>(p.arena.get()) + o.index;
    case Home::kInput: return p.table.inputs[i];
    case Home::kOutput: return p.table.outputs[i];
    case Home::kConstant: return p.table.constants[i];
    case Home::kVariable: return state.value(o.index).data();
    case Home::kAssigned: return state.exclusive ? (*state.base)[i].data() : run.assigned[i].data();
  }
  return nullptr;
}

void* output_address(const Execution& run, const BoundProgram& p, size_t output) {
  return operand_address(run, p, p.program().output_from[output]);
}

Status begin_program(Execution& run, BoundProgram& p) {
  PERCALE_RETURN_IF_ERROR(bind_feeds(run, p));
  PERCALE_RETURN_IF_ERROR(bind_outputs(run, p));
  PERCALE_RETURN_IF_ERROR(allocate_assigned(run, p.program()));
  for (const Patch& patch : p.table.patches) {
    p.table.operands[patch.position] = operand_address(run, p, patch.operand);
  }
  p.run = &run;
  reset_context(run, p);
  reset_progress(p);
  return {};
}

void patch_inputs(const Execution& run, BoundProgram& p) {
  for (const Patch& patch : p.table.patches) {
    if (patch.operand.home != Home::kInput) continue;
    p.table.operands[patch.position] = operand_address(run, p, patch.operand);
  }
}

void patch_input(BoundProgram& p, int32_t input, void* address) {
  p.table.inputs[static_cast<size_t>(input)] = address;
  patch_operands(p, Home::kInput, input, address);
}

void patch_output(BoundProgram& p, int32_t output, void* address) {
  p.table.outputs[static_cast<size_t>(output)] = address;
  patch_operands(p, Home::kOutput, output, address);
}

}  // namespace percale
