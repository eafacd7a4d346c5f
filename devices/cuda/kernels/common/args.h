// What host and device code agree on: the arguments of kernels. A kernel takes one of these structs, by value. Both sides compile this
// file, so every member has a size of its own; pointers are addresses of device memory, which the host never follows.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_ARGS_H_

#include <cstddef>
#include <cstdint>

namespace percale::cuda {

struct Ptr {
  uint64_t address;
};

inline constexpr int kMaxDims = 8;

// Where kernels note errors: in host memory, written by the one thread that finds the guard at 0.
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
// The codes of the library (percale_run_error).
inline constexpr int32_t kIndexOutOfRange = 102, kDivisionByZero = 103, kBadSize = 104, kNotPositive = 105,
                         kNotFinite = 106;

// A walk over several operands at once: dims, the innermost last, and each operand's strides in elements.
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
  // These give a bool. kIsInf: alpha and beta say whether negative and positive ones count.
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
  kAtLeast,  // of Clip: the operand stays where it is neither less nor more than the limit, NaN and -0 too
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
  Ptr a, b, y;  // y: bool where the op compares
  int64_t size;
  BinaryOp op;
  // 1: the steps of a and b below say where they lie. 0: element i of both, or element 0 of one whose step is 0.
  int32_t general;
  int32_t a_step, b_step;
  Walk<2> walk;
  ErrorPlace errors;
};

struct ClipArgs {
  Ptr x, low, high, y;  // limits: 0 where there is none
  int64_t size;
};

struct WhereArgs {
  Ptr condition, a, b, y;
  int64_t size;
  Walk<3> walk;
};

// A group of elementwise nodes of f32, bf16 and f16, as a program that each thread goes through for its elements. As many steps as the
// library puts nodes into a group: one that is refused runs node by node.
enum class FusedType : int32_t { kF32, kBF16, kF16 };
inline constexpr int kMostFusedSteps = 64, kMostFusedInputs = 12, kMostFusedNumbers = 16, kMostFusedSlots = 8;
// Where an operand is: from these numbers on an input, a number of the program, a result that an earlier step has left.
inline constexpr uint8_t kFusedInput = 0, kFusedNumber = 64, kFusedSlot = 128;
struct FusedStep {
  uint8_t binary;  // op is a BinaryOp, else a UnaryOp
  uint8_t op;
  uint8_t a, b;  // operands
  uint8_t slot;  // where the result goes
  uint8_t f16;   // 1: rounded to f16, beyond whose range there is nothing but infinity
  uint8_t unused[2];
  float alpha, beta;
};
struct FusedInput {
  Ptr x;
  int64_t period, each;  // element i of the result takes element i % period / each,
  int64_t block, step;   // and `step` more for each block before it
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

// Of the same group as code of its own.
struct FusedCodeArgs {
  Ptr y;
  int64_t size;
  int32_t packed;  // 1: whatever is as large as y lies so that several elements can be taken at once
  int32_t unused;
  Ptr input[kMostFusedInputs];
};

// Finds what is infinite or NaN: `found` is as many elements as stand behind the first such one and it itself, 0 where there is none.
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
  int32_t saturate;  // 1: what is too large for a float8 becomes its largest, else infinity or NaN
  PowerRound round;  // of f8e8m0
};

// ---- reduce

enum class ReduceOp : int32_t { kSum, kMean, kMax, kMin, kProd };
struct ReduceArgs {
  Ptr x, y, partial;       // partial: accumulators [outputs, pieces]
  int64_t outputs, count;  // elements of each output
  int64_t pieces;          // into which each sum is cut; 1: y is written at once
  ReduceOp op;
  int32_t last;  // 1: the second stage, which joins `pieces` accumulators of `partial` into each element of y
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
  Ptr scores, labels, weights, losses, line_weights, log_prob;  // 0 where absent; losses and line weights: f64 per line
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
      dscores;  // total: f64, what a mean is divided by; 0: by nothing
  int64_t lines, classes, inner;
  int64_t ignore_index;
  int32_t ignores, wide_labels, softmax, per_line;  // per_line: dloss has an element per line
  int32_t dloss_dtype, unused;                      // percale_dtype
  ErrorPlace errors;
};

