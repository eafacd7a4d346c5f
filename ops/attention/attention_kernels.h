// SIMD CPU kernels of attention.
#ifndef PERCALE_OPS_ATTENTION_ATTENTION_KERNELS_H_
#define PERCALE_OPS_ATTENTION_ATTENTION_KERNELS_H_

#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// Registers f32 kernels for FusedAttention and for Attention without a cache, without
// position-dependent masks and with Y as the only output.
Status register_attention_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_ATTENTION_ATTENTION_KERNELS_H_
