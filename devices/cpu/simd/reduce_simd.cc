#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/reduce_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/reduce-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/reduce.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_REDUCE_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_REDUCE_ONCE_
namespace percale::simd {
namespace {

// An element costs about as much as eight floating-point operations, because reductions are
// memory-bound.
inline int64_t reduce_pieces(int64_t elements) { return pieces_for(8 * static_cast<double>(elements)); }

// Returns the number of row splits for along_cols. It is part of the numerics.
inline int64_t row_splits(int64_t rows, int64_t cols, RowOrder order) {
  if (order == RowOrder::kByRows) cols = 1;
  return max_of(min_of(rows / 64, min_of(reduce_pieces(rows * cols), 16)), 1);
}

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// Calls f with the operator as a type; means are computed as sums here.
template <class T, class F>
void with_op(Reduce op, F&& f) {
  switch (op) {
    case Reduce::kSum:
    case Reduce::kMean: return f(SumOf<T>());
    case Reduce::kSumSquares: return f(SumSquaresOf<T>());
    case Reduce::kMax: return f(MaxOf<T>());
    case Reduce::kMin: return f(MinOf<T>());
  }
}

template <class T>
void along_rows(Reduce op, const T* x, int64_t rows, int64_t cols, int64_t stride, T* y, const ParallelFor& parallel) {
  if (rows == 0) return;
  const int64_t pieces = min_of(rows, reduce_pieces(rows * cols));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    with_op<T>(op, [&](auto kind) {
      for (int64_t r = range.begin; r < range.end; ++r) {
        const T result = reduce_row<T, decltype(kind)>(x + r * stride, cols);
        y[r] = op == Reduce::kMean ? result / static_cast<T>(cols) : result;
      }
    });
  });
}

// Reduces columns [c0, c1) of rows [r0, r1) into y[c0...], N vectors at a time.
template <class T, class Op, int N>
int64_t reduce_cols(const T* x, int64_t r0, int64_t r1, int64_t stride, int64_t c0, int64_t c1, T* y) {
  constexpr int64_t kW = kLanes<T>;
  int64_t c = c0;
  for (; c + N * kW <= c1; c += N * kW) {
    Vec<T> acc[N];
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) acc[v] = set<T>(Op::kNeutral);
    for (int64_t r = r0; r < r1; ++r) {
      const T* row = x + r * stride + c;
#pragma GCC unroll 8
      for (int v = 0; v < N; ++v) acc[v] = Op::take(acc[v], load<T>(row + v * kW));
    }
#pragma GCC unroll 8
    for (int v = 0; v < N; ++v) store<T>(acc[v], y + c + v * kW);
  }
  return c;
}

template <class T, class Op>
void reduce_col_range(const T* x, int64_t r0, int64_t r1, int64_t stride, int64_t c0, int64_t c1, T* y) {
  int64_t c = reduce_cols<T, Op, 8>(x, r0, r1, stride, c0, c1, y);
  c = reduce_cols<T, Op, 1>(x, r0, r1, stride, c, c1, y);
  if (c == c1) return;
  Vec<T> acc = set<T>(Op::kNeutral);
  for (int64_t r = r0; r < r1; ++r) acc = Op::take(acc, load_n<T>(x + r * stride + c, c1 - c));
  store_n<T>(acc, y + c, c1 - c);
}

template <class T>
int64_t along_cols_scratch_bytes(int64_t rows, int64_t cols, RowOrder order) {
  return row_splits(rows, cols, order) * round_up(cols, 16) * static_cast<int64_t>(sizeof(T));
}

