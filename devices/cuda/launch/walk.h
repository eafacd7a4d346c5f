// Walks over several operands, for kernels: see Walk in kernels/args.h.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_WALK_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_WALK_H_

#include <array>

#include "devices/cuda/driver/host.h"
#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

// Strides of a row-major tensor.
Dims row_major(const Dims& dims);
// Strides by which an operand of `dims` is walked in the shape `out` that it broadcasts to: 0 along what is repeated.
Dims broadcast_strides(const Dims& dims, const Dims& out);

// The operands of MatMul or BatchMatMul: op(A) [m, k] and op(B) [k, n] of batches that broadcast, padded to one rank.
struct MatMulDims {
  explicit MatMulDims(const Node& node);
  bool trans_a, trans_b;
  int64_t m, n, k;
  Dims a_batch, b_batch, y_batch;
};

// Dims of one are left out and neighbouring dims that all operands walk as one are merged. Refusal when more than kMaxDims are left.
template <size_t kOperands>
Walk<kOperands> make_walk(const Dims& dims, const std::array<Dims, kOperands>& strides) {
  Walk<kOperands> out{};
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    bool merges = out.rank > 0;
    for (size_t k = 0; k < kOperands && merges; ++k) {
      merges = out.strides[k][out.rank - 1] == strides[k][d] * dims[d];
    }
    if (!merges) {
      refuse_if(out.rank == kMaxDims, "more than eight dims that cannot be walked as one");
      ++out.rank;
      out.dims[out.rank - 1] = 1;
    }
    out.dims[out.rank - 1] *= dims[d];
    for (size_t k = 0; k < kOperands; ++k) out.strides[k][out.rank - 1] = strides[k][d];
  }
  return out;
}

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_WALK_H_
