#include "core/session/bound_run.h"

#include <algorithm>

#include "core/compile/plan_bytes.h"

namespace percale {

namespace {

// How far the sender of a transfer must have come.
int32_t progress_of(const Plan& plan, const Transfer& transfer) {
  const Program& from = *plan.programs[static_cast<size_t>(transfer.from_part)].program;
  if (transfer.to_input < 0) return from.end_of(transfer.after_node);
  // What the run was given is there before anything begins.
  const Operand& place = from.output_from[static_cast<size_t>(transfer.from_output)];
  const auto& inputs = plan.programs[static_cast<size_t>(transfer.from_part)].part.inputs;
  const bool given =
      place.home == Home::kInput && inputs[static_cast<size_t>(place.index)].kind == PartInput::Kind::kFeed;
  if (given) return 0;
  return from.output_ready[static_cast<size_t>(transfer.from_output)] + 1;
}

// What the program owes others, and when.
void bind_sender(const Plan& plan, BoundProgram& p) {
  const auto self = static_cast<int32_t>(p.placed - plan.programs.data());
  p.awaited.push_back(p.size() + 1);
  for (size_t t = 0; t < plan.transfers.size(); ++t) {
    const Transfer& transfer = plan.transfers[t];
    if (transfer.from_part != self) continue;
    const int32_t after = progress_of(plan, transfer);
    p.awaited.push_back(after);
    const bool sent =
        std::any_of(p.sends.begin(), p.sends.end(), [&](const Send& s) { return s.output == transfer.from_output; });
    if (p.has_stream() && transfer.to_input >= 0 && !sent) {
      p.sends.push_back({after, transfer.from_output, static_cast<int32_t>(t)});
    }
  }
  std::sort(p.awaited.begin(), p.awaited.end());
  p.awaited.erase(std::unique(p.awaited.begin(), p.awaited.end()), p.awaited.end());
  std::stable_sort(p.sends.begin(), p.sends.end(), [](const Send& a, const Send& b) { return a.after < b.after; });
}

// Results leave while the queue goes on, as many at a time as make such a bucket; the last ones when all is done.
constexpr int64_t kBucketBytes = int64_t{4} << 20;

void bind_results(BoundProgram& p) {
  const Program& program = *p.placed->program;
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    for (const int32_t result : p.placed->part.outputs[k].results) {
      p.leaves.push_back({program.output_ready[k] + 1, static_cast<int32_t>(k), result});
    }
  }
  std::stable_sort(p.leaves.begin(), p.leaves.end(), [](const Leave& a, const Leave& b) { return a.after < b.after; });
  int64_t bytes = 0;
  size_t begin = 0;
  for (size_t i = 0; i < p.leaves.size(); ++i) {
    const ValueType& type = program.outputs[static_cast<size_t>(p.leaves[i].output)];
    const auto size = byte_size(type.dtype, type.shape);
    bytes += size.ok() ? *size : 0;
    if (bytes < kBucketBytes) continue;
    for (; begin < i; ++begin) p.leaves[begin].after = p.leaves[i].after;
    begin = i + 1;
    bytes = 0;
  }
  for (; begin < p.leaves.size(); ++begin) p.leaves[begin].after = p.size() + 1;
}

void bind_stream(BoundProgram& p) {
  const Program& program = *p.placed->program;
  p.begun.resize(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const size_t end =
        i + 1 < program.instructions.size() ? program.instructions[i + 1].first_operand : program.operands.size();
    p.queued.push_back(
        {&p, static_cast<int32_t>(i), static_cast<uint32_t>(end - program.instructions[i].first_operand)});
  }
}

// One program's tables: what does not change from run to run.
Status bind_program(const Plan& plan, BoundProgram& p) {
  const Program& program = *p.placed->program;
  const Device& device = *p.placed->device;
  const auto add_buffer = [&](int64_t bytes) -> Result<void*> {
    PERCALE_ASSIGN_OR_RETURN(DeviceMemory memory, allocate_memory(device, bytes));
    return p.buffers.emplace_back(std::move(memory)).get();
  };
  const auto bytes_of = [](const ValueType& type) { return byte_size(type.dtype, type.shape); };
  if (device.has_streams()) {
    PERCALE_ASSIGN_OR_RETURN(p.stream, create_stream(device));
    bind_stream(p);
  }
  PERCALE_ASSIGN_OR_RETURN(p.arena, allocate_memory(device, program.arena_bytes));
  for (const Tensor& constant : program.constants) {
    if (p.shares_host_memory()) {
      p.constants.push_back(constant.data());
      continue;
    }
    PERCALE_ASSIGN_OR_RETURN(void* copy, add_buffer(constant.bytes()));
    PERCALE_RETURN_IF_ERROR(from_c(device.api().copy_from_host(device.handle(), nullptr, copy, constant.data(),
                                                               static_cast<uint64_t>(constant.bytes())))
                                .with_context(device.name()));
    p.constants.push_back(copy);
  }
  p.own_inputs.resize(program.inputs.size());
  p.own_outputs.resize(program.outputs.size());
  p.read.resize(program.inputs.size(), nullptr);
  p.made.resize(program.outputs.size(), nullptr);
  for (size_t i = 0; i < program.inputs.size() && !p.shares_host_memory(); ++i) {
    if (p.placed->input_keys[i].defined()) continue;
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, bytes_of(program.inputs[i]));
    PERCALE_ASSIGN_OR_RETURN(p.own_inputs[i], add_buffer(bytes));
  }
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    if (!needs_buffer(*p.placed, k) || p.placed->output_keys[k].defined()) continue;
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, bytes_of(program.outputs[k]));
    PERCALE_ASSIGN_OR_RETURN(p.own_outputs[k], add_buffer(bytes));
  }
  p.inputs = p.own_inputs;
  p.outputs = p.own_outputs;
  p.operands.resize(program.operands.size(), nullptr);
  for (size_t i = 0; i < program.operands.size(); ++i) {
    const Operand& o = program.operands[i];
    switch (o.home) {
      case Home::kNone: break;
      case Home::kArena: p.operands[i] = static_cast<std::byte*>(p.arena.get()) + o.index; break;
      case Home::kConstant: p.operands[i] = p.constants[static_cast<size_t>(o.index)]; break;
      default: p.patches.push_back({static_cast<uint32_t>(i), o});
    }
  }
  const auto end = static_cast<int32_t>(program.instructions.size());
  const auto self = static_cast<int32_t>(p.placed - plan.programs.data());
  for (size_t t = 0; t < plan.transfers.size(); ++t) {
    const Transfer& transfer = plan.transfers[t];
    if (transfer.to_part != self) continue;
    const auto number = static_cast<int32_t>(t);
    const int32_t at = transfer.to_input < 0 ? program.begin_of(transfer.before_node)
                                             : program.input_needed[static_cast<size_t>(transfer.to_input)];
    const int32_t progress = progress_of(plan, transfer);
    const bool kept = transfer.to_input >= 0 && progress == 0 &&
                      p.placed->input_keys[static_cast<size_t>(transfer.to_input)].defined();
    p.waits.push_back({std::min(at, end), number, transfer.from_part, progress, kept});
  }
  std::stable_sort(p.waits.begin(), p.waits.end(), [](const Wait& a, const Wait& b) { return a.at < b.at; });
  bind_sender(plan, p);
  if (p.has_stream()) bind_results(p);
  if (plan.captures_work) {
    p.segments = find_segments(p, false);
    p.long_segments = find_segments(p, true);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<BoundRun>> bind_run(const Plan& plan, const std::shared_ptr<MemoryPool>& memory) {
  auto run = std::make_unique<BoundRun>(memory);
  const int64_t bytes = bound_bytes(plan);
  PERCALE_RETURN_IF_ERROR(memory->book(bytes));
  run->booked = bytes;
  for (const PlacedProgram& placed : plan.programs) {
    auto& p = run->programs.emplace_back(std::make_unique<BoundProgram>());
    p->placed = &placed;
    PERCALE_RETURN_IF_ERROR(bind_program(plan, *p));
  }
  run->staging.resize(plan.transfers.size());
  for (size_t t = 0; t < plan.transfers.size(); ++t) {
    const Transfer& transfer = plan.transfers[t];
    const bool plain = run->programs[static_cast<size_t>(transfer.from_part)]->shares_host_memory() &&
                       run->programs[static_cast<size_t>(transfer.to_part)]->shares_host_memory();
    if (plain) continue;
    const BoundProgram& from = *run->programs[static_cast<size_t>(transfer.from_part)];
    const bool sent_for_another = from.has_stream() && transfer.to_input >= 0 &&
                                  std::none_of(from.sends.begin(), from.sends.end(),
                                               [&](const Send& s) { return s.transfer == static_cast<int32_t>(t); });
    if (sent_for_another) continue;
    Staging& staging = run->staging[t];
    const Device* pins = nullptr;
    for (const int32_t part : {transfer.from_part, transfer.to_part}) {
      const Device& device = *run->programs[static_cast<size_t>(part)]->placed->device;
      if (pins == nullptr && device.api().allocate_host != nullptr) pins = &device;
    }
    if (pins != nullptr) {
      PERCALE_ASSIGN_OR_RETURN(staging.pinned, allocate_pinned(*pins, transfer.bytes));
      staging.data = static_cast<std::byte*>(staging.pinned.get());
      continue;
    }
    staging.memory.resize(static_cast<size_t>(transfer.bytes) + kAlignment);
    const auto address = reinterpret_cast<uintptr_t>(staging.memory.data());
    staging.data = staging.memory.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
  return run;
}

}  // namespace percale
