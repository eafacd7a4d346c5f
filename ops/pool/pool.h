// The node of a pool or of its gradient, as its kernels want it.
#ifndef PERCALE_OPS_POOL_POOL_H_
#define PERCALE_OPS_POOL_POOL_H_

#include "core/registry/kernel.h"
#include "core/registry/registry.h"
#include "devices/cpu/simd/simd.h"
#include "ops/support/window.h"

namespace percale {

// `images` channels of images that the same window slides over; X is [images, window.in], Y [images, window.out].
struct PoolSizes {
  Window window;
  int64_t images = 0;
  bool count_include_pad = false;
  bool column_major = false;  // of Indices
  bool indices = false;
  DType dtype = DType::kInvalid;
};

// The pool from `images` of shape `x` to Y that `attributes` describe; "global" makes one window of everything. Every dim
// is known.
Result<PoolSizes> pool_sizes(const Attributes& attributes, const Shape& x, DType dtype);

// SIMD kernels of the family: f32 with one or two spatial dims.
Status register_pool_simd(Registry& registry, const simd::SimdTable& simd);

}  // namespace percale

#endif  // PERCALE_OPS_POOL_POOL_H_
