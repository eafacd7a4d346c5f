// The arguments of the kernels of products and convolutions (devices/cuda/products), as args.h
// describes them.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_PRODUCT_ARGS_H_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_PRODUCT_ARGS_H_

#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

// ---- conv

// A convolution of [batch, groups * in_channels, in] to [batch, groups * out_channels, out]. The
// weights are [groups * out_channels, in_channels, kernel].
struct ConvArgs {
  Ptr x, w, bias, y;    // the operands of the op; bias may be 0
  Ptr result, partial;  // partial: [pieces, groups, rows, columns] in the type of computing
  int64_t batch, groups, in_channels, out_channels;
  int64_t pieces;  // pieces that the sums of the weight gradient are cut into
  WindowArgs window;
  // 1: images are [batch, places, channels], weights [channels, taps, channels of a group]
  int32_t channels_last;
  int32_t unused;
};

// y [images, channels, size] += bias [channels]. With channels last, size is 1.
struct ConvBiasArgs {
  Ptr bias, y;
  int64_t count;  // elements of y
  int64_t size, channels;
};

// ---- attention

// The own kernels process tiles: rows of queries by as many keys in f32 and f64; on tensor cores
// rows of one side by others of the other side, with a gap after each row in shared memory.
inline constexpr int kAttentionRows = 32;
inline constexpr int kTensorRows = 64, kTensorOthers = 32, kTensorGap = 8, kTensorThreads = 128;
inline constexpr int kMostHeadSize = 128;

// Heads in any layout whose innermost dim is contiguous. Steps are the strides of batch, head and
// row, in elements.
struct AttentionArgs {
  Ptr q, k, v, mask, y;  // mask: 0 if absent
  // log of the sum of exp of a row's scores [batch, heads, queries], f32 or wider; 0: not wanted
  Ptr statistics;
  int64_t batch, heads, kv_heads, queries, keys;
  int64_t q_steps[3], k_steps[3], v_steps[3], y_steps[3];
  int64_t mask_steps[4];  // batch, head, query, key
  double scale;
  int32_t size, value_size;
  int32_t wide_mask;  // 1: the mask is f32 and the other operands are narrower
  int32_t nan_is_zero;
};

// Gradients of attention. `of.y` and `of.statistics` are the results of the forward pass. dq, dk
// and dv have the strides of q, k and v.
struct AttentionGradArgs {
  AttentionArgs of;
  Ptr dy, dq, dk, dv;
  Ptr delta;  // row sums of dy * y [batch, heads, queries], f32 or wider
  int64_t dy_steps[3];
};

// Sets rows of y to NaN or 0 if no key counts for them, or if their scores contain NaN.
struct AttentionEndArgs {
  Ptr statistics, y;  // log of the sum of exp of a row's scores, f32 [batch, heads, queries]
  int64_t batch, heads, queries;
  int64_t y_steps[3];
  int32_t value_size, nan_is_zero;
};

// Rotates x by a cosine and a sine for every element. The two elements of a pair are half a row
// apart.
struct RotaryArgs {
  Ptr x, cosine, sine, y;
  int64_t size;
  int64_t half;  // half the size of a row of x
  Walk<2> walk;  // of cosine and sine
};

// ---- product

// Computes y [batch, m, n] = (a - a_zero) (b - b_zero) of integers. There is a zero point for each
// row of a and each column of b, or a single one if the step is 0.
struct IntProductArgs {
  Ptr a, b, y;
  Ptr a_zero, b_zero;  // 0: none
  Walk<2> batches;     // of a and b, in matrices
  int64_t size, m, n, k;
  int64_t a_row, a_column, b_row, b_column;
  int64_t a_zero_step, b_zero_step;
};

// A convolution with the shapes of ConvArgs, from bytes to i32. The images have one zero point; the
// weights have one, or one per filter.
struct IntConvArgs {
  Ptr x, w, y;
  Ptr x_zero, w_zero;  // 0: none
  int64_t batch, groups, in_channels, out_channels;
  int64_t w_zero_step;
  WindowArgs window;
};

// ---- recurrent

enum class Cell : int32_t { kRnn, kGru, kLstm };
enum class CellFn : int32_t {
  kTanh,
  kSigmoid,
  kRelu,
  kSoftplus,
  kSoftsign,
  kAffine,
  kElu,
  kHardSigmoid,
  kLeakyRelu,
  kScaledTanh,
  kThresholdedRelu,
};
struct CellActivation {
  CellFn fn;
  int32_t unused;
  double alpha, beta;
};
// One direction of LSTM, GRU or RNN. The arrays have these shapes and contents:
//   sums   [steps, batch, gates, hidden]: inputs of the activations; in the backward pass their
//          gradients. The inputs of GRU's candidate lie behind all of its gates.
//   gates  results of the activations; the same memory as `sums` if `keeps` is 0
//   h, c   [steps + 1, batch, hidden]
//   extra  [steps, batch, hidden], for GRU: r * h, or with linear_before_reset the operand of r
//   dh, dc, room, more  [batch, hidden]
struct RecurrentArgs {
  Ptr x, gathered;               // x: the gradient, if it is scattered
  Ptr lengths, bias, peepholes;  // 0 if absent
  Ptr h_given, c_given, h_out, c_out;
  Ptr y;  // or its gradient, or that of biases or peepholes
  Ptr sums, gates, h, c, extra;
  Ptr dh, dc, room, more;
  int64_t steps, batch, input, hidden;
  int64_t directions, direction, step;
  double clip;
  CellActivation f, g, h_fn;
  Cell cell;
  int32_t unused;
  int32_t batch_first, reversed, input_forget, linear_before_reset;
  int32_t keeps, second;  // second: the second part of a step
  ErrorPlace errors;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_PRODUCT_ARGS_H_
