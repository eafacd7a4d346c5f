// The register tiles of convolutions, compiled once per target: chains over taps for a few pixels
// and channels, and the code that stores them.
#if defined(PERCALE_DEVICES_CPU_SIMD_CONV_CONV_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_TILES_INL_H_
#undef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_TILES_INL_H_
#else
#define PERCALE_DEVICES_CPU_SIMD_CONV_CONV_TILES_INL_H_
#endif

#include <utility>

#include "devices/cpu/simd/common/act.h"
#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// Two register tiles compute the same chains:
//   pixels: kTilePixels pixels x 2 vectors of written channels; weights [tap][channel]. The tile is
//           transposed when it is written. Best with many taps.
//   planes: kTilePlanes written channels x 2 vectors of neighbouring pixels; weights
//           [tap][channel of the tile]. Best with few taps or few written channels.
#if HWY_TARGET == HWY_AVX3
constexpr int kTilePixels = 14, kTilePlanes = 8;
constexpr double kTransposeTaps = 8;  // transposing a tile takes as long as this many taps
#elif HWY_TARGET == HWY_AVX2
constexpr int kTilePixels = 6, kTilePlanes = 4;
constexpr double kTransposeTaps = 20;
#else
constexpr int kTilePixels = 4, kTilePlanes = 4;
constexpr double kTransposeTaps = 20;
#endif

// The taps of a phase that a tile sums: `runs` runs of `run` taps, `skip` apart, starting at the
// given tap. Taps in window rows entirely outside the image are skipped.
struct TapRuns {
  int64_t runs, run, skip;
};

struct Finish {
  const float* bias;  // of the tile's first channel, or null
  Act act;
  int64_t plane, ostep;  // output strides: between channels, between pixels
};

template <int MR, int NV>
HWY_INLINE void store_tile(const Vec<float> (&acc)[MR][NV], float* HWY_RESTRICT tile) {
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) hn::Store(acc[i][v], Tag<float>(), tile + (i * NV + v) * kL);
  }
}

// tile[pixel][channel] = chain over taps. kStep is the distance of the pixels if known (1, 2), else
// 0.
template <int MR, int NV, int kStep>
void pixel_tile(const TapRuns& taps, const float* in, const int64_t* HWY_RESTRICT offsets, int64_t step,
                const float* HWY_RESTRICT w, float* HWY_RESTRICT tile) {
  using V = Vec<float>;
  V acc[MR][NV];
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) acc[i][v] = zero<float>();
  }
  for (int64_t r = 0; r < taps.runs; ++r) {
    for (int64_t k = 0; k < taps.run; ++k) {
      const float* from = in + offsets[k];
      V wv[NV];
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) wv[v] = load<float>(w + v * kL);
      w += NV * kL;
#pragma GCC unroll 16
      for (int i = 0; i < MR; ++i) {
        const V pixel = set<float>(from[kStep ? i * kStep : i * step]);
#pragma GCC unroll 2
        for (int v = 0; v < NV; ++v) acc[i][v] = mul_add(pixel, wv[v], acc[i][v]);
      }
    }
    offsets += taps.run + taps.skip;
    w += taps.skip * NV * kL;
  }
  store_tile(acc, tile);
}

// The same for windows of three columns: the taps of a window row are the pixel and its neighbours,
// from left to right or, with kBackward, from right to left. kLeft: the first pixel has no left
// neighbour. kRight: the last pixel has no right neighbour.
template <int MR, bool kLeft, bool kRight, bool kBackward>
void edge_tile(const TapRuns& taps, const float* in, const int64_t* HWY_RESTRICT offsets, int64_t,
               const float* HWY_RESTRICT w, float* HWY_RESTRICT tile) {
  using V = Vec<float>;
  constexpr int NV = 2;
  V acc[MR][NV];
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) acc[i][v] = zero<float>();
  }
  for (int64_t r = 0; r < taps.runs; ++r) {
    for (int64_t k = 0; k < taps.run; k += 3) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        const int beside = kBackward ? 1 - j : j - 1;
        // A separate pointer per tap keeps the compiler from holding pixels for the next tap, which
        // would run out of registers.
        const float* from = in + offsets[k + j];
        V wv[NV];
#pragma GCC unroll 2
        for (int v = 0; v < NV; ++v) wv[v] = load<float>(w + (j * NV + v) * kL);
#pragma GCC unroll 16
        for (int i = 0; i < MR; ++i) {
          if ((kLeft && i + beside < 0) || (kRight && i + beside >= MR)) continue;
          const V pixel = set<float>(from[i]);
#pragma GCC unroll 2
          for (int v = 0; v < NV; ++v) acc[i][v] = mul_add(pixel, wv[v], acc[i][v]);
        }
      }
      w += 3 * NV * kL;
    }
    offsets += taps.run + taps.skip;
    w += taps.skip * NV * kL;
  }
  store_tile(acc, tile);
}

