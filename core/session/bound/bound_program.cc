#include "core/session/bound/bound_program.h"

#include <algorithm>

#include "core/compile/plan_bytes.h"

namespace percale {
namespace {

// While the device works, results are copied to the host, or announced to the run's watcher if they
// stay, in groups of this many bytes.
constexpr int64_t kResultGroupBytes = int64_t{4} << 20;

int64_t type_bytes(const ValueType& type) {
  const auto bytes = byte_size(type.dtype, type.shape);
  return bytes.ok() ? *bytes : 0;
}

int32_t index_in(const Plan& plan, const BoundProgram& p) {
  return static_cast<int32_t>(p.placed - plan.programs.data());
}

bool by_progress(const StreamCopy& a, const StreamCopy& b) { return a.after < b.after; }

// The progress of the sender at which the value of a transfer is there.
int32_t progress_of(const Plan& plan, const Transfer& transfer) {
  const PlacedProgram& sender = plan.programs[static_cast<size_t>(transfer.from_part)];
  const Program& from = *sender.program;
  if (transfer.to_input < 0) return from.end_of(transfer.after_node);
  const Operand& place = from.output_from[static_cast<size_t>(transfer.from_output)];
  const bool is_feed =
      place.home == Home::kInput && sender.part.inputs[static_cast<size_t>(place.index)].kind == PartInput::Kind::kFeed;
  if (is_feed) return 0;
  return from.output_ready[static_cast<size_t>(transfer.from_output)] + 1;
}

// A buffer of the program in the memory of its device.
Result<void*> add_buffer(BoundProgram& p, int64_t bytes) {
  PERCALE_ASSIGN_OR_RETURN(DeviceMemory memory, allocate_memory(p.device(), bytes));
  return p.buffers.emplace_back(std::move(memory)).get();
}

Status bind_constants(BoundProgram& p) {
  const Device& device = p.device();
  for (const Tensor& constant : p.program().constants) {
    if (p.shares_host_memory()) {
      p.table.constants.push_back(constant.data());
      continue;
    }
    PERCALE_ASSIGN_OR_RETURN(void* copy, add_buffer(p, constant.bytes()));
    PERCALE_RETURN_IF_ERROR(from_c(device.api().copy_from_host(device.handle(), nullptr, copy, constant.data(),
                                                               static_cast<uint64_t>(constant.bytes())))
                                .with_context(device.name()));
    p.table.constants.push_back(copy);
  }
  return {};
}

Status bind_inputs_and_outputs(BoundProgram& p) {
  const Program& program = p.program();
  OperandTable& table = p.table;
  table.own_inputs.resize(program.inputs.size());
  table.own_outputs.resize(program.outputs.size());
  p.read.resize(program.inputs.size(), nullptr);
  p.made.resize(program.outputs.size(), nullptr);
  for (size_t i = 0; i < program.inputs.size() && !p.shares_host_memory(); ++i) {
    if (p.placed->input_keys[i].defined()) continue;
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(program.inputs[i].dtype, program.inputs[i].shape));
    PERCALE_ASSIGN_OR_RETURN(table.own_inputs[i], add_buffer(p, bytes));
  }
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    if (!needs_buffer(*p.placed, k) || p.placed->output_keys[k].defined()) continue;
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, byte_size(program.outputs[k].dtype, program.outputs[k].shape));
    PERCALE_ASSIGN_OR_RETURN(table.own_outputs[k], add_buffer(p, bytes));
  }
  table.inputs = table.own_inputs;
  table.outputs = table.own_outputs;
  return {};
}

void bind_operands(BoundProgram& p) {
  const std::vector<Operand>& operands = p.program().operands;
  OperandTable& table = p.table;
  table.operands.resize(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    switch (o.home) {
      case Home::kNone: break;
      case Home::kArena: table.operands[i] = static_cast<std::byte*>(p.arena.get()) + o.index; break;
      case Home::kConstant: table.operands[i] = table.constants[static_cast<size_t>(o.index)]; break;
      default: table.patches.push_back({static_cast<uint32_t>(i), o});
    }
  }
}

// The transfers that the program waits for.
void bind_waits(const Plan& plan, BoundProgram& p) {
  const Program& program = p.program();
  const int32_t self = index_in(plan, p);
  for (size_t t = 0; t < plan.transfers.size(); ++t) {
    const Transfer& transfer = plan.transfers[t];
    if (transfer.to_part != self) continue;
    const bool is_order = transfer.to_input < 0;
    const auto input = static_cast<size_t>(transfer.to_input);
    const int32_t at = is_order ? program.begin_of(transfer.before_node) : program.input_needed[input];
    const int32_t progress = progress_of(plan, transfer);
    const bool kept = !is_order && progress == 0 && p.placed->input_keys[input].defined();
    p.sync.waits.push_back({std::min(at, p.size()), static_cast<int32_t>(t), transfer.from_part, progress, kept});
  }
  std::stable_sort(p.sync.waits.begin(), p.sync.waits.end(), [](const Wait& a, const Wait& b) { return a.at < b.at; });
}

// The progress that others wait for, and the outputs that a stream sends to them.
void bind_sends(const Plan& plan, BoundProgram& p) {
  const int32_t self = index_in(plan, p);
  std::vector<int32_t>& awaited = p.sync.awaited;
  awaited.push_back(p.size() + 1);
  for (size_t t = 0; t < plan.transfers.size(); ++t) {
    const Transfer& transfer = plan.transfers[t];
    if (transfer.from_part != self) continue;
    const int32_t after = progress_of(plan, transfer);
    awaited.push_back(after);
    if (!p.has_stream() || transfer.to_input < 0) continue;
    auto& sends = p.stream->sends;
    const auto is_same = [&](const StreamCopy& s) { return s.output == transfer.from_output; };
    if (std::any_of(sends.begin(), sends.end(), is_same)) continue;
    sends.push_back({after, transfer.from_output, static_cast<int32_t>(t)});
  }
  std::sort(awaited.begin(), awaited.end());
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  if (p.has_stream()) std::stable_sort(p.stream->sends.begin(), p.stream->sends.end(), by_progress);
}

