// Portable kernels of batch and layer normalisation.
#ifndef PERCALE_OPS_NORM_NORM_PORTABLE_H_
#define PERCALE_OPS_NORM_NORM_PORTABLE_H_

#include "core/registry/registry.h"

namespace percale {

// Registers them for both ops and their gradients, behind the SIMD kernels.
Status register_norm_portable(Registry& registry);

}  // namespace percale

#endif  // PERCALE_OPS_NORM_NORM_PORTABLE_H_
