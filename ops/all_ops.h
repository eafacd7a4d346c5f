// Registers every op family: schemas and CPU kernels.
#ifndef PERCALE_OPS_ALL_OPS_H_
#define PERCALE_OPS_ALL_OPS_H_

#include <string_view>

#include "core/registry/registry.h"
#include "ops/support/families.h"

namespace percale {

Status register_all_ops(Registry& registry, const simd::SimdTable* simd);

// The same with the vector functions of the highest instruction set that the machine has and `isa`
// allows, a text of the option "isa". Sets the registry's instruction set and numerics.
// INVALID_ARGUMENT for another text. FAILED_PRECONDITION if numerics are to be portable and the
// machine has no vector functions.
Status register_all_ops(Registry& registry, std::string_view isa, Numerics numerics);

}  // namespace percale

#endif  // PERCALE_OPS_ALL_OPS_H_
