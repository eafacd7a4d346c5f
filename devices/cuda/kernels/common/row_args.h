// The arguments of the kernels that work on rows and channels (devices/cuda/rows), as args.h
// describes them.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_ROW_ARGS_H_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_ROW_ARGS_H_

#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

// ---- softmax

struct SoftmaxArgs {
  Ptr x, y;
  int64_t outer, size, inner;
  int32_t log;
  int32_t unused;
};

struct ClassLossArgs {
  // 0 if absent; losses and line weights: f64 per line
  Ptr scores, labels, weights, losses, line_weights, log_prob;
  int64_t lines, classes, inner;
  int64_t ignore_index;
  int32_t ignores, wide_labels, softmax, unused;
  ErrorPlace errors;
};
struct LossSumArgs {
  Ptr losses, line_weights, y;  // y: elements of the loss's type
  int64_t lines;
  int32_t reduction;  // 0: none, y has an element per line; 1: sum; 2: mean
  int32_t dtype;
};
struct ClassGradArgs {
  Ptr dloss, scores, labels, weights, line_weights, total,
      dscores;  // total: f64, the divisor of a mean; 0: no division
  int64_t lines, classes, inner;
  int64_t ignore_index;
  int32_t ignores, wide_labels, softmax, per_line;  // per_line: dloss has an element per line
  int32_t dloss_dtype, unused;                      // percale_dtype
  ErrorPlace errors;
};

// ---- norm

// Rows of `size` elements. The op is layer normalisation, or root mean square normalisation if root
// is 1.
struct RowNormArgs {
  Ptr x, scale, bias, y, mean, inverse;  // bias, mean and inverse: 0 if absent
  int64_t rows, size;
  double epsilon;
  int32_t root, packed;  // packed: 1 if kPackOf elements can be loaded at once
};
struct RowNormGradArgs {
  Ptr dy, x, scale, dx;
  Ptr statistics;  // [rows, 2] in the type of computing: mean, 1 / deviation
  Ptr partial;     // [2, pieces, size] in that type
  Ptr dscale, dbias;
  int64_t rows, size;
  int64_t pieces;  // pieces that the rows are cut into for dscale and dbias
  double epsilon;
  int32_t packed, unused;
};
// A piece of a channel: the mean, and the sum of squared distances from it. For the gradient also
// the sums of dY and of dY (x - mean).
struct ChannelPiece {
  double mean, squares, sum, weighted;
};
// Normalises the channels of [batch, channels, image] or [batch, image, channels].
struct ChannelNormArgs {
  Ptr x, dy, y;                        // y: also dx; dy: 0 forward
  Ptr scale, bias, mean, variance;     // per channel; mean and variance may be 0 in training
  Ptr running_mean, running_variance;  // outputs, or 0
  Ptr residual;                        // added to the result, or 0
  // gradient: output of the Relu behind, whose gradient is dy; or 0
  Ptr relu_result;
  Ptr dscale, dbias;  // outputs of the gradient
  Ptr partial;        // ChannelPiece [channels, pieces]
  // [channels, 4] in the type of computing: the coefficients for the elements
  Ptr table;
  int64_t batch, channels, image, pieces;
  double epsilon, momentum;
  int32_t training, packed;
  int32_t scale_dtype, statistics_dtype;  // percale_dtype
  int32_t channels_last, relu;            // relu: 1 applies Relu to the result
};

// ---- pool

struct PoolArgs {
  Ptr x, y;     // for the gradient dy and dx
  Ptr indices;  // i64 output of MaxPool, or 0
  Ptr chosen;   // i32 for each window: offset of the maximum in its image, -1: none
  // [outer, places, inner]: planes of one channel, or images with channels last
  int64_t outer, inner;
  WindowArgs window;
  int32_t count_pads, column_major;
};

// ---- loss

// Elementwise losses of two tensors of one shape.
struct PairLossArgs {
  Ptr x, target, y, partial;  // partial: f64 [pieces]
  int64_t size, pieces;
  double delta;
  int32_t huber;      // 0: binary cross entropy with logits
  int32_t reduction;  // 0: none, 1: sum, 2: mean
  int32_t dtype, unused;
};

// ---- optimizer

enum class StepRule : int32_t { kSgd, kMomentum, kAdam, kAdamW, kRmsProp, kAdagrad, kFtrl, kLion, kLamb };
struct StepArgs {
  Ptr param, grad, slot0, slot1;  // slots: 0 if the rule has none
  Ptr new_param, new_slot0, new_slot1;
  Ptr rate, scale, step;  // scalars; scale and step may be 0
  int64_t size;
  // `rows`, i64 [row_count]: the parameter's rows that grad is for, ascending, then negative
  // numbers; 0 means all rows. `width`: elements of a row. `most`: rows of the parameter.
  Ptr rows;
  int64_t row_count, width, most;
  // for LAMB: f64 [pieces, 2], squares of the parameter and of the direction
  Ptr sums;
  int64_t pieces;
  StepRule rule;
  int32_t wide_rate, wide_scale;  // 1: f64, 0: f32
  int32_t nesterov;
  int32_t rate_input, unused;  // rate_input: the input's number, for errors
  double weight_decay, momentum, beta1, beta2, epsilon, alpha, power, l1, l2, l2_shrinkage, beta;
  ErrorPlace errors;
};
// The same step for several parameters. `step` holds the values that are common to all. The
// parameters are cut into pieces, which are numbered consecutively over all parameters.
struct StepItem {
  Ptr param, grad, slot0, slot1;
  Ptr new_param, new_slot0, new_slot1;
  int64_t size, first_piece;
};
inline constexpr int64_t kStepPiece = 4096, kMostSteps = 40;
struct StepsArgs {
  StepArgs step;
  int64_t count, pieces;
  StepItem items[kMostSteps];
};

// ---- all_reduce

inline constexpr int kMostPeers = 8;  // GPUs
// Replaces elements `begin` to `end` of all `count` buffers by their sum. `begin` is a multiple of
// 16 bytes.
struct AllReduceArgs {
  Ptr buffers[kMostPeers];
  int64_t begin, end;
  int32_t count;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_ROW_ARGS_H_
