// The arguments of kernels, shared by host and device code. A kernel takes one of these structs by
// value. Both sides compile this file, so every member has a fixed size. Pointers are addresses of
// device memory, which the host never dereferences.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_

#include <cstddef>
#include <cstdint>

namespace percale::cuda {

struct Ptr {
  uint64_t address;
};

inline constexpr int kMaxDims = 8;

// The memory where kernels record an error. It lies on the host and is written by the one thread
// that finds the guard at 0.
struct ErrorWord {
  int32_t code;
  int32_t unused;
  int64_t detail;
  uint64_t run;
  int64_t mark;
};
struct ErrorPlace {
  Ptr guard;  // uint32_t on the device
  Ptr word;   // ErrorWord on the host
  uint64_t run;
  int64_t mark;
};
// The error codes of the library (percale_run_error).
inline constexpr int32_t kIndexOutOfRange = 102, kDivisionByZero = 103, kBadSize = 104, kNotPositive = 105,
                         kNotFinite = 106;

// A strided walk over several operands at once. It holds the dims, the innermost last, and each
// operand's strides in elements.
template <size_t kOperands>
struct Walk {
  int32_t rank;
  int32_t unused;
  int64_t dims[kMaxDims];
  int64_t strides[kOperands][kMaxDims];
};

// ---- elementwise

enum class UnaryOp : int32_t {
  kCopy,
  kNeg,
  kAbs,
  kSign,
  kSqrt,
  kExp,
  kLog,
  kReciprocal,
  kSin,
  kCos,
  kFloor,
  kCeil,
  kRound,
  kRelu,
  kLeakyRelu,
  kSigmoid,
  kTanh,
  kErf,
  kHardSigmoid,
  kHardSwish,
  kElu,
  kSelu,
  kCelu,
  kSoftplus,
  kSoftsign,
  kMish,
  kGelu,
  kGeluTanh,
  kSwish,
  kThresholdedRelu,
  kNot,
  kScale,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kBitwiseNot,
  // These return a bool. For kIsInf, alpha and beta select negative and positive infinities.
  kIsNan,
  kIsInf,
};
struct UnaryArgs {
  Ptr x, y;
  int64_t size;
  UnaryOp op;
  int32_t unused;
  double alpha, beta;
};

enum class BinaryOp : int32_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,
  kMax,
  kMin,
  kMod,
  kFmod,
  kReluGrad,
  // for Clip: keeps the operand unless it is below (kAtMost: above) the limit, including NaN and -0
  kAtLeast,
  kAtMost,
  kAnd,
  kOr,
  kXor,
  kEqual,
  kGreater,
  kLess,
  kGreaterOrEqual,
  kLessOrEqual,
  kShiftLeft,
  kShiftRight,
};
struct BinaryArgs {
  Ptr a, b, y;  // y: bool for comparisons
  int64_t size;
  BinaryOp op;
  // 1: `walk` holds the strides of a and b. 0: element i of both is used, or element 0 of an
  // operand whose step is 0.
  int32_t general;
  int32_t a_step, b_step;
  Walk<2> walk;
  ErrorPlace errors;
};

struct ClipArgs {
  Ptr x, low, high, y;  // limits: 0 if absent
  int64_t size;
};

struct WhereArgs {
  Ptr condition, a, b, y;
  int64_t size;
  Walk<3> walk;
};

// A group of elementwise nodes of f32, bf16 and f16, as a program that each thread executes for its
// elements. It has as many steps as the library puts nodes into a group. A group that is refused
// runs node by node.
enum class FusedType : int32_t { kF32, kBF16, kF16 };
inline constexpr int kMostFusedSteps = 64, kMostFusedInputs = 12, kMostFusedNumbers = 16, kMostFusedSlots = 8;
// The code of an operand: from each of these numbers on, it is an input, a constant of the program
// or the result of an earlier step.
inline constexpr uint8_t kFusedInput = 0, kFusedNumber = 64, kFusedSlot = 128;
struct FusedStep {
  uint8_t binary;  // 1: `op` is a BinaryOp, 0: a UnaryOp
  uint8_t op;
  uint8_t a, b;  // operands
  uint8_t slot;  // the slot of the result
  uint8_t f16;   // 1: rounds the result to f16; larger values become infinity
  uint8_t unused[2];
  float alpha, beta;
};
struct FusedInput {
  Ptr x;
  // Element i of the result reads element i / block * step + i % period / each.
  int64_t period, each;
  int64_t block, step;
  FusedType type;
  int32_t unused;
};
struct FusedArgs {
  Ptr y;
  int64_t size;
  int32_t steps;
  int32_t unused;
  FusedStep step[kMostFusedSteps];
  FusedInput input[kMostFusedInputs];
  float number[kMostFusedNumbers];
};

