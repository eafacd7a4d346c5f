#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/transpose_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/transpose.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

using VF = Vec<float>;

// Transposes two to four long rows into short ones, and back, by interleaving whole vectors in
// registers.
template <int N>
void interleave(const float* from, int64_t step, int64_t count, float* to) {
  const Tag<float> d;
  int64_t i = 0;
  for (; i + kL <= count; i += kL) {
    const VF a = load<float>(from + i), b = load<float>(from + step + i);
    if constexpr (N == 2) hn::StoreInterleaved2(a, b, d, to + i * N);
    if constexpr (N == 3) hn::StoreInterleaved3(a, b, load<float>(from + 2 * step + i), d, to + i * N);
    if constexpr (N == 4) {
      hn::StoreInterleaved4(a, b, load<float>(from + 2 * step + i), load<float>(from + 3 * step + i), d, to + i * N);
    }
  }
  for (; i < count; ++i) {
    for (int j = 0; j < N; ++j) to[i * N + j] = from[j * step + i];
  }
}
template <int N>
void part(const float* from, int64_t step, int64_t count, float* to) {
  const Tag<float> d;
  int64_t i = 0;
  for (; i + kL <= count; i += kL) {
    VF v[N];
    if constexpr (N == 2) hn::LoadInterleaved2(d, from + i * N, v[0], v[1]);
    if constexpr (N == 3) hn::LoadInterleaved3(d, from + i * N, v[0], v[1], v[2]);
    if constexpr (N == 4) hn::LoadInterleaved4(d, from + i * N, v[0], v[1], v[2], v[3]);
    for (int j = 0; j < N; ++j) store<float>(v[j], to + j * step + i);
  }
  for (; i < count; ++i) {
    for (int j = 0; j < N; ++j) to[j * step + i] = from[i * N + j];
  }
}
using Narrow = void (*)(const float* from, int64_t step, int64_t count, float* to);
constexpr Narrow kInterleave[] = {interleave<2>, interleave<3>, interleave<4>}, kPart[] = {part<2>, part<3>, part<4>};
constexpr bool is_narrow(int64_t n) { return n >= 2 && n <= 4; }

void transpose_narrow(const float* from, int64_t batch, int64_t rows, int64_t cols, float* to,
                      const ParallelFor& parallel) {
  constexpr int64_t kElements = 4096;  // of a block, along the long side
  const bool few_rows = is_narrow(rows);
  const int64_t length = few_rows ? cols : rows, width = few_rows ? rows : cols;
  const int64_t blocks = ceil_div(length, kElements), total = batch * blocks;
  const int64_t pieces = min_of(total, pieces_for(8 * static_cast<double>(batch * rows) * static_cast<double>(cols)));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(total, pieces, piece);
    for (int64_t at = range.begin; at < range.end; ++at) {
      const int64_t whole = at / blocks * rows * cols, first = at % blocks * kElements;
      const int64_t count = min_of(kElements, length - first);
      if (few_rows) {
        kInterleave[width - 2](from + whole + first, length, count, to + whole + first * width);
      } else {
        kPart[width - 2](from + whole + first * width, length, count, to + whole + first);
      }
    }
  });
}

void transpose32(const void* from, int64_t batch, int64_t rows, int64_t cols, void* to, const ParallelFor& parallel) {
  if (batch == 0 || rows == 0 || cols == 0) return;
  if (is_narrow(rows) || is_narrow(cols)) {
    return transpose_narrow(static_cast<const float*>(from), batch, rows, cols, static_cast<float*>(to), parallel);
  }
  // Blocks of 64 columns: their destination rows are filled while their cache lines are present.
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

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(TransposeFns);
}  // namespace percale::simd
#endif