// ---- norm

// Rows of `size` elements: layer normalisation, or, with root = 1, root mean square normalisation.
struct RowNormArgs {
  Ptr x, scale, bias, y, mean, inverse;  // bias, mean and inverse: 0 where absent
  int64_t rows, size;
  double epsilon;
  int32_t root, packed;  // packed: 1 where kPackOf elements can be taken at once
};
struct RowNormGradArgs {
  Ptr dy, x, scale, dx;
  Ptr statistics;  // [rows, 2] in the type of computing: mean, 1 / deviation
  Ptr partial;     // [2, pieces, size] in that type
  Ptr dscale, dbias;
  int64_t rows, size;
  int64_t pieces;  // into which the rows are cut for dscale and dbias
  double epsilon;
  int32_t packed, unused;
};
// Channels of [batch, channels, image], or of [batch, image, channels].
struct ChannelNormArgs {
  Ptr x, dy, y;                        // y: also dx; dy: 0 forward
  Ptr scale, bias, mean, variance;     // per channel; mean and variance may be 0 in training
  Ptr running_mean, running_variance;  // outputs, or 0
  Ptr residual;                        // added to the result, or 0
  Ptr relu_result;                     // of the gradient: that of the Relu behind, whose gradient dy is; or 0
  Ptr dscale, dbias;                   // outputs of the gradient
  Ptr partial;                         // f64 [channels, pieces, 2]
  Ptr statistics;                      // f64 [channels, 2]: mean, 1 / deviation
  Ptr table;                           // [channels, 4] in the type of computing: what the elements need
  int64_t batch, channels, image, pieces;
  double epsilon, momentum;
  int32_t training, packed;
  int32_t scale_dtype, statistics_dtype;  // percale_dtype
  int32_t channels_last, relu;            // relu: the result goes through one
};

// ---- pool

// Sizes of a sliding window over images of up to three dims, right-aligned. Output o and tap k meet at o * stride + k * dilation - pad.
struct WindowArgs {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
};
struct PoolArgs {
  Ptr x, y;              // of the gradient dy and dx
  Ptr indices;           // i64 output of MaxPool, or 0
  Ptr chosen;            // i32, as many as windows: the place of the maximum in its image, -1: none
  int64_t outer, inner;  // [outer, places, inner]: planes of one channel, or images with channels last
  WindowArgs window;
  int32_t count_pads, column_major;
};

// ---- grid

enum class GridMode : int32_t { kNearest, kLinear, kCubic };
enum class GridPadding : int32_t { kZeros, kBorder, kReflection };
// Pictures [batch, channels, dims] at the places of a grid [batch, points, rank]; dims are right-aligned, 1 in front.
struct GridArgs {
  Ptr x, grid, y;             // y: forward
  Ptr grad, dx, dgrid, sums;  // of the gradients; sums: dx in the type of computing, which may be dx
  int64_t batch, channels, points, picture;
  int64_t dims[3];
  int32_t rank, grid_dtype;  // percale_dtype
  GridMode mode;
  GridPadding padding;
  int32_t align_corners, unused;
};

// ---- roi

// Regions [count, 4] of pictures [batch, channels, height, width], pooled into rows x columns bins.
struct RoiArgs {
  Ptr x, rois, images, y;  // of the gradient: x is dY, y dX
  Ptr sums;                // of the gradient: dX in the type of computing, which may be y
  int64_t batch, channels, height, width;
  int64_t count, rows, columns;
  int64_t samples;  // along a side of a bin; 0: as many as it is long
  double scale;
  int32_t maximum, half_pixel;
  ErrorPlace errors;
};

// The largest element of each of rows x columns bins of regions [count, 5]: image, then corners that are rounded to elements.
struct RoiPoolArgs {
  Ptr x, rois, y;
  int64_t batch, channels, height, width;
  int64_t count, rows, columns;
  double scale;
  ErrorPlace errors;
};

// ---- conv