// The arguments of a group that is compiled into its own code.
struct FusedCodeArgs {
  Ptr y;
  int64_t size;
  // 1: every input as large as y is laid out so that several elements can be loaded at once
  int32_t packed;
  int32_t unused;
  Ptr input[kMostFusedInputs];
};

// Finds the first infinite or NaN element. `found` is the number of elements from there to the end,
// or 0 if there is none.
struct FiniteArgs {
  Ptr x, found;
  int64_t size;
  ErrorPlace errors;
};

// ---- cast

enum class PowerRound : int32_t { kUp, kDown, kNearest };
struct CastArgs {
  Ptr x, y;
  int64_t size;
  int32_t from, to;  // percale_dtype
  // 1: values too large for a float8 become its largest value, else infinity or NaN
  int32_t saturate;
  PowerRound round;  // for f8e8m0
};

// ---- reduce

enum class ReduceOp : int32_t { kSum, kMean, kMax, kMin, kProd };
struct ReduceArgs {
  Ptr x, y, partial;       // partial: accumulators [outputs, pieces]
  int64_t outputs, count;  // elements of each output
  int64_t pieces;          // pieces that each sum is cut into; with 1, y is written directly
  ReduceOp op;
  // 1: the second step, which combines `pieces` accumulators of `partial` into each element of y
  int32_t last;
  Walk<1> kept, reduced;
};

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
// Normalises the channels of [batch, channels, image] or [batch, image, channels].
struct ChannelNormArgs {
  Ptr x, dy, y;                        // y: also dx; dy: 0 forward
  Ptr scale, bias, mean, variance;     // per channel; mean and variance may be 0 in training
  Ptr running_mean, running_variance;  // outputs, or 0
  Ptr residual;                        // added to the result, or 0
  // gradient: output of the Relu behind, whose gradient is dy; or 0
  Ptr relu_result;
  Ptr dscale, dbias;  // outputs of the gradient
  Ptr partial;        // f64 [channels, pieces, 2]
  Ptr statistics;     // f64 [channels, 2]: mean, 1 / deviation
  // [channels, 4] in the type of computing: the coefficients for the elements
  Ptr table;
  int64_t batch, channels, image, pieces;
  double epsilon, momentum;
  int32_t training, packed;
  int32_t scale_dtype, statistics_dtype;  // percale_dtype
  int32_t channels_last, relu;            // relu: 1 applies Relu to the result
};

// ---- pool

// Sizes of a sliding window over images of up to three dims, right-aligned. For output o, tap k
// reads the input at o * stride + k * dilation - pad.
struct WindowArgs {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
};
struct PoolArgs {
  Ptr x, y;     // for the gradient dy and dx
  Ptr indices;  // i64 output of MaxPool, or 0
  Ptr chosen;   // i32 for each window: offset of the maximum in its image, -1: none
  // [outer, places, inner]: planes of one channel, or images with channels last
  int64_t outer, inner;
  WindowArgs window;
  int32_t count_pads, column_major;
};

// ---- grid

enum class GridMode : int32_t { kNearest, kLinear, kCubic };
enum class GridPadding : int32_t { kZeros, kBorder, kReflection };
// Samples pictures [batch, channels, dims] at the positions of a grid [batch, points, rank]. The
// dims are right-aligned, with 1 in front.
struct GridArgs {
  Ptr x, grid, y;             // y: forward
  Ptr grad, dx, dgrid, sums;  // for gradients; sums: dx in the type of computing, may alias dx
  int64_t batch, channels, points, picture;
  int64_t dims[3];
  int32_t rank, grid_dtype;  // percale_dtype
  GridMode mode;
  GridPadding padding;
  int32_t align_corners, unused;
};

// ---- roi

// Pools regions [count, 4] of pictures [batch, channels, height, width] into rows x columns bins.
struct RoiArgs {
  Ptr x, rois, images, y;  // for the gradient: x is dY, y is dX
  Ptr sums;                // for the gradient: dX in the type of computing, may alias y
  int64_t batch, channels, height, width;
  int64_t count, rows, columns;
  int64_t samples;  // samples along a side of a bin; 0: the side's length, rounded up
  double scale;
  int32_t maximum, half_pixel;
  ErrorPlace errors;
};

// Computes the largest element of each of rows x columns bins of regions [count, 5]. A region holds
// its image, then corners that are rounded to elements.
struct RoiPoolArgs {
  Ptr x, rois, y;
  int64_t batch, channels, height, width;
  int64_t count, rows, columns;
  double scale;
  ErrorPlace errors;
};

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

