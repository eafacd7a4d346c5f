// Registers every op family: schemas and CPU kernels.
#ifndef PERCALE_OPS_ALL_OPS_H_
#define PERCALE_OPS_ALL_OPS_H_

#include "core/registry/registry.h"
#include "ops/support/families.h"

namespace percale {

Status register_all_ops(Registry& registry, const simd::SimdTable* simd);

}  // namespace percale

#endif  // PERCALE_OPS_ALL_OPS_H_
