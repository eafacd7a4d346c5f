// SIMD CPU kernels of Fused.
#ifndef PERCALE_OPS_FUSED_FUSED_KERNELS_H_
#define PERCALE_OPS_FUSED_FUSED_KERNELS_H_

#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// Registers f32 kernels. The pass that creates Fused nodes restores the original nodes if these
// kernels refuse the body.
Status register_fused_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_FUSED_FUSED_KERNELS_H_
