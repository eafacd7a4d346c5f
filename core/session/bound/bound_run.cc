#include "core/session/bound/bound_run.h"

#include <algorithm>

#include "core/compile/plan_bytes.h"

namespace percale {
namespace {

bool needs_staging(const BoundRun& run, const Transfer& transfer, size_t number) {
  const BoundProgram& from = *run.programs[static_cast<size_t>(transfer.from_part)];
  const BoundProgram& to = *run.programs[static_cast<size_t>(transfer.to_part)];
  if (from.shares_host_memory() && to.shares_host_memory()) return false;
  if (!from.has_stream() || transfer.to_input < 0) return true;
  const auto& sends = from.stream->sends;
  return std::any_of(sends.begin(), sends.end(),
                     [&](const StreamCopy& s) { return s.to == static_cast<int32_t>(number); });
}

// The first of the two devices that can pin host memory; null if none can.
const Device* pinning_device(const BoundRun& run, const Transfer& transfer) {
  for (const int32_t part : {transfer.from_part, transfer.to_part}) {
    const Device& device = run.programs[static_cast<size_t>(part)]->device();
    if (device.api().allocate_host != nullptr) return &device;
  }
  return nullptr;
}

Status allocate_staging(const BoundRun& run, const Transfer& transfer, Staging& staging) {
  if (const Device* device = pinning_device(run, transfer)) {
    PERCALE_ASSIGN_OR_RETURN(staging.pinned, allocate_pinned(*device, transfer.bytes));
    staging.data = static_cast<std::byte*>(staging.pinned.get());
    return {};
  }
  staging.memory.resize(static_cast<size_t>(transfer.bytes) + kAlignment);
  const auto address = reinterpret_cast<uintptr_t>(staging.memory.data());
  staging.data = staging.memory.data() + (kAlignment - address % kAlignment) % kAlignment;
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
    if (!needs_staging(*run, plan.transfers[t], t)) continue;
    PERCALE_RETURN_IF_ERROR(allocate_staging(*run, plan.transfers[t], run->staging[t]));
  }
  return run;
}

}  // namespace percale
