// The list of all kernels, and helpers that kernels of several families share.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_KERNELS_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_KERNELS_H_

#include <optional>
#include <vector>

#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// Each function appends the entries of one family. all_kernels() calls each of them once.
using Entries = std::vector<KernelEntry>;
void add_unary(Entries& entries);
void add_cast(Entries& entries);
void add_binary(Entries& entries);
void add_fused(Entries& entries);
void add_reduce(Entries& entries);
void add_softmax(Entries& entries);
void add_class_loss(Entries& entries);
void add_norm(Entries& entries);
void add_pool(Entries& entries);
void add_grid(Entries& entries);
void add_roi(Entries& entries);
void add_conv(Entries& entries);
void add_attention(Entries& entries);
void add_loss(Entries& entries);
void add_optimizer(Entries& entries);
void add_layout(Entries& entries);
void add_pad(Entries& entries);
void add_index(Entries& entries);
void add_select(Entries& entries);
void add_sequence(Entries& entries);
void add_fold(Entries& entries);
void add_bag(Entries& entries);
void add_sort(Entries& entries);
void add_cumulate(Entries& entries);
void add_generate(Entries& entries);
void add_random(Entries& entries);
void add_recurrent(Entries& entries);
void add_matmul(Entries& entries);
void add_product(Entries& entries);

// Returns all entries, in the order in which nodes are offered to them.
Entries all_kernels();

// Copies `x` to `y` along the strides of both, for kernels of other families. Elements have
// `item_bytes` bytes. The pointers include the offsets.
void run_copy(const Launch& launch, int64_t item_bytes, const CopyArgs& args);
// run_move() copies `bytes` bytes unless `to` and `from` are the same address. run_clear() writes
// zeros.
void run_move(const Launch& launch, Ptr to, Ptr from, int64_t bytes);
void run_clear(const Launch& launch, Ptr y, int64_t bytes);
// Computes y[size] = x[size], converted to another type that Cast supports.
void run_cast(const Launch& launch, percale_dtype from, percale_dtype to, Ptr x, Ptr y, int64_t size);

// The codes by which the device code knows elementwise functions of one and of two floats. Empty if
// there is no code for the node.
struct UnaryCode {
  UnaryOp op;
  double alpha = 0, beta = 0;
};
std::optional<UnaryCode> unary_code(const Node& node);
std::optional<BinaryOp> binary_code(const Node& node);

// The operand of a reduction: an input of a node, which is reduced into one of its outputs.
struct Operand {
  percale_dtype dtype;
  Dims dims;
  size_t input, output;
};
// Reduces the dims that are marked. Kernels of other families use it too.
Run reduce_dims(Plan& plan, ReduceOp op, const Operand& operand, const std::vector<bool>& reduced);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_KERNELS_H_
