// The kernels that there are: what prepares a node for each.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_KERNELS_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_KERNELS_H_

#include <optional>
#include <vector>

#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// Each family adds its entries; a line in kernels.cc for each.
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
void add_sequence(Entries& entries);
void add_fold(Entries& entries);
void add_bag(Entries& entries);
void add_sort(Entries& entries);
void add_generate(Entries& entries);
void add_random(Entries& entries);
void add_recurrent(Entries& entries);
void add_matmul(Entries& entries);
void add_product(Entries& entries);

// All of them, in the order in which they are offered nodes.
Entries all_kernels();

// y[size elements of `bytes`] = x over the walk of both, for kernels of other families; offsets are in the pointers.
void run_copy(const Launch& launch, int64_t item_bytes, const CopyArgs& args);
// All `bytes` as they are, unless they are there already; zeros.
void run_move(const Launch& launch, Ptr to, Ptr from, int64_t bytes);
void run_clear(const Launch& launch, Ptr y, int64_t bytes);
// y[size] = x[size] in another type that Cast knows.
void run_cast(const Launch& launch, percale_dtype from, percale_dtype to, Ptr x, Ptr y, int64_t size);

// What a node does with each element, as the device code knows it: functions of one float, and of two.
struct UnaryCode {
  UnaryOp op;
  double alpha = 0, beta = 0;
};
std::optional<UnaryCode> unary_code(const Node& node);
std::optional<BinaryOp> binary_code(const Node& node);

// What is reduced: an input of a node, into one of its outputs.
struct Operand {
  percale_dtype dtype;
  Dims dims;
  size_t input, output;
};
// Over the dims that are marked, for kernels of other families, too.
Run reduce_dims(Plan& plan, ReduceOp op, const Operand& operand, const std::vector<bool>& reduced);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_KERNELS_H_