template <class T>
void along_cols(Reduce op, const T* x, int64_t rows, int64_t cols, int64_t stride, RowOrder order, T* y, void* scratch,
                const ParallelFor& parallel) {
  if (cols == 0) return;
  const int64_t splits = row_splits(rows, cols, order), width = round_up(cols, 16);
  T* partial = static_cast<T*>(scratch);
  const int64_t by_cols = min_of(ceil_div(cols, 128), ceil_div(reduce_pieces(rows * cols), splits));
  with_op<T>(op, [&](auto kind) {
    using Op = decltype(kind);
    parallel(splits * by_cols, [&](int64_t piece) {
      const int64_t split = piece / by_cols;
      const PieceRange r = piece_range(rows, splits, split), c = piece_range(cols, by_cols, piece % by_cols, 16);
      reduce_col_range<T, Op>(x, r.begin, r.end, stride, c.begin, c.end, partial + split * width);
    });
    for (int64_t apart = 1; apart < splits; apart *= 2) {
      for (int64_t i = 0; i + apart < splits; i += 2 * apart) {
        T* to = partial + i * width;
        const T* from = partial + (i + apart) * width;
        for (int64_t c = 0; c < cols; ++c) to[c] = Op::meet(to[c], from[c]);
      }
    }
    for (int64_t c = 0; c < cols; ++c) y[c] = op == Reduce::kMean ? partial[c] / static_cast<T>(rows) : partial[c];
  });
}

template <class T>
int64_t all_scratch_bytes(int64_t count) {
  return round_up(ceil_div(count, kReduceBlock) * static_cast<int64_t>(sizeof(T)), 64);
}

template <class T>
void all(Reduce op, const T* x, int64_t count, T* y, void* scratch, const ParallelFor& parallel) {
  T* partial = static_cast<T*>(scratch);
  const int64_t blocks = ceil_div(count, kReduceBlock);
  with_op<T>(op, [&](auto kind) {
    using Op = decltype(kind);
    T result = Op::kNeutral;
    if (blocks > 0) {
      const int64_t pieces = min_of(blocks, reduce_pieces(count));
      parallel(pieces, [&](int64_t piece) {
        const PieceRange range = piece_range(blocks, pieces, piece);
        for (int64_t b = range.begin; b < range.end; ++b) {
          partial[b] = reduce_row<T, Op>(x + b * kReduceBlock, min_of(kReduceBlock, count - b * kReduceBlock));
        }
      });
      for (int64_t apart = 1; apart < blocks; apart *= 2) {
        for (int64_t i = 0; i + apart < blocks; i += 2 * apart) partial[i] = Op::meet(partial[i], partial[i + apart]);
      }
      result = partial[0];
    }
    *y = op == Reduce::kMean ? result / static_cast<T>(count) : result;
  });
}

// Finds the extreme value first, then its first position. Both loops are fast; tracking an index is
// not.
template <class Op>
void arg_rows(const float* x, int64_t rows, int64_t cols, int64_t stride, int64_t* y, const ParallelFor& parallel) {
  if (rows == 0) return;
  const int64_t pieces = min_of(rows, reduce_pieces(2 * rows * cols));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(rows, pieces, piece);
    for (int64_t r = range.begin; r < range.end; ++r) {
      const float* row = x + r * stride;
      const float best = reduce_row<float, Op>(row, cols);
      int64_t c = 0;
      if (best != best) {
        while (c + 1 < cols && row[c] == row[c]) ++c;
      } else {
        const VF target = set<float>(best);
        while (c + kL <= cols && hn::AllFalse(Tag<float>(), hn::Eq(load<float>(row + c), target))) c += kL;
        while (c + 1 < cols && row[c] != best) ++c;
      }
      y[r] = c;
    }
  });
}

template <class T>
constexpr ReduceFnsOf<T> kFnsOf = {along_rows<T>, along_cols_scratch_bytes<T>, along_cols<T>, all_scratch_bytes<T>,
                                   all<T>};

}  // namespace

constexpr ReduceFns kFns = {kFnsOf<float>, kFnsOf<double>, arg_rows<MaxOf<float>>, arg_rows<MinOf<float>>};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(ReduceFns);
}  // namespace percale::simd
#endif
