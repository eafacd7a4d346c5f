#include "ops/all_ops.h"

namespace percale {
namespace {

constexpr RegisterFamily kFamilies[] = {
    register_control,
    register_fused,
    register_elementwise,
    register_reduce,
    register_shape,
    register_cast,
    register_logic,
    register_activation,
};

}  // namespace

Status register_all_ops(Registry& registry, const simd::SimdTable* simd) {
  for (RegisterFamily family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry, simd));
  return {};
}

}  // namespace percale
