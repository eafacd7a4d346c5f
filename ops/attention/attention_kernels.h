// CPU kernels of attention.
#ifndef PERCALE_OPS_ATTENTION_ATTENTION_KERNELS_H_
#define PERCALE_OPS_ATTENTION_ATTENTION_KERNELS_H_

#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

// f32, of FusedAttention and of Attention without cache, positions and outputs beside Y.
Status register_attention_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_ATTENTION_ATTENTION_KERNELS_H_