// A convolution of [batch, groups * in_channels, in] to [batch, groups * out_channels, out], weights [groups * out_channels, in_channels, kernel].
struct ConvArgs {
  Ptr x, w, bias, y;    // whichever are operands; bias may be 0
  Ptr result, partial;  // partial: [pieces, groups, rows, columns] in the type of computing
  int64_t batch, groups, in_channels, out_channels;
  int64_t pieces;  // into which the sums of the gradient of the weights are cut
  WindowArgs window;
  int32_t channels_last;  // 1: images are [batch, places, channels], weights [channels, taps, channels of a group]
  int32_t unused;
};

// y [images, channels, size] += bias [channels]; where channels lie last, size is 1.
struct ConvBiasArgs {
  Ptr bias, y;
  int64_t count;  // elements of y
  int64_t size, channels;
};

// ---- attention

// Heads in any layout whose innermost dim is contiguous: steps are those of batch, head and row, in elements.
struct AttentionArgs {
  Ptr q, k, v, mask, y;  // mask: 0 where there is none
  Ptr statistics;  // log of the sum of exp of a row's scores [batch, heads, queries], f32 or wider; 0: nobody asks
  int64_t batch, heads, kv_heads, queries, keys;
  int64_t q_steps[3], k_steps[3], v_steps[3], y_steps[3];
  int64_t mask_steps[4];  // batch, head, query, key
  double scale;
  int32_t size, value_size;
  int32_t wide_mask;  // 1: the mask is f32 where the rest is narrower
  int32_t nan_is_zero;
};

// Gradients of attention: `of.y` and `of.statistics` are what it gave; dq, dk and dv lie as q, k and v do.
struct AttentionGradArgs {
  AttentionArgs of;
  Ptr dy, dq, dk, dv;
  Ptr delta;  // rows of dy * y summed [batch, heads, queries], f32 or wider
  int64_t dy_steps[3];
};

// Rows of y without a key that counts, or with NaN among their scores: NaN, or 0.
struct AttentionEndArgs {
  Ptr statistics, y;  // log of the sum of exp of a row's scores, f32 [batch, heads, queries]
  int64_t batch, heads, queries;
  int64_t y_steps[3];
  int32_t value_size, nan_is_zero;
};

// x rotated by a cosine and a sine for every element: pairs are half a row apart.
struct RotaryArgs {
  Ptr x, cosine, sine, y;
  int64_t size;
  int64_t half;  // of a row of x
  Walk<2> walk;  // of cosine and sine
};

// ---- bag

enum class BagMode : int32_t { kSum, kMean, kMax };
// Rows of a table joined per bag, and the gradient handed back to the rows.
struct BagArgs {
  Ptr grad, table, indices, offsets, weights, y;  // weights: 0 where there are none
  int64_t rows, width;                            // of the table
  int64_t count, bags;                            // of indices
  int64_t length;                                 // of every bag; -1: by offsets
  int64_t padding;                                // the index that counts nothing; -1: there is none
  BagMode mode;
  int32_t wide_indices, wide_offsets;
  int32_t ends;  // the last offset ends the last bag
  ErrorPlace errors;
};

// ---- loss

// Losses of two tensors of one shape, element by element.
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
  Ptr param, grad, slot0, slot1;  // slots: 0 where the rule has none
  Ptr new_param, new_slot0, new_slot1;
  Ptr rate, scale, step;  // scalars; scale and step may be 0
  int64_t size;
  Ptr rows;  // i64 [row_count]: the rows of the parameter that grad is for, rising, then negative ones; 0: all
  int64_t row_count, width, most;  // width: elements of a row; most: rows of the parameter
  Ptr sums;                        // of LAMB: f64 [pieces, 2], squares of the parameter and of the direction
  int64_t pieces;
  StepRule rule;
  int32_t wide_rate, wide_scale;  // 1: f64, 0: f32
  int32_t nesterov;
  int32_t rate_input, unused;  // number of the input, for errors
  double weight_decay, momentum, beta1, beta2, epsilon, alpha, power, l1, l2, l2_shrinkage, beta;
  ErrorPlace errors;
};
// The same step of several parameters: what `step` says of none of them in particular counts for all. They are cut into pieces, whose
// numbers go on from one to the next.
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