// ---- bag

enum class BagMode : int32_t { kSum, kMean, kMax };
// Combines the rows of a table for each bag, and passes the gradient back to the rows.
struct BagArgs {
  Ptr grad, table, indices, offsets, weights, y;  // weights: 0 if absent
  int64_t rows, width;                            // of the table
  int64_t count, bags;                            // count: of indices
  int64_t length;                                 // length of every bag; -1: offsets are used
  int64_t padding;                                // the index that is skipped; -1: none
  BagMode mode;
  int32_t wide_indices, wide_offsets;
  int32_t ends;  // 1: the last offset ends the last bag
  ErrorPlace errors;
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

// ---- layout

// Copies y[to] = x[from] over a walk of both. The pointers include the offsets.
struct CopyArgs {
  Ptr x, y;
  int64_t size;
  Walk<2> walk;  // x, y
};
// y [batch, columns, rows] = x [batch, rows, columns]
struct TransposeArgs {
  Ptr x, y;
  int64_t batch, rows, columns;
};
struct FillArgs {
  Ptr y;
  int64_t size;
  uint64_t bits;
};

// ---- pad

enum class PadMode : int32_t { kConstant, kReflect, kEdge, kWrap };
// Pad and Tile fill `large` with elements of `small`. Their gradients sum them back.
struct PadArgs {
  Ptr x, y, value;  // value: of the constant mode; 0: zero
  int64_t size;     // elements of y
  int32_t rank;
  PadMode mode;
  int64_t small[kMaxDims], large[kMaxDims], before[kMaxDims];
};

// ---- index

// y [outer, count, inner] = x [outer, size, inner] at indices [count]
struct GatherArgs {
  Ptr x, indices, y;
  int64_t outer, size, count, inner;
  int32_t wide, unused;  // wide: i64 indices, else i32
  ErrorPlace errors;
};
// Element i of y is the element of x at offset `walk`(i) + indices[i] * step.
struct GatherElementsArgs {
  Ptr x, indices, y;
  int64_t count, size, step;
  int32_t wide, unused;
  Walk<1> walk;
  ErrorPlace errors;
};
// Gathers slices [slice] of x, which are named by tuples of `length` indices. A tuple indexes
// `dims` with `strides` (in slices).
struct TuplesArgs {
  Ptr x, indices, y;
  Ptr keys, places;       // instead of y: the destinations of the tuples, to be sorted
  int64_t count, batch;   // number of tuples, and of tuples per batch
  int64_t slice, slices;  // elements of a slice, slices of a batch
  int64_t none;           // the key of a tuple that is out of range
  int64_t dims[kMaxDims], strides[kMaxDims];
  int32_t length, unused;
  ErrorPlace errors;
};
// Sets keys[i] = `walk`(i) + indices[i] * step, or `none` if the index is out of range, and
// places[i] = i.
struct KeysArgs {
  Ptr indices, keys, places;
  int64_t count, size, step, none;
  int32_t wide;
  // 1: the keys are the i64 indices themselves; negative indices become `none` without an error
  int32_t rows;
  Walk<1> walk;
  ErrorPlace errors;
};
enum class JoinOp : int32_t { kPut, kAdd, kMul, kMax, kMin };
// Combines slices of updates [outer, count, width] with slices of y, in the order of sorted keys.
// The slice of y is the key, or, if `numbers` is not 0, the number at the position in the sorted
// list.
struct JoinArgs {
  Ptr keys, places, numbers, updates, y;
  int64_t outer, count, width;
  int64_t y_step;  // elements of y per index of `outer`
  int64_t none;    // keys from here on are invalid
  JoinOp op;
  int32_t fresh;  // 1: sums start at 0, not at the value in y
  // 1: rounds to the element type after each update, as the library's own kernel does; 0: once
  int32_t rounds;
  int32_t unused;
};
// Marks the first key of each run in a sorted list with 1 in `numbers`, the others with 0. After a
// scan of `numbers`, writes the distinct keys to `unique`.
struct HeadsArgs {
  Ptr keys, numbers, unique;
  int64_t count, none;
};

// Destinations of the elements of MaxUnpool. The indices count elements of a tensor with dims
// [inner], whose output strides are `strides`.
struct UnpoolKeysArgs {
  Ptr indices, keys, places;
  // `size`: elements of the tensor that the indices count. `none`: the key of an index out of
  // range.
  int64_t count, size, none;
  int64_t inner[kMaxDims], strides[kMaxDims];
  int32_t rank, unused;
  ErrorPlace errors;
};

// ---- sequence

// Reverses the first `lengths` elements in time of each batch row of x [first, second, inner]. One
// of the two leading dims is time, the other the batch.
struct ReverseArgs {
  Ptr x, lengths, y;
  int64_t first, second, inner;
  int32_t time_first, unused;
  ErrorPlace errors;
};
// Writes updates [batch, middle, update, inner] into y [batch, middle, cache, inner], from places
// [batch] on. If circular, writing wraps around.
struct TensorScatterArgs {
  Ptr updates, places, y;  // places: 0 if all start at 0
  int64_t batch, middle, cache, update, inner;
  int32_t circular, unused;
  ErrorPlace errors;
};
// Copies the slices of x [outer, size, inner] whose mask [count] is true to y [outer, chosen,
// inner]. numbers [count]: how many masks before each are true.
struct CompressArgs {
  Ptr x, mask, numbers, y;
  int64_t outer, size, count, chosen, inner;
};

// ---- fold

inline constexpr int kMostFoldDims = 6;
// Adds up columns x [planes, taps, positions], the blocks of windows that slide over images y
// [planes, pixels].
struct Col2ImArgs {
  Ptr x, y;
  int64_t planes, pixels, taps, positions;
  int64_t image[kMostFoldDims], block[kMostFoldDims], windows[kMostFoldDims];
  int64_t stride[kMostFoldDims], dilation[kMostFoldDims], pad[kMostFoldDims];
  int32_t rank, unused;
};

// ---- sort

// One pass of a stable sort by 8 bits of the keys, or by place / line if `line` is not 0.
struct RadixArgs {
  Ptr keys, places, new_keys, new_places;  // u64, i64
  Ptr counts;                              // i64 [256, tiles]
  int64_t count, tiles, line;
  int32_t shift, unused;
};
inline constexpr int64_t kSortTile = 4096;
// Replaces each number by the sum of those before it.
struct ScanArgs {
  Ptr numbers;  // i64
  int64_t count;
};
// Lines of x [outer, size, inner].
struct LineKeysArgs {
  Ptr x, keys, places;
  int64_t lines, size, inner;
  int32_t largest, unused;  // largest: 1: keys descend as elements ascend
};
struct TopArgs {
  Ptr x, places, values, indices;
  int64_t lines, size, inner, top;
};
struct ArgExtremeArgs {
  Ptr x, y;
  int64_t lines, size, inner;
  int32_t greatest, last;  // last: picks the last of equal elements
};

// ---- generate

struct RangeArgs {
  Ptr start, delta, y;
  int64_t size;
};
// y [outer, size, inner]: values[1] at the index given for [outer, inner], else values[0].
struct OneHotArgs {
  Ptr indices, values, y;
  int64_t outer, size, inner;
  int32_t dtype, unused;  // dtype of the indices: percale_dtype
};
// Matrices [batch, rows, columns]. Keeps the elements of x (or ones, without x) above, below or on
// a diagonal, and sets the others to zero.
struct DiagonalArgs {
  Ptr x, y, k;  // k: i64; if 0, `diagonal` is used
  int64_t batch, rows, columns;
  int64_t diagonal;
  uint64_t one;
  int32_t upper, unused;
};
// Lines [outer, size, inner].
struct CumulateArgs {
  Ptr grad, x, y;  // grad: only for the product's gradient
  int64_t lines, size, inner;
  int32_t product, exclusive, reverse, unused;
};

// ---- random

// The counters of random numbers, besides the attributes of the node. They lie on the device,
// because a captured segment is replayed with different counters.
struct Draw {
  int64_t seed, step, first_row;
};
struct DrawArgs {
  Ptr place;
  Draw draw;
};
struct RandomArgs {
  Ptr y, draw;
  int64_t rows, row_size;
  uint64_t seed, id;  // of the node
  double low, high, mean, scale;
  int32_t normal, unused;
};
struct DropoutArgs {
  Ptr x, ratio, training, y, mask;  // 0 if absent
  Ptr draw;
  int64_t rows, row_size;
  uint64_t seed, id;            // of the node
  int32_t ratio_dtype, unused;  // percale_dtype
  ErrorPlace errors;
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

// ---- all_reduce

inline constexpr int kMostPeers = 8;  // GPUs
// Replaces elements `begin` to `end` of all `count` buffers by their sum. `begin` is a multiple of
// 16 bytes.
struct AllReduceArgs {
  Ptr buffers[kMostPeers];
  int64_t begin, end;
  int32_t count;
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

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_
