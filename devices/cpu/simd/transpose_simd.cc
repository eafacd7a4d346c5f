#include "devices/cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/transpose_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common-inl.h"
#include "devices/cpu/simd/sizes.h"
#include "devices/cpu/simd/transpose.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::HWY_NAMESPACE {
namespace {

void transpose32(const void* from, int64_t batch, int64_t rows, int64_t cols, void* to, const ParallelFor& parallel) {
  if (batch == 0 || rows == 0 || cols == 0) return;
  // Blocks of 64 columns: their destination rows are filled while their cache lines are at hand.
  constexpr int64_t kColumns = 64;
  const int64_t blocks = ceil_div(cols, kColumns), total = batch * blocks;
  const int64_t pieces = min_of(total, pieces_for(8 * static_cast<double>(batch * rows) * static_cast<double>(cols)));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(total, pieces, piece);
    for (int64_t at = range.begin; at < range.end; ++at) {
      const int64_t b = at / blocks, c = at % blocks * kColumns;
      transpose_matrix(static_cast<const float*>(from) + b * rows * cols + c, cols, rows, min_of(kColumns, cols - c),
                       static_cast<float*>(to) + b * rows * cols + c * rows, rows, rows);
    }
  });
}

}  // namespace

constexpr TransposeFns kFns = {transpose32};

}  // namespace percale::simd::HWY_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
const TransposeFns kTransposeFns[kIsaCount] = PERCALE_SIMD_TABLE;
}  // namespace percale::simd
#endif
