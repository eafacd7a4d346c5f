// Declares one registration function per op family. Each registers the family's schemas and its CPU
// kernels, SIMD before portable because the first one that accepts a node wins.
#ifndef PERCALE_OPS_SUPPORT_FAMILIES_H_
#define PERCALE_OPS_SUPPORT_FAMILIES_H_

#include "core/registry/registry.h"

namespace percale {

namespace simd {
struct SimdTable;  // devices/cpu/simd/simd.h
}

// `simd` holds the vector functions for this machine's instruction set. If it is null, only
// portable kernels are registered. It must outlive the registry.
using RegisterFamily = Status (*)(Registry& registry, const simd::SimdTable* simd);

// The list of all families, in registration order.
#define PERCALE_FAMILIES(FAMILY)                               \
  FAMILY(activation)                                           \
  FAMILY(affine_grid)                                          \
  FAMILY(argextreme)                                           \
  FAMILY(attention)                                            \
  FAMILY(bitwise)                                              \
  FAMILY(blocks)                                               \
  FAMILY(cast)                                                 \
  FAMILY(class_loss)                                           \
  FAMILY(col2im)                                               \
  FAMILY(composite)                                            \
  FAMILY(control)                                              \
  FAMILY(conv)                                                 \
  FAMILY(cumulate)                                             \
  FAMILY(debug)                                                \
  FAMILY(detect)                                               \
  FAMILY(einsum)                                               \
  FAMILY(embedding)                                            \
  FAMILY(elementwise)                                          \
  FAMILY(fused)                                                \
  FAMILY(fused_attention)                                      \
  FAMILY(fused_rotary)                                         \
  FAMILY(generate)                                             \
  FAMILY(grid_sample)                                          \
  FAMILY(index)                                                \
  FAMILY(index_nd)                                             \
  FAMILY(integer_product)                                      \
  FAMILY(lamb)                                                 \
  FAMILY(layout)                                               \
  FAMILY(linalg)                                               \
  FAMILY(logic)                                                \
  FAMILY(loss)                                                 \
  FAMILY(lp_pool)                                              \
  FAMILY(matmul)                                               \
  FAMILY(norm)                                                 \
  FAMILY(norm_body)                                            \
  FAMILY(optimizer)                                            \
  FAMILY(pad)                                                  \
  FAMILY(piecewise)                                            \
  FAMILY(pool)                                                 \
  FAMILY(qlinear)                                              \
  FAMILY(quantize)                                             \
  FAMILY(queue)                                                \
  FAMILY(random)                                               \
  FAMILY(random_draw)                                          \
  FAMILY(recurrent)                                            \
  FAMILY(reduce)                                               \
  FAMILY(reduce_body)                                          \
  FAMILY(reorder)                                              \
  FAMILY(resize)                                               \
  FAMILY(roi)                                                  \
  FAMILY(row_sparse)                                           \
  FAMILY(scan)                                                 \
  FAMILY(select)                                               \
  FAMILY(sequence_rows)                                        \
  FAMILY(shape)                                                \
  FAMILY(shard_batch)                                          \
  FAMILY(signal)                                               \
  FAMILY(slice)                                                \
  FAMILY(softmax)                                              \
  FAMILY(state)                                                \
  FAMILY(taper)                                                \
  FAMILY(topk)                                                 \
  FAMILY(trigonometric)                                        \
  FAMILY(unpool)                                               \
  FAMILY(small) /* kernels alone, for ops of cast and logic */ \
  FAMILY(first_upgrades)                                       \
  FAMILY(upgrades)

#define PERCALE_DECLARE(family) Status register_##family(Registry& registry, const simd::SimdTable* simd);
PERCALE_FAMILIES(PERCALE_DECLARE)
#undef PERCALE_DECLARE

}  // namespace percale

#endif  // PERCALE_OPS_SUPPORT_FAMILIES_H_