using PixelTileFn = void (*)(const TapRuns&, const float*, const int64_t*, int64_t, const float*, float*);
template <int NV, int kStep, int... kI>
PixelTileFn pixel_tile_of(int64_t pixels, std::integer_sequence<int, kI...>) {
  static constexpr PixelTileFn kTiles[] = {pixel_tile<kI + 1, NV, kStep>...};
  return kTiles[pixels - 1];
}
template <int NV>
PixelTileFn pixel_tile_for(int64_t pixels, int64_t step) {
  const std::make_integer_sequence<int, kTilePixels> all;
  if (step == 1) return pixel_tile_of<NV, 1>(pixels, all);
  return step == 2 ? pixel_tile_of<NV, 2>(pixels, all) : pixel_tile_of<NV, 0>(pixels, all);
}

// Returns null if there is no such tile. Only some sizes are instantiated, because all of them
// would be too much code.
template <bool kBackward>
PixelTileFn edge_tile_of(int64_t pixels, bool left, bool right) {
#if HWY_TARGET == HWY_AVX3
  if (pixels == 14) {
    if (left) return right ? edge_tile<14, true, true, kBackward> : edge_tile<14, true, false, kBackward>;
    return right ? edge_tile<14, false, true, kBackward> : edge_tile<14, false, false, kBackward>;
  }
  if (!left || !right) return nullptr;
  if (pixels == 13) return edge_tile<13, true, true, kBackward>;
  if (pixels == 12) return edge_tile<12, true, true, kBackward>;
  return pixels == 7 ? edge_tile<7, true, true, kBackward> : nullptr;
#elif HWY_TARGET == HWY_AVX2
  const auto sized = [&]<int MR>(std::integral_constant<int, MR>) -> PixelTileFn {
    if (left) return right ? nullptr : edge_tile<MR, true, false, kBackward>;
    return right ? edge_tile<MR, false, true, kBackward> : edge_tile<MR, false, false, kBackward>;
  };
  if (pixels == 6) return sized(std::integral_constant<int, 6>());
  if (pixels == 5) return sized(std::integral_constant<int, 5>());
  return pixels == 4 ? sized(std::integral_constant<int, 4>()) : nullptr;
#else
  return (void)pixels, (void)left, (void)right, nullptr;
#endif
}
PixelTileFn edge_tile_for(bool backward, int64_t pixels, bool left, bool right) {
  return backward ? edge_tile_of<true>(pixels, left, right) : edge_tile_of<false>(pixels, left, right);
}

// Writes tile[pixel][nv * kL] to out, channel by channel.
void write_pixels(const float* tile, int64_t pixels, int64_t nv, int64_t channels, const Finish& f, float* out) {
  for (int64_t v = 0; v < nv; ++v) {
    const int64_t count = min_of(channels - v * kL, kL);
    Vec<float> r[kL];
#pragma GCC unroll 16
    for (int i = 0; i < kL; ++i) {
      r[i] = i < pixels ? hn::Load(Tag<float>(), tile + (i * nv + v) * kL) : zero<float>();
    }
    if (f.bias) {
      const Vec<float> bias = load_n<float>(f.bias + v * kL, count);
#pragma GCC unroll 16
      for (int i = 0; i < kL; ++i) r[i] = hn::Add(r[i], bias);
    }
    if (f.act.kind != Act::Kind::kNone) {
#pragma GCC unroll 16
      for (int i = 0; i < kL; ++i) r[i] = apply_act<float>(f.act, r[i]);
    }
    transpose_block(r);
    float* to = out + v * kL * f.plane;
    if (f.ostep == 1 && count == kL) {
#pragma GCC unroll 16
      for (int i = 0; i < kL; ++i) store_n<float>(r[i], to + i * f.plane, pixels);
      continue;
    }
    alignas(64) float lanes[kL * kL];
#pragma GCC unroll 16
    for (int i = 0; i < kL; ++i) hn::Store(r[i], Tag<float>(), lanes + i * kL);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t p = 0; p < pixels; ++p) to[i * f.plane + p * f.ostep] = lanes[i * kL + p];
    }
  }
}

