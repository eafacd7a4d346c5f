// CPU kernels of Fused.
#ifndef PERCALE_OPS_FUSED_FUSED_KERNELS_H_
#define PERCALE_OPS_FUSED_FUSED_KERNELS_H_

#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// f32. A body that these refuse is put back by the pass that made it.
Status register_fused_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_FUSED_FUSED_KERNELS_H_
