#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/product/lstm_simd.cc"
#include <hwy/foreach_target.h>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/math-inl.h"
#include "devices/cpu/simd/product/lstm.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// f32 values, or pairs of bf16, in a row
constexpr int kRow = static_cast<int>(kLstmGates * kLstmUnits);
constexpr int kVectors = kRow / kL, kParts = kVectors / static_cast<int>(kLstmGates);

// Loads vector(s) of a row of packed weights: one column of f32, or two columns of bf16.
template <class T>
struct Columns;
template <>
struct Columns<float> {
  static constexpr int kAtOnce = 1;
  HWY_INLINE static void load_row(const float* w, VF out[1]) { out[0] = load<float>(w); }
};
template <>
struct Columns<uint16_t> {
  static constexpr int kAtOnce = 2;
  HWY_INLINE static void load_row(const uint16_t* w, VF out[2]) {
    const Tag<float> d;
    const hn::RebindToUnsigned<Tag<float>> du;
    const auto both = hn::BitCast(du, load<float>(reinterpret_cast<const float*>(w)));
    out[0] = hn::BitCast(d, hn::ShiftLeft<16>(both));
    out[1] = hn::BitCast(d, hn::And(both, hn::Set(du, 0xFFFF0000u)));
  }
};

// sums[r][v] += x[r, :] times V vectors of the packed rows of sixteen units, in the order of k.
template <class T, int R, int V>
HWY_INLINE void add_products(const float* x, int64_t ldx, int64_t k, const T* w, VF (&sums)[R * V]) {
  constexpr int kAtOnce = Columns<T>::kAtOnce;
  const auto add = [&](int64_t i, int columns) HWY_ATTR {
#pragma GCC unroll 16
    for (int v = 0; v < V; ++v) {
      VF c[kAtOnce];
      Columns<T>::load_row(w + (i / kAtOnce * kRow + v * kL) * kAtOnce, c);
#pragma GCC unroll 2
      for (int j = 0; j < kAtOnce; ++j) {
        if (j >= columns) break;
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
          sums[r * V + v] = mul_add(set<float>(x[r * ldx + i + j]), c[j], sums[r * V + v]);
        }
      }
    }
  };
  int64_t i = 0;
  for (; i + kAtOnce <= k; i += kAtOnce) add(i, kAtOnce);
  if (i < k) add(i, 1);
}

template <class T>
int64_t packed_step(int64_t k) {  // distance between groups of sixteen units, in elements
  return ceil_div(k, Columns<T>::kAtOnce) * Columns<T>::kAtOnce * kRow;
}

// Computes R rows of x by sixteen units.
template <class T, int R>
void project_rows(const float* x, int64_t k, const T* w, const float* bias, float* gates, int64_t ld) {
  constexpr int kWide = 4;  // vectors at once
#pragma GCC unroll 4
  for (int first = 0; first < kVectors; first += kWide) {
    VF sums[R * kWide];
#pragma GCC unroll 64
    for (int i = 0; i < R * kWide; ++i) sums[i] = load<float>(bias + (first + i % kWide) * kL);
    add_products<T, R, kWide>(x, k, k, w + first * kL * Columns<T>::kAtOnce, sums);
#pragma GCC unroll 64
    for (int i = 0; i < R * kWide; ++i) store<float>(sums[i], gates + i / kWide * ld + (first + i % kWide) * kL);
  }
}

template <class T>
void project(const float* x, int64_t rows, int64_t k, const T* w, const float* bias, int64_t hidden, float* gates,
             const ParallelFor& parallel) {
  constexpr int kMany = kL == 16 ? 6 : 3;  // with kWide vectors each, the sums fill the registers
  const int64_t blocks = ceil_div(hidden, kLstmUnits), ld = blocks * kRow;
  const int64_t pieces = min_of(blocks, pieces_for(2.0 * static_cast<double>(rows * ld * k)));
  parallel(pieces, [&](int64_t piece) HWY_ATTR {
    const PieceRange range = piece_range(blocks, pieces, piece);
    for (int64_t b = range.begin; b < range.end; ++b) {
      const T* panel = w + b * packed_step<T>(k);
      int64_t r = 0;
      const auto some = [&]<int R>() HWY_ATTR {
        for (; r + R <= rows; r += R)
          project_rows<T, R>(x + r * k, k, panel, bias + b * kRow, gates + r * ld + b * kRow, ld);
      };
      some.template operator()<kMany>();
      some.template operator()<2>();
      some.template operator()<1>();
    }
  });
}

template <class T>
void step(const float* gates, const float* h, const T* r, int64_t hidden, float* c, float* h_next, bool backwards,
          const ParallelFor& parallel) {
  const int64_t blocks = ceil_div(hidden, kLstmUnits);
  // Pieces of a few microseconds: about as much as a core reads from its cache in that time.
  constexpr int64_t kPieceBytes = 256 * 1024;
  const int64_t bytes = blocks * packed_step<T>(hidden) * static_cast<int64_t>(sizeof(T));
  const int64_t pieces = max_of(1, min_of(blocks, min_of(64, bytes / kPieceBytes)));
  parallel(pieces, [&](int64_t piece) HWY_ATTR {
    const PieceRange range = piece_range(blocks, pieces, backwards ? pieces - 1 - piece : piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t b = backwards ? range.end - 1 - (i - range.begin) : i;
      VF sums[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) sums[v] = load<float>(gates + b * kRow + v * kL);
      add_products<T, 1, kVectors>(h, 0, hidden, r + b * packed_step<T>(hidden), sums);
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p) {
        float* state = c + b * kLstmUnits + p * kL;
        const VF in = sigmoid(sums[p]), out = sigmoid(sums[kParts + p]), forget = sigmoid(sums[2 * kParts + p]);
        const VF next = mul_add(forget, load<float>(state), hn::Mul(in, tanh(sums[3 * kParts + p])));
        store<float>(next, state);
        store<float>(hn::Mul(out, tanh(next)), h_next + b * kLstmUnits + p * kL);
      }
    }
  });
}

}  // namespace

constexpr LstmFns kFns = {{project<float>, step<float>}, {project<uint16_t>, step<uint16_t>}};

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(LstmFns);
}  // namespace percale::simd
#endif
