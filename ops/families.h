// What each family file gives to all_ops.cc: one function that registers its schemas and CPU kernels.
#ifndef PERCALE_OPS_FAMILIES_H_
#define PERCALE_OPS_FAMILIES_H_

#include "core/registry/registry.h"

namespace percale {

}  // namespace percale

#endif  // PERCALE_OPS_FAMILIES_H_
