// Reductions of row-major matrices. simd.h documents the rules for all functions.
#ifndef PERCALE_DEVICES_CPU_SIMD_REDUCE_H_
#define PERCALE_DEVICES_CPU_SIMD_REDUCE_H_

#include <cstdint>

#include "core/base/parallel.h"
#include "devices/cpu/simd/common/isa.h"

namespace percale::simd {

// Without elements, the sum is 0, the mean NaN, the maximum -infinity, the minimum +infinity. kMax
// and kMin are NaN if any element is.
enum class Reduce : uint8_t { kSum, kMean, kSumSquares, kMax, kMin };

// The order in which along_cols() adds rows. kByRows: it depends on the number of rows alone.
enum class RowOrder : uint8_t { kFastest, kByRows };

// Order of the additions. along_rows and all: an element's lane is its index modulo 16 (f64: 8)
// within its block of 8192 elements. Lanes are folded by halves; then blocks are added in order
// (along_rows) or by a binary tree (all). along_cols: rows are added in order within each of a
// fixed number of splits, and splits by a binary tree.
template <class T>
struct ReduceFnsOf {
  // y[r] = over c of x[r * stride + c]
  void (*along_rows)(Reduce op, const T* x, int64_t rows, int64_t cols, int64_t stride, T* y,
                     const ParallelFor& parallel);
  // y[c] = over r of x[r * stride + c]
  int64_t (*along_cols_scratch_bytes)(int64_t rows, int64_t cols, RowOrder order);
  void (*along_cols)(Reduce op, const T* x, int64_t rows, int64_t cols, int64_t stride, RowOrder order, T* y,
                     void* scratch, const ParallelFor& parallel);
  // *y = over all count elements
  int64_t (*all_scratch_bytes)(int64_t count);
  void (*all)(Reduce op, const T* x, int64_t count, T* y, void* scratch, const ParallelFor& parallel);
};

struct ReduceFns {
  ReduceFnsOf<float> f32;
  ReduceFnsOf<double> f64;
  // y[r] = the first c with the largest (smallest) x[r * stride + c]. NaN counts as larger
  // (smaller) than anything, as in NumPy. Requires cols >= 1.
  void (*argmax_rows)(const float* x, int64_t rows, int64_t cols, int64_t stride, int64_t* y,
                      const ParallelFor& parallel);
  void (*argmin_rows)(const float* x, int64_t rows, int64_t cols, int64_t stride, int64_t* y,
                      const ParallelFor& parallel);
};
extern const ReduceFns kReduceFns[kIsaCount], kPortableReduceFns[kIsaCount];

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_REDUCE_H_
