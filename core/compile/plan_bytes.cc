#include "core/compile/plan_bytes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/memory.h"

namespace percale {

// True if the output lies neither in a result on the host nor where another value is kept.
bool needs_buffer(const PlacedProgram& p, size_t output) {
  const Operand& place = p.program->output_from[output];
  return place.home == Home::kOutput && place.index == static_cast<int64_t>(output) &&
         !(p.device->shares_host_memory() && !p.part.outputs[output].results.empty());
}

namespace {

// The size as a pool accounts for it. The compiler has checked that the size is valid.
int64_t booked_type_bytes(const ValueType& type) {
  const auto bytes = byte_size(type.dtype, type.shape);
  return booked_bytes(bytes.ok() ? *bytes : 0);
}

// The values that the store keeps for the program: copies that it reads, and values that it
// computes.
int64_t kept_bytes(const PlacedProgram& p) {
  int64_t total = 0;
  for (size_t i = 0; i < p.input_keys.size(); ++i) {
    if (p.input_keys[i].defined()) total += booked_type_bytes(p.program->inputs[i]);
  }
  for (size_t k = 0; k < p.output_keys.size(); ++k) {
    if (p.output_keys[k].defined()) total += booked_type_bytes(p.program->outputs[k]);
  }
  return total;
}

// The bytes that bind_program() allocates on the device.
int64_t program_bytes(const PlacedProgram& p) {
  const bool own = !p.device->shares_host_memory();
  int64_t total = booked_bytes(p.program->arena_bytes);
  for (size_t i = 0; own && i < p.program->constants.size(); ++i)
    total += booked_bytes(p.program->constants[i].bytes());
  for (size_t i = 0; own && i < p.program->inputs.size(); ++i) {
    if (!p.input_keys[i].defined()) total += booked_type_bytes(p.program->inputs[i]);
  }
  for (size_t k = 0; k < p.program->outputs.size(); ++k) {
    if (needs_buffer(p, k) && !p.output_keys[k].defined()) total += booked_type_bytes(p.program->outputs[k]);
  }
  return total;
}

// The bytes of the variables that the part reads other than by slices.
int64_t variable_bytes(const Graph& graph, const Function& f) {
  std::vector<bool> whole(f.values.size(), false);
  for (const Node& node : f.nodes) {
    const bool slices = node.op->is(Role::kSlice) || node.op->is(Role::kGather);
    for (size_t i = slices ? 1 : 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != kNoValue) whole[static_cast<size_t>(node.inputs[i])] = true;
    }
  }
  for (ValueId id : f.outputs) whole[static_cast<size_t>(id)] = true;
  int64_t total = 0;
  std::set<std::string_view> seen;
  for (const Node& node : f.nodes) {
    if (!node.op->is(Role::kReadVariable) || !whole[static_cast<size_t>(node.outputs[0])]) continue;
    const Variable* v = graph.find_variable(node.attributes.get_string("variable"));
    if (v != nullptr && seen.insert(v->name).second) total += booked_type_bytes({v->dtype, v->shape});
  }
  return total;
}

}  // namespace

// The bytes that bind_run() allocates on devices, and for staging.
int64_t bound_bytes(const Plan& plan) {
  int64_t total = 0;
  for (const PlacedProgram& p : plan.programs) total += program_bytes(p);
  for (const Transfer& t : plan.transfers) {
    const bool plain = plan.programs[static_cast<size_t>(t.from_part)].device->shares_host_memory() &&
                       plan.programs[static_cast<size_t>(t.to_part)].device->shares_host_memory();
    if (!plain) total += booked_bytes(t.bytes + kAlignment);
  }
  return total;
}

int64_t run_bytes(const Plan& plan) {
  int64_t total = plan.programs.empty() ? 0 : bound_bytes(plan);
  for (const ValueType& type : plan.results) total += booked_type_bytes(type);
  for (const PlacedProgram& p : plan.programs) {
    total += kept_bytes(p);
    for (size_t i = 0; !plan.spec.binding.is_exclusive() && i < p.program->assigned.size(); ++i) {
      const Variable& v = plan.graph->variables[static_cast<size_t>(p.program->assigned[i])];
      total += 2 * booked_type_bytes({v.dtype, v.shape});
    }
  }
  // Precomputed values stay. The memory for computing one of them is free again before the run
  // begins.
  int64_t preparing = 0;
  for (const Plan::PrecomputeStep& value : plan.precompute.steps) {
    for (const ValueType& type : value.plan->results) total += booked_type_bytes(type);
    preparing = std::max(preparing, value.plan->peak_bytes);
  }
  return std::max(total, preparing);
}

std::vector<DeviceBytes> device_bytes(const Plan& plan) {
  std::vector<DeviceBytes> out;
  for (const PlacedProgram& p : plan.programs) {
    int64_t shared = variable_bytes(*plan.graph, p.part.function) + kept_bytes(p);
    for (const PartInput& input : p.part.inputs) {
      const int64_t precomputed = input.index - static_cast<int64_t>(plan.feed_types.size());
      if (input.kind != PartInput::Kind::kFeed || precomputed < 0) continue;
      shared += booked_type_bytes(plan.precompute.steps[static_cast<size_t>(precomputed)].plan->results[0]);
    }
    out.push_back({p.part.device, program_bytes(p), shared});
  }
  return out;
}

}  // namespace percale
