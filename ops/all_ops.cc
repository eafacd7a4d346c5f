#include "ops/all_ops.h"

namespace percale {
namespace {

constexpr RegisterFamily kFamilies[] = {
    register_activation, register_argextreme, register_cast,           register_class_loss,  register_composite,
    register_control,    register_conv,       register_debug,          register_elementwise, register_fused,
    register_generate,   register_index,      register_index_nd,       register_lamb,        register_layout,
    register_linalg,     register_logic,      register_loss,           register_matmul,      register_norm,
    register_optimizer,  register_pad,        register_pool,           register_queue,       register_random,
    register_recurrent,  register_reduce,     register_resize,         register_shape,       register_slice,
    register_small,  // kernels alone, for ops of cast and logic
    register_softmax,    register_state,      register_first_upgrades, register_upgrades,
};

}  // namespace

Status register_all_ops(Registry& registry, const simd::SimdTable* simd) {
  for (RegisterFamily family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry, simd));
  return {};
}

}  // namespace percale
