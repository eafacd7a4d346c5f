// Compiled once for each instruction set by hwy/foreach_target.h, and once for the baseline, which
// adds nothing.
#include <array>
#include <cstddef>
#include <utility>

#include "devices/onednn/own_kernels/winograd.h"

#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/onednn/own_kernels/winograd_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
namespace percale::onednn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::ScalableTag<float>;
using V = hn::Vec<F32>;
constexpr int64_t kL = HWY_LANES(float);
// With this number of tiles and two vectors of channels, sums stay in registers, and the sums of
// all points in 64 KiB of stack.
constexpr int kMostTiles = kL == 16 ? 13 : 6;

V load(const float* p) { return hn::LoadU(F32(), p); }
void store(V v, float* p) { hn::StoreU(v, F32(), p); }
V set(float x) { return hn::Set(F32(), x); }
V times(V a, float b) { return hn::Mul(a, set(b)); }
V times_add(V a, float b, V c) { return hn::MulAdd(a, set(b), c); }

// Transforms along one dim: m + 2 pixels to points, 3 weights to points, points to m results.
template <int kM>
struct Points;

template <>
struct Points<2> {
  static void of_pixels(const V* d, V* out) {
    out[0] = hn::Sub(d[0], d[2]);
    out[1] = hn::Add(d[2], d[1]);
    out[2] = hn::Sub(d[2], d[1]);
    out[3] = hn::Sub(d[3], d[1]);
  }
  static void of_weights(const V* g, V* out) {
    const V even = hn::Add(g[0], g[2]);
    out[0] = g[0];
    out[1] = times(hn::Add(even, g[1]), 0.5f);
    out[2] = times(hn::Sub(even, g[1]), 0.5f);
    out[3] = g[2];
  }
  static void to_results(const V* p, V* out) {
    out[0] = hn::Add(p[0], hn::Add(p[1], p[2]));
    out[1] = hn::Add(p[3], hn::Sub(p[1], p[2]));
  }
};

template <>
struct Points<4> {
  // a^2 = 1/2, b^2 = 2
  static constexpr float kA = 0.70710678118654752f, kB = 1.41421356237309505f;

  static void of_pixels(const V* d, V* out) {
    const V even_a = times_add(d[2], -2, d[4]), odd_a = times(times_add(d[1], -2, d[3]), kA);
    const V even_b = times_add(d[2], -0.5f, d[4]), odd_b = times(times_add(d[1], -0.5f, d[3]), kB);
    out[0] = times_add(d[2], -2.5f, hn::Add(d[0], d[4]));
    out[1] = hn::Add(even_a, odd_a);
    out[2] = hn::Sub(even_a, odd_a);
    out[3] = hn::Add(even_b, odd_b);
    out[4] = hn::Sub(even_b, odd_b);
    out[5] = times_add(d[3], -2.5f, hn::Add(d[1], d[5]));
  }
  static void of_weights(const V* g, V* out) {
    const V even_a = times_add(g[2], 0.5f, g[0]), odd_a = times(g[1], kA);
    const V even_b = times_add(g[2], 2, g[0]), odd_b = times(g[1], kB);
    out[0] = g[0];
    out[1] = times(hn::Add(even_a, odd_a), -1 / 1.5f);
    out[2] = times(hn::Sub(even_a, odd_a), -1 / 1.5f);
    out[3] = times(hn::Add(even_b, odd_b), 1 / 6.0f);
    out[4] = times(hn::Sub(even_b, odd_b), 1 / 6.0f);
    out[5] = g[2];
  }
  static void to_results(const V* p, V* out) {
    const V even_a = hn::Add(p[1], p[2]), odd_a = times(hn::Sub(p[1], p[2]), kA);
    const V even_b = hn::Add(p[3], p[4]), odd_b = times(hn::Sub(p[3], p[4]), kB);
    out[0] = hn::Add(p[0], hn::Add(even_a, even_b));
    out[1] = hn::Add(odd_a, odd_b);
    out[2] = times_add(even_a, 0.5f, times(even_b, 2));
    out[3] = times_add(odd_a, 0.5f, times_add(odd_b, 2, p[5]));
  }
};

// Applies kF to the rows of `from` [kRows][kFrom]. Stores the result [kRows][kTo] transposed in
// `to` [kTo][kRows].
template <int kRows, int kFrom, int kTo, void (*kF)(const V*, V*)>
void by_row(const V* from, V* to) {
  V row[kTo];
  for (int i = 0; i < kRows; ++i) {
    kF(from + i * kFrom, row);
    for (int j = 0; j < kTo; ++j) to[j * kRows + i] = row[j];
  }
}

