// The modules that the plug-in carries: one image for each `.cu` in kernels/, compiled by nvcc
// for several GPU architectures.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_IMAGES_H_
#define PERCALE_DEVICES_CUDA_DRIVER_IMAGES_H_

#include <cstddef>

#include "devices/cuda/kernels/families.h"  // made from families.h.in

namespace percale::cuda {

enum class Family {
#define PERCALE_CUDA_FAMILY(name) name,
  PERCALE_CUDA_FAMILIES(PERCALE_CUDA_FAMILY)
#undef PERCALE_CUDA_FAMILY
};
#define PERCALE_CUDA_FAMILY(name) +1
inline constexpr size_t kFamilies = 0 PERCALE_CUDA_FAMILIES(PERCALE_CUDA_FAMILY);
#undef PERCALE_CUDA_FAMILY

// Returns an image for cuModuleLoadData().
const void* image_of(Family family);
const char* name_of(Family family);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_IMAGES_H_