// y[to] = x[from] over a walk of both; offsets are in the pointers.
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
// Pad and Tile read elements of `small` where the places of `large` say; their gradients sum them back.
struct PadArgs {
  Ptr x, y, value;  // value: what a constant is, 0: zero
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
  int32_t wide, unused;  // wide: indices of i64, else i32
  ErrorPlace errors;
};
// Element i: that of x at its place in the walk plus index i times `step`.
struct GatherElementsArgs {
  Ptr x, indices, y;
  int64_t count, size, step;
  int32_t wide, unused;
  Walk<1> walk;
  ErrorPlace errors;
};
// Slices [slice] of x that tuples of `length` indices name; dims and strides (in slices) are those that a tuple indexes.
struct TuplesArgs {
  Ptr x, indices, y;
  Ptr keys, places;       // instead of y: where the tuples go, for a sort
  int64_t count, batch;   // tuples, and how many of them share a batch
  int64_t slice, slices;  // elements of a slice, slices of a batch
  int64_t none;           // the key of a tuple that is out of range
  int64_t dims[kMaxDims], strides[kMaxDims];
  int32_t length, unused;
  ErrorPlace errors;
};
// keys[i]: its place in the walk plus index i times `step`, `none` where it is out of range. places[i]: i.
struct KeysArgs {
  Ptr indices, keys, places;
  int64_t count, size, step, none;
  int32_t wide;
  int32_t rows;  // 1: the keys are the i64 indices themselves, negative ones are `none` and no error
  Walk<1> walk;
  ErrorPlace errors;
};
enum class JoinOp : int32_t { kPut, kAdd, kMul, kMax, kMin };
// Slices of updates [outer, count, width], sorted by key, joined in order to those of y that the keys, or for each place in the list
// `numbers`, name.
struct JoinArgs {
  Ptr keys, places, numbers, updates, y;
  int64_t outer, count, width;
  int64_t y_step;  // elements of y from one of `outer` to the next
  int64_t none;    // keys from here on name nothing
  JoinOp op;
  int32_t fresh;   // 1: the sums begin at 0, not at what is in y
  int32_t rounds;  // 1: to the elements' type after each update, as the library's own kernel; 0: once
  int32_t unused;
};
// Which keys of a sorted list are the first of their kind: 1 or 0 in numbers, then, these summed up, the keys put in their places.
struct HeadsArgs {
  Ptr keys, numbers, unique;
  int64_t count, none;
};

// Where the elements that MaxUnpool puts back go: what the indices number has dims [inner], the output strides.
struct UnpoolKeysArgs {
  Ptr indices, keys, places;
  int64_t count, size, none;  // size: of what the indices number; none: the key of an index that is out of range
  int64_t inner[kMaxDims], strides[kMaxDims];
  int32_t rank, unused;
  ErrorPlace errors;
};

// ---- sequence

// x [first, second, inner], one of the two leading dims time, the other the batch, whose first `lengths` rows are turned round.
struct ReverseArgs {
  Ptr x, lengths, y;
  int64_t first, second, inner;
  int32_t time_first, unused;
  ErrorPlace errors;
};
// y [batch, middle, cache, inner] with updates [batch, middle, update, inner] from places [batch] on; circular: it goes on at the beginning.
struct TensorScatterArgs {
  Ptr updates, places, y;  // places: 0 where all begin at 0
  int64_t batch, middle, cache, update, inner;
  int32_t circular, unused;
  ErrorPlace errors;
};
// The slices of x [outer, size, inner] for which mask [count] holds: y [outer, chosen, inner]. numbers [count]: how many hold before each.
struct CompressArgs {
  Ptr x, mask, numbers, y;
  int64_t outer, size, count, chosen, inner;
};

// ---- fold

inline constexpr int kMostFoldDims = 6;
// Columns x [planes, taps, positions] of blocks within windows that slide over images y [planes, pixels].
struct Col2ImArgs {
  Ptr x, y;
  int64_t planes, pixels, taps, positions;
  int64_t image[kMostFoldDims], block[kMostFoldDims], windows[kMostFoldDims];
  int64_t stride[kMostFoldDims], dilation[kMostFoldDims], pad[kMostFoldDims];
  int32_t rank, unused;
};