// Per output: the number of instructions after which the program neither reads nor writes its
// memory. -1: the memory is read when all instructions are done, or the output lies elsewhere.
std::vector<int32_t> ends_of_outputs(const BoundProgram& p) {
  const Program& program = p.program();
  std::vector<int32_t> out;
  for (const int32_t ready : program.output_ready) out.push_back(ready + 1);
  for (int32_t i = 0; i < p.size(); ++i) {
    for (const Operand& o : program.operands_of(i)) {
      if (o.home == Home::kOutput) out[static_cast<size_t>(o.index)] = i + 1;
    }
  }
  for (const ProgramCopy& copy : program.copies) {
    if (copy.from.home == Home::kOutput) out[static_cast<size_t>(copy.from.index)] = -1;
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const Operand& from = program.output_from[k];
    const bool is_own = from.home == Home::kOutput && from.index == static_cast<int64_t>(k);
    if (!is_own || p.placed->part.outputs[k].results.size() > 1) out[k] = -1;
  }
  return out;
}

// The first fetch that has this result. -1: there is none, or something reads the result after the
// programs.
int32_t fetch_of(const Plan& plan, int32_t result) {
  const auto is_result = [result](const ValueSource& source) {
    return source.kind == ValueSource::Kind::kResult && source.index == result;
  };
  const auto reads = [&](const ControlNode& node) { return std::ranges::any_of(node.inputs, is_result); };
  if (std::ranges::any_of(plan.control, reads) || std::ranges::any_of(plan.rest.inputs, is_result)) return -1;
  const auto fetch = std::ranges::find_if(plan.fetches, is_result);
  return fetch == plan.fetches.end() ? -1 : static_cast<int32_t>(fetch - plan.fetches.begin());
}

void note_early(const Plan& plan, BoundProgram& p, int32_t after, int32_t result, int32_t kept) {
  const int32_t fetch = fetch_of(plan, result);
  if (fetch >= 0 && after >= 0 && after <= p.size()) p.early.push_back({after, fetch, kept});
}

// The fetches that the program writes into the host's memory itself.
void bind_early_fetches(const Plan& plan, BoundProgram& p) {
  if (!p.shares_host_memory()) return;
  const std::vector<int32_t> ends = ends_of_outputs(p);
  for (size_t k = 0; k < ends.size(); ++k) {
    const std::vector<int32_t>& results = p.placed->part.outputs[k].results;
    if (!results.empty()) note_early(plan, p, ends[k], results[0], -1);
  }
  std::ranges::stable_sort(p.early, {}, &EarlyFetch::after);
}

// Groups the results. A group is copied or announced when the last of its results is ready. The
// remaining results follow when all instructions are done.
void bind_result_copies(const Plan& plan, BoundProgram& p) {
  const Program& program = p.program();
  const std::vector<int32_t> ends = ends_of_outputs(p);
  auto& copies = p.stream->result_copies;
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    for (const int32_t result : p.placed->part.outputs[k].results) {
      const bool stays = plan.stays[static_cast<size_t>(result)];
      const int32_t after = stays ? ends[k] : program.output_ready[k] + 1;
      copies.push_back({after < 0 ? p.size() + 1 : after, static_cast<int32_t>(k), result});
    }
  }
  std::stable_sort(copies.begin(), copies.end(), by_progress);
  int64_t bytes = 0;
  size_t begin = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    bytes += type_bytes(program.outputs[static_cast<size_t>(copies[i].output)]);
    if (bytes < kResultGroupBytes) continue;
    for (; begin < i; ++begin) copies[begin].after = copies[i].after;
    begin = i + 1;
    bytes = 0;
  }
  for (; begin < copies.size(); ++begin) copies[begin].after = p.size() + 1;
  for (const StreamCopy& copy : copies) {
    note_early(plan, p, copy.after, copy.to, plan.stays[static_cast<size_t>(copy.to)] ? copy.output : -1);
  }
}

Status bind_stream(BoundProgram& p) {
  const Program& program = p.program();
  p.stream = std::make_unique<StreamProgram>();
  PERCALE_ASSIGN_OR_RETURN(p.stream->stream, create_stream(p.device()));
  p.stream->begun.resize(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const auto number = static_cast<int32_t>(i);
    p.stream->instructions.push_back({&p, number, static_cast<uint32_t>(program.operands_of(number).size())});
  }
  return {};
}

}  // namespace

Status bind_program(const Plan& plan, BoundProgram& p) {
  if (p.device().has_streams()) PERCALE_RETURN_IF_ERROR(bind_stream(p));
  PERCALE_ASSIGN_OR_RETURN(p.arena, allocate_memory(p.device(), p.program().arena_bytes));
  PERCALE_RETURN_IF_ERROR(bind_constants(p));
  PERCALE_RETURN_IF_ERROR(bind_inputs_and_outputs(p));
  bind_operands(p);
  bind_waits(plan, p);
  bind_sends(plan, p);
  if (!p.has_stream()) {
    bind_early_fetches(plan, p);
    return {};
  }
  bind_result_copies(plan, p);
  if (plan.captures_work) {
    p.stream->segments = find_segments(p, false);
    p.stream->long_segments = find_segments(p, true);
  }
  return {};
}

}  // namespace percale
