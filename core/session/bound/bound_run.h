// The memory of one run of a plan.
#ifndef PERCALE_CORE_SESSION_BOUND_BOUND_RUN_H_
#define PERCALE_CORE_SESSION_BOUND_BOUND_RUN_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "core/session/bound/bound_program.h"

namespace percale {

// Aligned host memory that a transfer passes through. Pinned if one of the two devices can pin
// memory.
struct Staging {
  std::vector<std::byte> memory;
  PinnedMemory pinned;
  std::byte* data = nullptr;
};

// Kept with the plan between runs.
struct BoundRun final : IdleRun {
  explicit BoundRun(std::shared_ptr<MemoryPool> pool) : memory(std::move(pool)) {}
  ~BoundRun() override {
    if (booked > 0) memory->unbook(booked);
  }
  BoundRun(const BoundRun&) = delete;
  BoundRun& operator=(const BoundRun&) = delete;

  std::shared_ptr<MemoryPool> memory;
  int64_t booked = 0;  // bytes that devices have allocated, accounted for in `memory`
  std::vector<std::unique_ptr<BoundProgram>> programs;
  // Per transfer; no memory if both devices share the host's. If a stream sends an output to
  // several receivers, only the first transfer has memory.
  std::vector<Staging> staging;
};

// Books and allocates the memory that runs of the plan need.
Result<std::unique_ptr<BoundRun>> bind_run(const Plan& plan, const std::shared_ptr<MemoryPool>& memory);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_BOUND_BOUND_RUN_H_
