#include "ops/all_ops.h"

namespace percale {
namespace {

#define PERCALE_REGISTER(family) register_##family,
constexpr RegisterFamily kFamilies[] = {PERCALE_FAMILIES(PERCALE_REGISTER)};
#undef PERCALE_REGISTER

}  // namespace

Status register_all_ops(Registry& registry, const simd::SimdTable* simd) {
  for (RegisterFamily family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry, simd));
  return registry.check_built_ops();
}

}  // namespace percale
