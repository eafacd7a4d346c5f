// The memory that the runs of a plan need, in bytes.
#ifndef PERCALE_CORE_COMPILE_PLAN_BYTES_H_
#define PERCALE_CORE_COMPILE_PLAN_BYTES_H_

#include <cstdint>
#include <vector>

#include "core/compile/plan.h"

namespace percale {

// The most bytes of the session's memory that one run at a time needs: arenas, buffers on devices,
// results, precomputed values, and two versions of each variable that it assigns.
int64_t run_bytes(const Plan& plan);

// The bytes that a plan needs on one device.
struct DeviceBytes {
  int32_t device = 0;  // index into the engine's devices
  // Per run: the arena, and the buffers for inputs, outputs and constants on a device with memory
  // of its own.
  int64_t per_run = 0;
  // All runs together: the variables that the nodes read, whole or by slices, and precomputed
  // values.
  int64_t shared = 0;
};
// Device and staging memory that one run allocates before it begins.
int64_t bound_bytes(const Plan& plan);

// True when an output has memory of its own: it is neither a result in host memory nor kept
// elsewhere.
bool needs_buffer(const PlacedProgram& program, size_t output);

// Per program. Excludes what precompute steps need while they run, and what is compiled later.
std::vector<DeviceBytes> device_bytes(const Plan& plan);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_PLAN_BYTES_H_
