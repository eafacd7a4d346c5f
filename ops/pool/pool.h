// Sizes of pools and their gradients, in the form that the kernels use.
#ifndef PERCALE_OPS_POOL_POOL_H_
#define PERCALE_OPS_POOL_POOL_H_

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"
#include "ops/support/window.h"

namespace percale {

// A window that slides over `images` independent images (batch times channels). X is [images,
// window.in], Y [images, window.out].
struct PoolSizes {
  Window window;
  int64_t images = 0;
  bool count_include_pad = false;
  bool column_major = false;  // storage order of Indices
  bool indices = false;
  DType dtype = DType::kInvalid;
};

// Returns the sizes of the pool from X of shape `x` to Y that `attributes` describe. With "global",
// one window covers the whole image. All dims must be known.
Result<PoolSizes> pool_sizes(const Attributes& attributes, const Shape& x, DType dtype);

// Registers the SIMD kernels of the family: f32 with one or two spatial dims.
Status register_pool_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_POOL_POOL_H_
