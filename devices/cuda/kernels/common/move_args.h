// The arguments of the kernels that move elements (devices/cuda/moves), as args.h describes them.
#ifndef PERCALE_DEVICES_CUDA_KERNELS_COMMON_MOVE_ARGS_H_
#define PERCALE_DEVICES_CUDA_KERNELS_COMMON_MOVE_ARGS_H_

#include "devices/cuda/kernels/common/args.h"

namespace percale::cuda {

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
// Finds the nonzero elements of x [count]: their places, then zeros, and their number. before
// [count]: 1 for each of them, else 0; then how many are before each element.
struct PlacesArgs {
  Ptr x, before, places, number;
  int64_t count;
};
// Finds the groups of equal slices. places [count]: a list of the slices in their order. marks
// [count]: 1 where a group begins in the list, else 0. before [count]: how many begin before each.
// begins [groups]: where in the list. Unless the groups keep this order, first_before [count]: 1 at
// the place of each group's first slice, else 0; then how many of these are before each place.
// Results: the first place and the size of each group, then zeros; the group of each place; the
// number of groups.
struct DistinctArgs {
  Ptr places, marks, before, begins, first_before;
  Ptr first, inverse, counts, number;
  int64_t count;
  int32_t sorted, unused;
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
// Slices of x [outer, count, inner], with `length` elements each.
struct SlicesArgs {
  Ptr x, keys, places, marks;  // [count]; marks: 1 where a slice differs from the one before it
  int64_t count, inner, length;
  int64_t element;  // of each slice, whose key is written
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
// Lines [outer, size, inner].
struct CumulateArgs {
  Ptr grad, x, y;  // grad: only for the product's gradient
  // totals of the pieces [lines, pieces], then the sums before each, in the type of adding
  Ptr partial;
  int64_t lines, size, inner;
  int64_t pieces;  // that each line is cut into; with 1, `partial` is not used
  int32_t product, exclusive, reverse, unused;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_KERNELS_COMMON_MOVE_ARGS_H_