// ---- sort

// One pass of a stable sort by 8 bits of the keys, or of place / line where `line` is not 0.
struct RadixArgs {
  Ptr keys, places, new_keys, new_places;  // u64, i64
  Ptr counts;                              // i64 [256, tiles]
  int64_t count, tiles, line;
  int32_t shift, unused;
};
inline constexpr int64_t kSortTile = 4096;
// Each number replaced by the sum of those before it.
struct ScanArgs {
  Ptr numbers;  // i64
  int64_t count;
};
// Lines of x [outer, size, inner].
struct LineKeysArgs {
  Ptr x, keys, places;
  int64_t lines, size, inner;
  int32_t largest, unused;  // 1: keys fall as elements rise
};
struct TopArgs {
  Ptr x, places, values, indices;
  int64_t lines, size, inner, top;
};
struct ArgExtremeArgs {
  Ptr x, y;
  int64_t lines, size, inner;
  int32_t greatest, last;  // last: of equal ones
};

// ---- generate

struct RangeArgs {
  Ptr start, delta, y;
  int64_t size;
};
// y [outer, size, inner]: values[1] where the index of [outer, inner] says, else values[0].
struct OneHotArgs {
  Ptr indices, values, y;
  int64_t outer, size, inner;
  int32_t dtype, unused;  // of the indices: percale_dtype
};
// Matrices [batch, rows, columns]. Of x, or where there is none of ones, what is above, below or on a diagonal; else zeros.
struct DiagonalArgs {
  Ptr x, y, k;  // k: i64; 0: `diagonal` says
  int64_t batch, rows, columns;
  int64_t diagonal;
  uint64_t one;
  int32_t upper, unused;
};
// Lines [outer, size, inner].
struct CumulateArgs {
  Ptr grad, x, y;  // grad: of the product's gradient alone
  int64_t lines, size, inner;
  int32_t product, exclusive, reverse, unused;
};

// ---- random

// y [rows, row_size], drawn by the library's counters: key (seeds, id), step, first row.
// What random numbers are counted by besides the attributes of their node; it lies on the device, since work that is kept is played with
// another each time.
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
  Ptr x, ratio, training, y, mask;  // 0 where absent
  Ptr draw;
  int64_t rows, row_size;
  uint64_t seed, id;            // of the node
  int32_t ratio_dtype, unused;  // percale_dtype
  ErrorPlace errors;
};

// ---- product

// y [batch, m, n] = (a - a_zero) (b - b_zero), of integers; zero points of each row of a and column of b, or, with steps of 0, one.
struct IntProductArgs {
  Ptr a, b, y;
  Ptr a_zero, b_zero;  // 0: none
  Walk<2> batches;     // of a and b, in matrices
  int64_t size, m, n, k;
  int64_t a_row, a_column, b_row, b_column;
  int64_t a_zero_step, b_zero_step;
};

// A convolution as ConvArgs has it, of bytes into i32; zero points one for the images, one or one per filter for the weights.
struct IntConvArgs {
  Ptr x, w, y;
  Ptr x_zero, w_zero;  // 0: none
  int64_t batch, groups, in_channels, out_channels;
  int64_t w_zero_step;
  WindowArgs window;
};

// ---- all_reduce

inline constexpr int kMostPeers = 8;  // GPUs
// Elements `begin` to `end` of all `count` buffers become their sum; `begin` is a multiple of 16 bytes.
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
// One direction of LSTM, GRU or RNN. `sums` [steps, batch, gates, hidden]: what the activations take, going back their gradients; GRU's
// candidate behind all of its gates. `gates`: what they gave, the same place as `sums` where `keeps` is 0. h, c [steps + 1, batch,
// hidden]. `extra` [steps, batch, hidden]: what GRU's reset made, r * h, or what it worked on with linear_before_reset. dh, dc, room,
// more [batch, hidden].
struct RecurrentArgs {
  Ptr x, gathered;               // x: the gradient's, where it is scattered
  Ptr lengths, bias, peepholes;  // 0 where absent
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
