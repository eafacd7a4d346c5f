// The register tiles of weight gradients, compiled once per target: sums over the pixels of a band
// for a few taps and channels.
#if defined(PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_TILES_INL_H_
#undef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_TILES_INL_H_
#else
#define PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_TILES_INL_H_
#endif

#include <hwy/cache_control.h>

#include <utility>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3
constexpr int kTileTaps = 10;
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileTaps = 5;
#else
constexpr int kTileTaps = 4;
#endif

// A band of pixels of y: rows [y0, y1), columns [x0, x1).
struct Band {
  int64_t y0, y1, x0, x1;

  bool empty() const { return y0 >= y1 || x0 >= x1; }
  Band within(const Band& b) const { return {max_of(y0, b.y0), min_of(y1, b.y1), max_of(x0, b.x0), min_of(x1, b.x1)}; }
};

struct Source {
  const float* image;
  int64_t xstep, ystep;  // image elements between neighbouring pixels of y
  const int64_t* offsets;
  int64_t width;       // of y
  int64_t images = 1;  // joined images, with these distances in elements:
  int64_t image_step = 0, dy_step = 0;
};

// The taps first, first + step, ... of the window.
struct Tile {
  int64_t first, count, step;
};

// sums[tap][channel] = or += the sum over the band of image[pixel + offset of tap] *
// dy[pixel][channel], for MR taps x NV vectors, which are all the channels of the block.
template <int MR, int NV>
void tap_tile(const Source& s, const Tile& tile, const Band& band, const float* HWY_RESTRICT dy, bool add,
              float* HWY_RESTRICT sums) {
  using V = Vec<float>;
  const int64_t tap_sums = tile.step * NV * kL;
  // The sums are not in the cache, and the hardware prefetcher cannot predict their order.
  if (add) {
#pragma GCC unroll 10
    for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) hwy::Prefetch(sums + i * tap_sums + v * kL);
    }
  }
  int64_t offsets[MR];
#pragma GCC unroll 10
  for (int i = 0; i < MR; ++i) offsets[i] = s.offsets[tile.first + i * tile.step];
  V acc[MR][NV];
#pragma GCC unroll 10
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) acc[i][v] = zero<float>();
  }
  const int64_t end = (band.x1 - band.x0) * s.xstep;
  for (int64_t n = 0; n < s.images; ++n) {
    for (int64_t y = band.y0; y < band.y1; ++y) {
      const int64_t row = n * s.image_step + y * s.ystep + band.x0 * s.xstep;
      const float* from[MR];
#pragma GCC unroll 10
      for (int i = 0; i < MR; ++i) from[i] = s.image + (row + offsets[i]);
      const float* g = dy + n * s.dy_step + (y * s.width + band.x0) * NV * kL;
      for (int64_t x = 0; x < end; x += s.xstep) {
        V gv[NV];
#pragma GCC unroll 2
        for (int v = 0; v < NV; ++v) gv[v] = load<float>(g + v * kL);
        g += NV * kL;
#pragma GCC unroll 10
        for (int i = 0; i < MR; ++i) {
          const V pixel = set<float>(from[i][x]);
#pragma GCC unroll 2
          for (int v = 0; v < NV; ++v) acc[i][v] = mul_add(pixel, gv[v], acc[i][v]);
        }
      }
    }
  }
#pragma GCC unroll 10
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) {
      float* to = sums + i * tap_sums + v * kL;
      store<float>(add ? hn::Add(load<float>(to), acc[i][v]) : acc[i][v], to);
    }
  }
}

using TapTileFn = void (*)(const Source&, const Tile&, const Band&, const float*, bool, float*);
template <int NV, int... kI>
TapTileFn tap_tile_of(int64_t taps, std::integer_sequence<int, kI...>) {
  static constexpr TapTileFn kTiles[] = {tap_tile<kI + 1, NV>...};
  return kTiles[taps - 1];
}

// The same for few channels: 16 lanes along pixels, folded once per image. dy is [channel][pixel].
void add_image_along_pixels(const Source& s, int64_t tap0, int64_t tap1, int64_t height, const float* dy,
                            int64_t channels, bool add, float* sums) {
  constexpr int kTaps = 4;
  for (int64_t o = 0; o < channels; ++o) {
    const float* g = dy + o * height * s.width;
    for (int64_t tap = tap0; tap < tap1; tap += kTaps) {
      const int64_t count = min_of(kTaps, tap1 - tap);
      Vec<float> acc[kTaps][kParts<float>];
      int64_t offset[kTaps];
      for (int i = 0; i < kTaps; ++i) {
        offset[i] = s.offsets[tap + min_of(i, count - 1)];
        for (int part = 0; part < kParts<float>; ++part) acc[i][part] = zero<float>();
      }
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < s.width; x += kVirtual<float>) {
#pragma GCC unroll 4
          for (int part = 0; part < kParts<float>; ++part) {
            const int64_t at = x + part * kL, n = max_of(min_of(s.width - at, kL), 0);
            const Vec<float> gv = load_n<float>(g + y * s.width + at, n);
            const float* from = s.image + y * s.ystep + at * s.xstep;
#pragma GCC unroll 4
            for (int i = 0; i < kTaps; ++i) {
              const float* p = from + offset[i];
              const Vec<float> xv = s.xstep == 1   ? load_n<float>(p, n)
                                    : s.xstep == 2 ? load_pairs(p, n)
                                                   : load_apart(p, s.xstep, n);
              acc[i][part] = mul_add(gv, xv, acc[i][part]);
            }
          }
        }
      }
      for (int i = 0; i < count; ++i) {
        float* to = sums + (tap + i) * channels + o;
        const float sum = sum_lanes<float>(acc[i]);
        *to = add ? *to + sum : sum;
      }
    }
  }
}

}  // namespace
}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_TILES_INL_H_