// Writes tiles of even and of odd pixels interleaved to `out`; `pixels` is the total number.
void write_pairs(const float* even, const float* odd, int64_t pixels, int64_t nv, int64_t channels, int64_t plane,
                 float* out) {
  const Tag<float> d;
  const int64_t evens = ceil_div(pixels, 2), odds = pixels / 2;
  for (int64_t v = 0; v < nv; ++v) {
    Vec<float> a[kL], b[kL];
#pragma GCC unroll 16
    for (int i = 0; i < kL; ++i) {
      a[i] = i < evens ? hn::Load(d, even + (i * nv + v) * kL) : zero<float>();
      b[i] = i < odds ? hn::Load(d, odd + (i * nv + v) * kL) : zero<float>();
    }
    transpose_block(a);
    transpose_block(b);
    alignas(64) float lanes[kL][2 * kL];
#pragma GCC unroll 16
    for (int i = 0; i < kL; ++i) hn::StoreInterleaved2(a[i], b[i], d, lanes[i]);
    const int64_t count = min_of(channels - v * kL, kL);
    for (int64_t i = 0; i < count; ++i) {
      float* to = out + (v * kL + i) * plane;
      store_n<float>(hn::Load(d, lanes[i]), to, min_of(pixels, kL));
      if (pixels > kL) store_n<float>(hn::Load(d, lanes[i] + kL), to + kL, pixels - kL);
    }
  }
}

// Computes MR channels x NV vectors of `cols` pixels. kPlain: all lanes are valid and contiguous.
template <int MR, int NV, bool kPlain>
void plane_tile(int64_t taps, const float* in, const int64_t* HWY_RESTRICT offsets, int64_t step,
                const float* HWY_RESTRICT w, int64_t cols, const Finish& f, float* out) {
  using V = Vec<float>;
  V acc[MR][NV];
#pragma GCC unroll 8
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) acc[i][v] = zero<float>();
  }
  int64_t count[NV];
  for (int v = 0; v < NV; ++v) count[v] = min_of(cols - v * kL, kL);
  const auto chain = [&](auto&& pixels) HWY_ATTR {
    for (int64_t k = 0; k < taps; ++k) {
      const float* from = in + offsets[k];
      V x[NV];
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) x[v] = pixels(from, v);
#pragma GCC unroll 8
      for (int i = 0; i < MR; ++i) {
        const V weight = set<float>(w[i]);
#pragma GCC unroll 2
        for (int v = 0; v < NV; ++v) acc[i][v] = mul_add(x[v], weight, acc[i][v]);
      }
      w += MR;
    }
  };
  if constexpr (kPlain) {
    chain([](const float* from, int v) HWY_ATTR { return load<float>(from + v * kL); });
  } else if (step == 1) {
    chain([&](const float* from, int v) HWY_ATTR { return load_n<float>(from + v * kL, count[v]); });
  } else if (step == 2) {
    chain([&](const float* from, int v) HWY_ATTR { return load_pairs(from + v * kL * 2, count[v]); });
  } else {
    chain([&](const float* from, int v) HWY_ATTR { return load_apart(from + v * kL * step, step, count[v]); });
  }
#pragma GCC unroll 8
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) {
      V value = acc[i][v];
      if (f.bias) value = hn::Add(value, set<float>(f.bias[i]));
      value = apply_act<float>(f.act, value);
      float* to = out + i * f.plane + v * kL * f.ostep;
      if (f.ostep == 1) {
        store_n<float>(value, to, count[v]);
      } else {
        alignas(64) float lanes[kL];
        hn::Store(value, Tag<float>(), lanes);
        for (int64_t p = 0; p < count[v]; ++p) to[p * f.ostep] = lanes[p];
      }
    }
  }
}

using PlaneTileFn = void (*)(int64_t, const float*, const int64_t*, int64_t, const float*, int64_t, const Finish&,
                             float*);
template <int NV, bool kPlain>
PlaneTileFn plane_tile_of(int64_t channels) {
  if constexpr (kTilePlanes == 8) {
    if (channels == 8) return plane_tile<8, NV, kPlain>;
  }
  if (channels == 4) return plane_tile<4, NV, kPlain>;
  return channels == 2 ? plane_tile<2, NV, kPlain> : plane_tile<1, NV, kPlain>;
}
PlaneTileFn plane_tile_for(int64_t channels, int64_t cols, int64_t step) {
  const bool plain = step == 1 && cols % kL == 0;
  if (cols > kL) return plain ? plane_tile_of<2, true>(channels) : plane_tile_of<2, false>(channels);
  return plain ? plane_tile_of<1, true>(channels) : plane_tile_of<1, false>(channels);
}

}  // namespace
}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_CONV_TILES_INL_H_
