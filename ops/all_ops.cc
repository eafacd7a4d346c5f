#include "ops/all_ops.h"

namespace percale {
namespace {

constexpr RegisterFamily kFamilies[] = {
    register_activation, register_argextreme,     register_bitwise,       register_blocks,    register_cast,
    register_class_loss, register_col2im,         register_composite,     register_control,   register_conv,
    register_cumulate,   register_debug,          register_elementwise,   register_fused,     register_generate,
    register_index,      register_index_nd,       register_lamb,          register_layout,    register_linalg,
    register_logic,      register_loss,           register_lp_pool,       register_matmul,    register_norm,
    register_norm_body,  register_optimizer,      register_pad,           register_piecewise, register_pool,
    register_queue,      register_random,         register_random_draw,   register_reduce,    register_reduce_body,
    register_resize,     register_select,         register_sequence_rows, register_shape,     register_slice,
    register_small,  // kernels alone, for ops of cast and logic
    register_softmax,    register_state,          register_taper,         register_topk,      register_trigonometric,
    register_unpool,     register_first_upgrades, register_upgrades,
};

}  // namespace

Status register_all_ops(Registry& registry, const simd::SimdTable* simd) {
  for (RegisterFamily family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry, simd));
  return {};
}

}  // namespace percale
