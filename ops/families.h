// What each family file gives to all_ops.cc: one function that registers its schemas and CPU kernels
// (best first: SIMD, then portable).
#ifndef PERCALE_OPS_FAMILIES_H_
#define PERCALE_OPS_FAMILIES_H_

#include "core/registry/registry.h"

namespace percale {

namespace simd {
struct SimdTable;  // devices/cpu/simd/simd.h
}

// `simd`: the vector functions of this machine's instruction set, null where there is none; then the portable kernels
// alone are registered. It must outlive the registry.
using RegisterFamily = Status (*)(Registry& registry, const simd::SimdTable* simd);

Status register_activation(Registry& registry, const simd::SimdTable* simd);
Status register_argextreme(Registry& registry, const simd::SimdTable* simd);
Status register_cast(Registry& registry, const simd::SimdTable* simd);
Status register_class_loss(Registry& registry, const simd::SimdTable* simd);
Status register_composite(Registry& registry, const simd::SimdTable* simd);
Status register_control(Registry& registry, const simd::SimdTable* simd);
Status register_conv(Registry& registry, const simd::SimdTable* simd);
Status register_debug(Registry& registry, const simd::SimdTable* simd);
Status register_elementwise(Registry& registry, const simd::SimdTable* simd);
Status register_fused(Registry& registry, const simd::SimdTable* simd);
Status register_generate(Registry& registry, const simd::SimdTable* simd);
Status register_index(Registry& registry, const simd::SimdTable* simd);
Status register_index_nd(Registry& registry, const simd::SimdTable* simd);
Status register_lamb(Registry& registry, const simd::SimdTable* simd);
Status register_layout(Registry& registry, const simd::SimdTable* simd);
Status register_linalg(Registry& registry, const simd::SimdTable* simd);
Status register_logic(Registry& registry, const simd::SimdTable* simd);
Status register_loss(Registry& registry, const simd::SimdTable* simd);
Status register_matmul(Registry& registry, const simd::SimdTable* simd);
Status register_norm(Registry& registry, const simd::SimdTable* simd);
Status register_optimizer(Registry& registry, const simd::SimdTable* simd);
Status register_pad(Registry& registry, const simd::SimdTable* simd);
Status register_pool(Registry& registry, const simd::SimdTable* simd);
Status register_queue(Registry& registry, const simd::SimdTable* simd);
Status register_random(Registry& registry, const simd::SimdTable* simd);
Status register_recurrent(Registry& registry, const simd::SimdTable* simd);
Status register_reduce(Registry& registry, const simd::SimdTable* simd);
Status register_resize(Registry& registry, const simd::SimdTable* simd);
Status register_shape(Registry& registry, const simd::SimdTable* simd);
Status register_slice(Registry& registry, const simd::SimdTable* simd);
Status register_small(Registry& registry, const simd::SimdTable* simd);
Status register_softmax(Registry& registry, const simd::SimdTable* simd);
Status register_state(Registry& registry, const simd::SimdTable* simd);
Status register_first_upgrades(Registry& registry, const simd::SimdTable* simd);
Status register_upgrades(Registry& registry, const simd::SimdTable* simd);

}  // namespace percale

#endif  // PERCALE_OPS_FAMILIES_H_