template <int kM>
void pack(const WinogradShape& s, const float* weights, int64_t out_block, float* packed) {
  constexpr int kA = kM + 2;
  const int64_t first = out_block * 2 * kL, width = s.out_channels - first < 2 * kL ? kL : 2 * kL;
  const hn::RebindToSigned<F32> ints;
  const auto apart = hn::Mul(hn::Iota(ints, 0), hn::Set(ints, static_cast<int32_t>(s.channels * 9)));
  packed += first * s.channels * s.points();
  for (int64_t o = 0; o < width; o += kL) {
    for (int64_t c = 0; c < s.channels; ++c) {
      const float* const at = weights + ((first + o) * s.channels + c) * 9;
      V g[9], half[kA * 3], points[kA * kA];
      for (int k = 0; k < 9; ++k) g[k] = hn::GatherIndex(F32(), at + k, apart);
      by_row<3, 3, kA, Points<kM>::of_weights>(g, half);
      by_row<kA, 3, kA, Points<kM>::of_weights>(half, points);
      for (int p = 0; p < kA * kA; ++p) store(points[p], packed + (p * s.channels + c) * width + o);
    }
  }
}

// The position of a tile.
struct Place {
  int64_t image, row, column;
  Place(const WinogradShape& s, int64_t tile)
      : image(tile / (s.tile_rows() * s.tile_columns())),
        row(tile / s.tile_columns() % s.tile_rows() * s.m),
        column(tile % s.tile_columns() * s.m) {}
};

template <int kM>
void scatter(const WinogradShape& s, const float* x, PixelSteps steps, int64_t first, int64_t last, float* v) {
  constexpr int kA = kM + 2;
  alignas(64) static constexpr float kZeros[kL] = {};
  const int64_t groups = s.channels / kL, tiles = last - first;
  for (int64_t t = 0; t < tiles; ++t) {
    const Place place(s, first + t);
    const float* const image = x + place.image * s.height * s.width * s.channels;
    const float* at[kA * kA];
    int64_t step[kA * kA];
    for (int i = 0; i < kA; ++i) {
      for (int j = 0; j < kA; ++j) {
        const int64_t h = place.row - s.top + i, w = place.column - s.left + j;
        const bool inside = h >= 0 && h < s.height && w >= 0 && w < s.width;
        at[i * kA + j] = inside ? image + (h * s.width + w) * steps.pixel : kZeros;
        step[i * kA + j] = inside ? steps.vector : 0;
      }
    }
    for (int64_t g = 0; g < groups; ++g) {
      V d[kA * kA], half[kA * kA], points[kA * kA];
      for (int k = 0; k < kA * kA; ++k) d[k] = load(at[k] + g * step[k]);
      by_row<kA, kA, kA, Points<kM>::of_pixels>(d, half);
      by_row<kA, kA, kA, Points<kM>::of_pixels>(half, points);
      for (int p = 0; p < kA * kA; ++p) store(points[p], v + ((p * groups + g) * tiles + t) * kL);
    }
  }
}

// Computes v [groups][kTiles][kL] times u [groups * kL][kVectors * kL] -> m [kTiles][kVectors *
// kL].
template <int kTiles, int kVectors>
void product(const float* v, int64_t groups, const float* u, float* m) {
  constexpr int64_t kAhead = 1024;  // The weights come from beyond the private caches of a core.
  V sums[kTiles][kVectors];
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 2
    for (int k = 0; k < kVectors; ++k) sums[t][k] = hn::Zero(F32());
  }
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t c = 0; c < kL; ++c) {
      V w[kVectors];
#pragma GCC unroll 2
      for (int k = 0; k < kVectors; ++k) {
        w[k] = load(u + k * kL);
        __builtin_prefetch(u + kAhead + k * kL);
      }
#pragma GCC unroll 16
      for (int t = 0; t < kTiles; ++t) {
        const V pixel = set(v[t * kL + c]);
#pragma GCC unroll 2
        for (int k = 0; k < kVectors; ++k) sums[t][k] = hn::MulAdd(pixel, w[k], sums[t][k]);
      }
      u += kVectors * kL;
    }
    v += kTiles * kL;
  }
#pragma GCC unroll 16
  for (int t = 0; t < kTiles; ++t) {
#pragma GCC unroll 2
    for (int k = 0; k < kVectors; ++k) store(sums[t][k], m + (t * kVectors + k) * kL);
  }
}

using Product = void (*)(const float* v, int64_t groups, const float* u, float* m);
template <int kVectors, int... kFewer>
constexpr std::array<Product, sizeof...(kFewer)> products(std::integer_sequence<int, kFewer...>) {
  return {product<kFewer + 1, kVectors>...};
}
template <int kVectors>
Product product_of(int64_t tiles) {
  static constexpr auto kAll = products<kVectors>(std::make_integer_sequence<int, kMostTiles>());
  return kAll[static_cast<size_t>(tiles - 1)];
}

