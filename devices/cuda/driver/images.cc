#include "devices/cuda/driver/images.h"

#include <array>

// Defined by the build: the module image of each family.
#define PERCALE_CUDA_FAMILY(name) extern "C" const unsigned char percale_cuda_image_##name[];
PERCALE_CUDA_FAMILIES(PERCALE_CUDA_FAMILY)
#undef PERCALE_CUDA_FAMILY

namespace percale::cuda {

const void* image_of(Family family) {
#define PERCALE_CUDA_FAMILY(name) percale_cuda_image_##name,
  static constexpr std::array<const unsigned char*, kFamilies> kImages = {PERCALE_CUDA_FAMILIES(PERCALE_CUDA_FAMILY)};
#undef PERCALE_CUDA_FAMILY
  return kImages[static_cast<size_t>(family)];
}

const char* name_of(Family family) {
#define PERCALE_CUDA_FAMILY(name) #name,
  static constexpr std::array<const char*, kFamilies> kNames = {PERCALE_CUDA_FAMILIES(PERCALE_CUDA_FAMILY)};
#undef PERCALE_CUDA_FAMILY
  return kNames[static_cast<size_t>(family)];
}

}  // namespace percale::cuda
