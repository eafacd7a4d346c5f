// Strided walks over several operands, for kernels. See Walk in kernels/common/args.h.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_WALK_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_WALK_H_

#include <array>

#include "devices/cuda/driver/node.h"
#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

// Returns the strides of a row-major tensor.
Dims row_major(const Dims& dims);
// Returns the strides of an operand with `dims` that broadcasts to the shape `out`. The stride of a
// repeated dim is 0.
Dims broadcast_strides(const Dims& dims, const Dims& out);

// The operands of MatMul or BatchMatMul: op(A) [m, k] and op(B) [k, n]. Their batch dims broadcast
// and are padded to one rank.
struct MatMulDims {
  explicit MatMulDims(const Node& node);
  bool trans_a, trans_b;
  int64_t m, n, k;
  Dims a_batch, b_batch, y_batch;
};

// Builds a walk. Dims of size one are dropped, and neighbouring dims that are contiguous for all
// operands are merged. Throws a Refusal if more than kMaxDims are left.
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
      refuse_if(out.rank == kMaxDims, "more than eight dims that cannot be merged");
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
