// The memory that the runs of a plan need, in bytes.
#ifndef PERCALE_CORE_COMPILE_PLAN_BYTES_H_
#define PERCALE_CORE_COMPILE_PLAN_BYTES_H_

#include <cstdint>
#include <vector>

#include "core/compile/plan.h"

namespace percale {

// The most that one run at a time holds of the session's memory: arenas, buffers of devices, results, what precompute steps has
// prepared, and of assigned variables the version that is and the one that becomes.
int64_t run_bytes(const Plan& plan);

// What a plan holds of one device's memory.
struct DeviceBytes {
  int32_t device = 0;  // index into the engine's devices
  // By each run: the arena, what stands in for inputs, outputs and constants where the memory is its own, and what others read.
  int64_t per_run = 0;
  // By all runs together: the variables that its nodes read where they lie, or in copies that are kept, and prepared values; what is
  // only sliced counts by its slices, there or in the arena.
  int64_t shared = 0;
};
// Device and staging memory that one run allocates before it begins.
int64_t bound_bytes(const Plan& plan);

// True when an output has memory of its own: it is neither a result in host memory nor kept elsewhere.
bool needs_buffer(const PlacedProgram& program, size_t output);

// Per program. What precompute steps need besides their values, and what is planned later, does not count.
std::vector<DeviceBytes> device_bytes(const Plan& plan);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_PLAN_BYTES_H_
