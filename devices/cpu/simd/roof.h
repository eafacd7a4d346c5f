// The machine's peak arithmetic throughput, for benchmarks.
#ifndef PERCALE_DEVICES_CPU_SIMD_ROOF_H_
#define PERCALE_DEVICES_CPU_SIMD_ROOF_H_

#include <cstdint>

#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

struct RoofFns {
  // Runs `steps` rounds of independent f32 fused multiply-adds in registers (on SSE4, multiplies
  // and adds). Returns the number of floating-point operations done, which the caller divides by
  // the time.
  double (*fma)(int64_t steps);
};
extern const RoofFns kRoofFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_ROOF_H_
