// Shared parts of attention by single threads and on tensor cores: scores, and the operands of the
// gradients.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_PRODUCTS_ATTENTION_CUH_
#define PERCALE_DEVICES_CUDA_KERNELS_PRODUCTS_ATTENTION_CUH_

#include "devices/cuda/kernels/common/device.cuh"
#include "devices/cuda/kernels/common/product_args.h"

namespace percale::cuda {

// Rounds to the precision of T.
template <class T>
__device__ Wide<T> rounded(Wide<T> x) {
  return widen(narrow<T>(x));
}

// Returns the score for the product of a query and a key. It is rounded where the op's body rounds,
// which has the scale in T, too; otherwise large scores would differ by more than the weights
// tolerate.
template <class T>
__device__ Wide<T> score_of(const AttentionArgs& a, Wide<T> product, int64_t b, int64_t head, int64_t query,
                            int64_t key) {
  using W = Wide<T>;
  const W score = rounded<T>(rounded<T>(product) * rounded<T>(static_cast<W>(a.scale)));
  if (a.mask.address == 0) return score;
  const int64_t i = b * a.mask_steps[0] + head * a.mask_steps[1] + query * a.mask_steps[2] + key * a.mask_steps[3];
  return a.wide_mask ? score + static_cast<W>(at<const float>(a.mask)[i])
                     : rounded<T>(score + widen(at<const T>(a.mask)[i]));
}

// One side of the scores: the rows whose gradients a block computes, or the rows of the other side.
// Each has two operands.
template <class T>
struct AttentionSide {
  const T *first, *second;  // q and dy, or k and v, of a head
  int64_t first_step, second_step, count;
};
template <class T>
__device__ AttentionSide<T> side_of(const AttentionGradArgs& g, bool keys, int64_t b, int64_t head) {
  const AttentionArgs& a = g.of;
  if (keys) {
    return {at<const T>(a.k) + b * a.k_steps[0] + head * a.k_steps[1],
            at<const T>(a.v) + b * a.v_steps[0] + head * a.v_steps[1], a.k_steps[2], a.v_steps[2], a.keys};
  }
  return {at<const T>(a.q) + b * a.q_steps[0] + head * a.q_steps[1],
          at<const T>(g.dy) + b * g.dy_steps[0] + head * g.dy_steps[1], a.q_steps[2], g.dy_steps[2], a.queries};
}

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_PRODUCTS_ATTENTION_CUH_
