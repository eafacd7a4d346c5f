// SIMD kernels of the families whose portable kernels already fill a file. A family registers them
// before its portable ones. All work in f32.
#ifndef PERCALE_OPS_SUPPORT_SIMD_KERNELS_H_
#define PERCALE_OPS_SUPPORT_SIMD_KERNELS_H_

#include <array>

#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"

namespace percale {

Status register_elementwise_simd(Registry& registry, const simd::SimdTable& simd);
Status register_activation_simd(Registry& registry, const simd::SimdTable& simd);
Status register_reduce_simd(Registry& registry, const simd::SimdTable& simd);
Status register_argextreme_simd(Registry& registry, const simd::SimdTable& simd);
Status register_batch_norm_simd(Registry& registry, const simd::SimdTable& simd);
Status register_layer_norm_simd(Registry& registry, const simd::SimdTable& simd);
Status register_rms_norm_simd(Registry& registry, const simd::SimdTable& simd);
Status register_layout_simd(Registry& registry, const simd::SimdTable& simd);

// Returns which dims of input 0 a planned reduction, or SumToShape, removes.
Result<std::array<bool, kMaxRank>> reduction_mask(const NodeView& node);

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_SIMD_KERNELS_H_
