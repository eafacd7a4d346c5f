#include "core/run/bound_run.h"

#include <algorithm>
#include <set>

namespace percale {

Result<DeviceMemory> DeviceMemory::allocate(const Device& device, int64_t bytes) {
  DeviceMemory out;
  PERCALE_RETURN_IF_ERROR(
      from_c(device.api().allocate(device.handle(), static_cast<uint64_t>(std::max<int64_t>(bytes, 1)), &out.data_))
          .with_context(device.name()));
  out.device_ = &device;
  return out;
}

Result<PinnedMemory> PinnedMemory::allocate(const Device& device, int64_t bytes) {
  PinnedMemory out;
  PERCALE_RETURN_IF_ERROR(from_c(device.api().allocate_host(
                                     device.handle(), static_cast<uint64_t>(std::max<int64_t>(bytes, 1)), &out.data_))
                              .with_context(device.name()));
  out.device_ = &device;
  return out;
}

Result<DeviceQueue> DeviceQueue::create(const Device& device) {
  DeviceQueue out;
  PERCALE_RETURN_IF_ERROR(from_c(device.api().stream_create(device.handle(), &out.queue_)).with_context(device.name()));
  out.device_ = &device;
  return out;
}

namespace {

// Whether an output lies in memory of its own: neither in a result of the host's nor where something else is kept.
bool needs_buffer(const PlacedProgram& p, size_t output) {
  const Operand& place = p.program->output_from[output];
  return place.home == Home::kOutput && place.index == static_cast<int64_t>(output) &&
         !(p.device->shares_host_memory() && !p.part.outputs[output].results.empty());
}

// How far the sender of a transfer must have come.
int32_t progress_of(const Compiled& compiled, const Transfer& transfer) {
  const Program& from = *compiled.programs[static_cast<size_t>(transfer.from_part)].program;
  if (transfer.to_input < 0) return from.end_of(transfer.after_node);
  // What the run was given is there before anything begins.
  const Operand& place = from.output_from[static_cast<size_t>(transfer.from_output)];
  const auto& inputs = compiled.programs[static_cast<size_t>(transfer.from_part)].part.inputs;
  const bool given =
      place.home == Home::kInput && inputs[static_cast<size_t>(place.index)].kind == PartInput::Kind::kFeed;
  if (given) return 0;
  return from.output_ready[static_cast<size_t>(transfer.from_output)] + 1;
}

// What the program owes others, and when.
void bind_sender(const Compiled& compiled, BoundProgram& p) {
  const auto self = static_cast<int32_t>(p.placed - compiled.programs.data());
  p.awaited.push_back(p.size() + 1);
  for (size_t t = 0; t < compiled.transfers.size(); ++t) {
    const Transfer& transfer = compiled.transfers[t];
    if (transfer.from_part != self) continue;
    const int32_t after = progress_of(compiled, transfer);
    p.awaited.push_back(after);
    const bool sent =
        std::any_of(p.sends.begin(), p.sends.end(), [&](const Send& s) { return s.output == transfer.from_output; });
    if (p.is_queued() && transfer.to_input >= 0 && !sent) {
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

void bind_queue(BoundProgram& p) {
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
Status bind_program(const Compiled& compiled, BoundProgram& p) {
  const Program& program = *p.placed->program;
  const Device& device = *p.placed->device;
  const auto add_buffer = [&](int64_t bytes) -> Result<void*> {
    PERCALE_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::allocate(device, bytes));
    return p.buffers.emplace_back(std::move(memory)).data();
  };
  const auto bytes_of = [](const ValueType& type) { return byte_size(type.dtype, type.shape); };
  if (device.has_queues()) {
    PERCALE_ASSIGN_OR_RETURN(p.queue, DeviceQueue::create(device));
    bind_queue(p);
  }
  PERCALE_ASSIGN_OR_RETURN(p.arena, DeviceMemory::allocate(device, program.arena_bytes));
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
    if (p.placed->input_variable[i] >= 0) continue;
    PERCALE_ASSIGN_OR_RETURN(const int64_t bytes, bytes_of(program.inputs[i]));
    PERCALE_ASSIGN_OR_RETURN(p.own_inputs[i], add_buffer(bytes));
  }
  for (size_t k = 0; k < program.outputs.size(); ++k) {
    if (!needs_buffer(*p.placed, k) || p.placed->output_variable[k] >= 0) continue;
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
      case Home::kArena: p.operands[i] = static_cast<std::byte*>(p.arena.data()) + o.index; break;
      case Home::kConstant: p.operands[i] = p.constants[static_cast<size_t>(o.index)]; break;
      default: p.patches.push_back({static_cast<uint32_t>(i), o});
    }
  }
  const auto end = static_cast<int32_t>(program.instructions.size());
  const auto self = static_cast<int32_t>(p.placed - compiled.programs.data());
  for (size_t t = 0; t < compiled.transfers.size(); ++t) {
    const Transfer& transfer = compiled.transfers[t];
    if (transfer.to_part != self) continue;
    const auto number = static_cast<int32_t>(t);
    const int32_t at = transfer.to_input < 0 ? program.begin_of(transfer.before_node)
                                             : program.input_needed[static_cast<size_t>(transfer.to_input)];
    const int32_t progress = progress_of(compiled, transfer);
    const bool kept = transfer.to_input >= 0 && progress == 0 &&
                      p.placed->input_variable[static_cast<size_t>(transfer.to_input)] >= 0;
    p.waits.push_back({std::min(at, end), number, transfer.from_part, progress, kept});
  }
  std::stable_sort(p.waits.begin(), p.waits.end(), [](const Wait& a, const Wait& b) { return a.at < b.at; });
  bind_sender(compiled, p);
  if (p.is_queued()) bind_results(p);
  if (compiled.keeps_work) {
    p.stretches = find_stretches(p, false);
    p.long_stretches = find_stretches(p, true);
  }
  return {};
}

// As a pool counts them. Whoever makes a plan has checked that there is such a size.
int64_t booked_type_bytes(const ValueType& type) {
  const auto bytes = byte_size(type.dtype, type.shape);
  return booked_bytes(bytes.ok() ? *bytes : 0);
}

// What the device keeps: copies of variables that the program reads, and next values.
int64_t kept_bytes(const PlacedProgram& p) {
  int64_t total = 0;
  for (size_t i = 0; i < p.input_variable.size(); ++i) {
    if (p.input_variable[i] >= 0) total += booked_type_bytes(p.program->inputs[i]);
  }
  for (size_t k = 0; k < p.output_variable.size(); ++k) {
    if (p.output_variable[k] >= 0) total += booked_type_bytes(p.program->outputs[k]);
  }
  return total;
}

// What bind_program() takes from the device.
int64_t program_bytes(const PlacedProgram& p) {
  const bool own = !p.device->shares_host_memory();
  int64_t total = booked_bytes(p.program->arena_bytes);
  for (size_t i = 0; own && i < p.program->constants.size(); ++i)
    total += booked_bytes(p.program->constants[i].bytes());
  for (size_t i = 0; own && i < p.program->inputs.size(); ++i) {
    if (p.input_variable[i] < 0) total += booked_type_bytes(p.program->inputs[i]);
  }
  for (size_t k = 0; k < p.program->outputs.size(); ++k) {
    if (needs_buffer(p, k) && p.output_variable[k] < 0) total += booked_type_bytes(p.program->outputs[k]);
  }
  return total;
}

// Of the variables that the part reads other than by slices.
int64_t variable_bytes(const Graph& graph, const Function& f) {
  std::vector<bool> whole(f.values.size(), false);
  for (const Node& node : f.nodes) {
    const bool slices = node.op->name == "Slice" || node.op->name == "Gather";
    for (size_t i = slices ? 1 : 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != kNoValue) whole[static_cast<size_t>(node.inputs[i])] = true;
    }
  }
  for (ValueId id : f.outputs) whole[static_cast<size_t>(id)] = true;
  int64_t total = 0;
  std::set<std::string_view> seen;
  for (const Node& node : f.nodes) {
    if (node.op->name != "ReadVariable" || !whole[static_cast<size_t>(node.outputs[0])]) continue;
    const Variable* v = graph.find_variable(node.attributes.get_string("variable"));
    if (v != nullptr && seen.insert(v->name).second) total += booked_type_bytes({v->dtype, v->shape});
  }
  return total;
}

// What bind_run() takes from devices, and for staging.
int64_t bound_bytes(const Compiled& compiled) {
  int64_t total = 0;
  for (const PlacedProgram& p : compiled.programs) total += program_bytes(p);
  for (const Transfer& t : compiled.transfers) {
    const bool plain = compiled.programs[static_cast<size_t>(t.from_part)].device->shares_host_memory() &&
                       compiled.programs[static_cast<size_t>(t.to_part)].device->shares_host_memory();
    if (!plain) total += booked_bytes(t.bytes + kAlignment);
  }
  return total;
}

}  // namespace

Result<std::unique_ptr<BoundRun>> bind_run(const Compiled& compiled, const std::shared_ptr<MemoryPool>& memory) {
  auto run = std::make_unique<BoundRun>(memory);
  const int64_t bytes = bound_bytes(compiled);
  PERCALE_RETURN_IF_ERROR(memory->book(bytes));
  run->booked = bytes;
  for (const PlacedProgram& placed : compiled.programs) {
    auto& p = run->programs.emplace_back(std::make_unique<BoundProgram>());
    p->placed = &placed;
    PERCALE_RETURN_IF_ERROR(bind_program(compiled, *p));
  }
  run->staging.resize(compiled.transfers.size());
  for (size_t t = 0; t < compiled.transfers.size(); ++t) {
    const Transfer& transfer = compiled.transfers[t];
    const bool plain = run->programs[static_cast<size_t>(transfer.from_part)]->shares_host_memory() &&
                       run->programs[static_cast<size_t>(transfer.to_part)]->shares_host_memory();
    if (plain) continue;
    const BoundProgram& from = *run->programs[static_cast<size_t>(transfer.from_part)];
    const bool sent_for_another = from.is_queued() && transfer.to_input >= 0 &&
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
      PERCALE_ASSIGN_OR_RETURN(staging.pinned, PinnedMemory::allocate(*pins, transfer.bytes));
      staging.data = static_cast<std::byte*>(staging.pinned.data());
      continue;
    }
    staging.memory.resize(static_cast<size_t>(transfer.bytes) + kAlignment);
    const auto address = reinterpret_cast<uintptr_t>(staging.memory.data());
    staging.data = staging.memory.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
  return run;
}

int64_t run_bytes(const Compiled& compiled) {
  int64_t total = compiled.programs.empty() ? 0 : bound_bytes(compiled);
  for (const ValueType& type : compiled.results) total += booked_type_bytes(type);
  for (const PlacedProgram& p : compiled.programs) {
    total += kept_bytes(p);
    for (size_t i = 0; !compiled.spec.exclusive_state && i < p.program->assigned.size(); ++i) {
      const Variable& v = compiled.graph->variables[static_cast<size_t>(p.program->assigned[i])];
      total += 2 * booked_type_bytes({v.dtype, v.shape});
    }
  }
  // Values of the prologue stay; what computing one of them takes besides is gone before the run begins.
  int64_t preparing = 0;
  for (const Compiled::Preparation& value : compiled.prologue) {
    for (const ValueType& type : value.plan->results) total += booked_type_bytes(type);
    preparing = std::max(preparing, value.plan->peak_bytes);
  }
  return std::max(total, preparing);
}

std::vector<DeviceBytes> device_bytes(const Compiled& compiled) {
  std::vector<DeviceBytes> out;
  for (const PlacedProgram& p : compiled.programs) {
    int64_t shared = variable_bytes(*compiled.graph, p.part.function) + kept_bytes(p);
    for (const PartInput& input : p.part.inputs) {
      const int64_t prepared = input.index - static_cast<int64_t>(compiled.feed_types.size());
      if (input.kind != PartInput::Kind::kFeed || prepared < 0) continue;
      shared += booked_type_bytes(compiled.prologue[static_cast<size_t>(prepared)].plan->results[0]);
    }
    out.push_back({p.part.device, program_bytes(p), shared});
  }
  return out;
}

bool drop_idle_memory(const Compiled& compiled) { return compiled.idle.clear(); }

Compiled::~Compiled() = default;

}  // namespace percale