V bounded(V x, V low, V high) {  // NaN stays NaN.
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

// The polynomial with these coefficients, starting with the constant.
V polynomial(V, float c) { return set(c); }
template <class... Floats>
V polynomial(V x, float c, Floats... more) {
  return hn::MulAdd(polynomial(x, more...), x, set(c));
}

// Computes e^x with a relative error of 2e-7, for -87 < x < 88, by the method of Cephes: 2^n times
// a polynomial of the remainder.
V exp(V x) {
  const hn::RebindToSigned<F32> ints;
  const V n = hn::Round(times(x, 1.44269504f));
  V f = hn::NegMulAdd(n, set(0.693145752f), x);  // ln 2 in two parts
  f = hn::NegMulAdd(n, set(1.42860677e-6f), f);
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(ints, n), hn::Set(ints, 127)));
  return hn::Mul(polynomial(f, 1.0f, 1.0f, 0.5f, 1 / 6.0f, 1 / 24.0f, 1 / 120.0f, 1 / 720.0f),
                 hn::BitCast(F32(), power));
}

// Computes x sigmoid(alpha x). NaN stays NaN. A sigmoid below the normal numbers becomes zero.
V swish(V x, V alpha) {
  const V z = hn::Neg(hn::Mul(alpha, x)), most = set(87);
  const V sigmoid = hn::Div(set(1), hn::Add(set(1), exp(bounded(z, hn::Neg(most), most))));
  return hn::Mul(x, hn::IfThenZeroElse(hn::Gt(z, most), sigmoid));
}

template <int kM>
void multiply(const WinogradShape& s, const float* v, const float* packed, int64_t out_block, int64_t first,
              int64_t last, const WinogradEnd& end, float* y, PixelSteps steps) {
  constexpr int kA = kM + 2;
  const int64_t channel = out_block * 2 * kL, vectors = s.out_channels - channel < 2 * kL ? 1 : 2;
  const int64_t tiles = last - first, groups = s.channels / kL;
  const float* const u = packed + channel * s.channels * s.points();
  const Product each = vectors == 2 ? product_of<2>(tiles) : product_of<1>(tiles);
  alignas(64) float sums[kA * kA * kMostTiles * 2 * kL];
  for (int64_t p = 0; p < kA * kA; ++p) {
    each(v + p * groups * tiles * kL, groups, u + p * s.channels * vectors * kL, sums + p * tiles * vectors * kL);
  }
  const V low = set(end.low), high = set(end.high), alpha = set(end.alpha);
  for (int64_t t = 0; t < tiles; ++t) {
    const Place place(s, first + t);
    const int64_t rows = s.out_height - place.row < kM ? s.out_height - place.row : kM;
    const int64_t columns = s.out_width - place.column < kM ? s.out_width - place.column : kM;
    for (int64_t k = 0; k < vectors; ++k) {
      V points[kA * kA], half[kM * kA], results[kM * kM];
      for (int64_t p = 0; p < kA * kA; ++p) points[p] = load(sums + ((p * tiles + t) * vectors + k) * kL);
      by_row<kA, kA, kM, Points<kM>::to_results>(points, half);
      by_row<kM, kA, kM, Points<kM>::to_results>(half, results);
      const V bias = end.bias != nullptr ? load(end.bias + channel + k * kL) : hn::Zero(F32());
      const int64_t corner = place.image * s.out_height * s.out_width * s.out_channels +
                             (place.row * s.out_width + place.column) * steps.pixel + (channel / kL + k) * steps.vector;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t at = corner + (i * s.out_width + j) * steps.pixel;
          V result = hn::Add(results[i * kM + j], bias);
          if (end.addend != nullptr) result = hn::Add(result, load(end.addend + at));
          store(end.swish ? swish(result, alpha) : bounded(result, low, high), y + at);
        }
      }
    }
  }
}

void pack_any(const WinogradShape& s, const float* weights, int64_t out_block, float* packed) {
  return (s.m == 2 ? pack<2> : pack<4>)(s, weights, out_block, packed);
}
void scatter_any(const WinogradShape& s, const float* x, PixelSteps steps, int64_t first, int64_t last, float* v) {
  return (s.m == 2 ? scatter<2> : scatter<4>)(s, x, steps, first, last, v);
}
void multiply_any(const WinogradShape& s, const float* v, const float* packed, int64_t out_block, int64_t first,
                  int64_t last, const WinogradEnd& end, float* y, PixelSteps steps) {
  return (s.m == 2 ? multiply<2> : multiply<4>)(s, v, packed, out_block, first, last, end, y, steps);
}

}  // namespace

extern const WinogradFns kWinograd;
const WinogradFns kWinograd{kL, kMostTiles, pack_any, scatter_any, multiply_any};

}  // namespace percale::onednn::HWY_NAMESPACE
#endif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::onednn {

const WinogradFns* winograd_fns(std::string_view isa) {
#if defined(__x86_64__)
  if (isa == "avx512") return &N_AVX3::kWinograd;
  if (isa == "avx2") return &N_AVX2::kWinograd;
#endif
  return nullptr;
}

}  // namespace percale::onednn
#endif
