#include "ops/all_ops.h"

#include <array>

namespace percale {
namespace {

constexpr std::array<RegisterFamily, 0> kFamilies = {};

}  // namespace

Status register_all_ops(Registry& registry, const simd::SimdTable* simd) {
  for (RegisterFamily family : kFamilies) PERCALE_RETURN_IF_ERROR(family(registry, simd));
  return {};
}

}  // namespace percale
