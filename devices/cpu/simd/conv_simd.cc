// Forward convolution and its gradient for the input. Both are the same loop: an output element is a chain
// over taps, each an offset from where its pixel lies in the (padded) input. The input gradient of a strided
// convolution is one such loop per phase of the stride.
#include "devices/cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/conv_simd.cc"
#include <hwy/foreach_target.h>

#include <utility>

#include "devices/cpu/simd/common-inl.h"
#include "devices/cpu/simd/conv.h"
#include "devices/cpu/simd/conv_geometry.h"
#include "devices/cpu/simd/sizes.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_CONV_ONCE_
namespace percale::simd {
namespace {

// A job is one group of one image. From so many on, pieces are made of whole jobs; below it, a job is cut as
// well.
constexpr int64_t kManyJobs = 8, kMaxJobPieces = 32;

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::HWY_NAMESPACE {
namespace {

// Two register tiles for the same chains.
//   pixels: kTilePixels pixels x 2 vectors of written channels; weights [tap][channel]; the tile is
//           transposed when it is written. Best when taps are many.
//   planes: kTilePlanes written channels x 2 vectors of neighbouring pixels; weights [tap][channel of the
//           tile]. Best when taps or written channels are few.
#if HWY_TARGET == HWY_AVX3
constexpr int kTilePixels = 14, kTilePlanes = 8;
constexpr double kTransposeTaps = 8;  // as many taps as transposing a tile takes the time of
#elif HWY_TARGET == HWY_AVX2
constexpr int kTilePixels = 6, kTilePlanes = 4;
constexpr double kTransposeTaps = 20;
#else
constexpr int kTilePixels = 4, kTilePlanes = 4;
constexpr double kTransposeTaps = 20;
#endif

// Which taps of a phase a tile sums: `runs` times `run` of them, `skip` apart, from the first one given. Those of rows that lie
// wholly outside the image are left out.
struct TapRuns {
  int64_t runs, run, skip;
};

struct Finish {
  const float* bias;  // of the tile's first channel, or null
  Act act;
  int64_t plane, ostep;  // strides of what is written: between channels, between pixels
};

template <int MR, int NV>
HWY_INLINE void store_tile(const Vec<float> (&acc)[MR][NV], float* HWY_RESTRICT tile) {
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) hn::Store(acc[i][v], Tag<float>(), tile + (i * NV + v) * kL);
  }
}

// tile[pixel][channel] = chain over taps. kStep: distance of the pixels where it is known (1, 2), else 0.
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
        for (int v = 0; v < NV; ++v) acc[i][v] = hn::MulAdd(pixel, wv[v], acc[i][v]);
      }
    }
    offsets += taps.run + taps.skip;
    w += taps.skip * NV * kL;
  }
  store_tile(acc, tile);
}

// The same where the taps of a row of the window are the pixel and its neighbours, from left to right or, kBackward, from right
// to left. kLeft: the first pixel has no left neighbour; kRight: the last one no right one.
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
        const float* from =
            in + offsets[k + j];  // so that no compiler keeps pixels for the next tap, for want of registers
        V wv[NV];
#pragma GCC unroll 2
        for (int v = 0; v < NV; ++v) wv[v] = load<float>(w + (j * NV + v) * kL);
#pragma GCC unroll 16
        for (int i = 0; i < MR; ++i) {
          if ((kLeft && i + beside < 0) || (kRight && i + beside >= MR)) continue;
          const V pixel = set<float>(from[i]);
#pragma GCC unroll 2
          for (int v = 0; v < NV; ++v) acc[i][v] = hn::MulAdd(pixel, wv[v], acc[i][v]);
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

// Null where there is none: the code would be large if it were there for all sizes.
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

// MR channels x NV vectors of pixels, `cols` of them. kPlain: all lanes exist and lie side by side.
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
        for (int v = 0; v < NV; ++v) acc[i][v] = hn::MulAdd(x[v], weight, acc[i][v]);
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

// How the loop is laid out for this target.
struct Layout {
  const TapConv& t;
  int64_t jobs;
  bool planes;
  int64_t blocks;  // of written channels
  bool edges;      // the image is read as it is, by edge tiles
  PaddedImage image;

  explicit Layout(const TapConv& conv) : t(conv), jobs(conv.batch * conv.groups), image(conv.image(conv.read_c)) {
    // The share of the arithmetic that is useful, by what each tile wastes: lanes without a channel and the
    // time to transpose, or lanes without a pixel.
    const auto real = [](int64_t v) { return static_cast<double>(v); };
    const int64_t phases = t.y.phases() * t.x.phases();
    const double taps = real(max_of(t.taps() / phases, 1));
    const double by_pixels = real(t.written_c) / real(round_up(t.written_c, kL)) * taps / (taps + kTransposeTaps);
    const int64_t width = max_of(t.x.grid(0), 1);
    const double stepping = t.x.step() > 2    ? 0.15  // gathered one by one
                            : t.x.step() == 2 ? 0.6   // two loads and a shuffle
                            : width % kL != 0 ? 0.85  // masked loads at the end of each row
                                              : 0.95;
    planes = stepping * real(width) / real(round_up(width, kL)) > by_pixels;
    blocks = planes ? plane_blocks() : ceil_div(t.written_c, 2 * kL);
    edges = !planes && has_edge_tiles();
    if (edges) image.margins = {};
  }
  bool has_edge_tiles() const {
    int64_t first = 0, last = 0;
    if (t.y.phases() != 1 || t.x.phases() != 1 || t.x.step() != 1 || t.x.kernel != 3) return false;
    t.x.tap(0, 0, &first);
    t.x.tap(0, 2, &last);
    const int64_t towards = t.x.backward ? -1 : 1, rest = t.written_c % (2 * kL);
    if (first != -towards || last != towards || t.x.written != t.x.read || (rest > 0 && rest <= kL)) return false;
    const Parts tiles(t.x.written, ceil_div(t.x.written, kTilePixels));
    for (int64_t i = 0; i < tiles.count; ++i) {
      if (edge_tile_for(t.x.backward, tiles.size(i), i == 0, i + 1 == tiles.count) == nullptr) return false;
    }
    return tiles.count > 0;
  }
  int64_t packed_c() const { return planes ? t.written_c : round_up(t.written_c, kL); }
  int64_t packed_size() const { return t.groups * t.taps() * packed_c(); }

  // Channel block b: its first channel and how many; planes come in powers of two.
  int64_t plane_blocks() const {
    int64_t count = t.written_c / kTilePlanes;
    for (int64_t rest = t.written_c % kTilePlanes; rest; rest &= rest - 1) ++count;
    return count;
  }
  std::pair<int64_t, int64_t> block(int64_t b) const {
    if (!planes) return {b * 2 * kL, min_of(2 * kL, t.written_c - b * 2 * kL)};
    const int64_t whole = t.written_c / kTilePlanes;
    if (b < whole) return {b * kTilePlanes, kTilePlanes};
    int64_t first = whole * kTilePlanes, rest = t.written_c % kTilePlanes, size = kTilePlanes / 2;
    for (int64_t at = whole;; size /= 2) {
      if (!(rest & size)) continue;
      if (at++ == b) return {first, size};
      first += size;
    }
  }
  // Channels as packed: weights of the block are [tap][this many].
  int64_t packed_width(int64_t channels) const { return planes ? channels : round_up(channels, kL); }
};

// One phase: which taps it has is asked of the axes; where its weights and offsets begin is counted.
struct Phase {
  int64_t py, px, gh, gw, taps, first_tap;
  int64_t rows, columns;  // of the window
};

// The rows of the window that meet the image, which follow each other, for row `row` of the phase.
std::pair<int64_t, int64_t> rows_inside(const TapConv& t, const Phase& phase, int64_t row) {
  int64_t index = 0, first = 0, behind = 0;
  for (int64_t k = 0; k < t.y.kernel; ++k) {
    int64_t offset = 0;
    if (!t.y.tap(phase.py, k, &offset)) continue;
    const int64_t at = row * t.y.step() + offset;
    if (at >= 0 && at < t.read_h) {
      if (behind == 0) first = index;
      behind = index + 1;
    }
    ++index;
  }
  return {first, behind};
}

template <class F>
void for_each_phase(const TapConv& t, F&& f) {
  int64_t first_tap = 0;
  for (int64_t py = 0; py < t.y.phases(); ++py) {
    for (int64_t px = 0; px < t.x.phases(); ++px) {
      int64_t ny = 0, nx = 0, unused = 0;
      for (int64_t k = 0; k < t.y.kernel; ++k) ny += t.y.tap(py, k, &unused);
      for (int64_t k = 0; k < t.x.kernel; ++k) nx += t.x.tap(px, k, &unused);
      const int64_t taps = t.read_c * ny * nx;
      f(Phase{py, px, t.y.grid(py), t.x.grid(px), taps, first_tap, ny, nx});
      first_tap += taps;
    }
  }
}

// f(index within the phase, channel read, kernel row, kernel column, offsets)
template <class F>
void for_each_tap(const TapConv& t, const Phase& phase, F&& f) {
  int64_t index = 0;
  for (int64_t c = 0; c < t.read_c; ++c) {
    for (int64_t ky = 0; ky < t.y.kernel; ++ky) {
      int64_t dy = 0, dx = 0;
      if (!t.y.tap(phase.py, ky, &dy)) continue;
      for (int64_t kx = 0; kx < t.x.kernel; ++kx) {
        if (t.x.tap(phase.px, kx, &dx)) f(index++, c, ky, kx, dy, dx);
      }
    }
  }
}

void fill_offsets(const Layout& layout, int64_t* offsets) {
  const TapConv& t = layout.t;
  for_each_phase(t, [&](const Phase& phase) {
    for_each_tap(t, phase, [&](int64_t i, int64_t c, int64_t, int64_t, int64_t dy, int64_t dx) {
      const Margins& margins = layout.image.margins;
      offsets[phase.first_tap + i] =
          c * layout.image.plane() + (margins.top + dy) * layout.image.pitch() + margins.left + dx;
    });
  });
}

// [group][phase][block][tap][channel of the block].
void pack(const Layout& layout, const float* w, float* packed, const ParallelFor& parallel) {
  const TapConv& t = layout.t;
  const int64_t total = t.groups * layout.blocks;
  const int64_t pieces = min_of(total, pieces_for(static_cast<double>(layout.packed_size()) * 4));
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(total, pieces, piece);
    for (int64_t at = range.begin; at < range.end; ++at) {
      const int64_t group = at / layout.blocks;
      const auto [first, channels] = layout.block(at % layout.blocks);
      const int64_t width = layout.packed_width(channels);
      if (t.y.phases() * t.x.phases() == 1) {
        const int64_t window = t.y.kernel * t.x.kernel;
        const float* from = w + group * t.weight_group + first * t.weight_written;
        float* to = packed + group * t.taps() * layout.packed_c() + first * t.taps();
        if (t.weight_read == window) {  // a channel's taps lie in the order of the loop
          transpose_matrix(from, t.weight_written, channels, t.taps(), to, width, width);
        } else {
          for (int64_t c = 0; c < t.read_c; ++c) {
            transpose_matrix(from + c * t.weight_read, window, channels, window, to + c * window * width, width, width);
          }
        }
        continue;
      }
      for_each_phase(t, [&, first = first, channels = channels](const Phase& phase) {
        float* to = packed + (group * t.taps() + phase.first_tap) * layout.packed_c() + first * phase.taps;
        for_each_tap(t, phase, [&](int64_t i, int64_t c, int64_t ky, int64_t kx, int64_t, int64_t) {
          const float* from =
              w + group * t.weight_group + first * t.weight_written + c * t.weight_read + ky * t.x.kernel + kx;
          for (int64_t o = 0; o < channels; ++o) to[i * width + o] = from[o * t.weight_written];
          for (int64_t o = channels; o < width; ++o) to[i * width + o] = 0;
        });
      });
    }
  });
}

struct Data {
  const float* packed;
  const int64_t* offsets;
  const float* bias;
  Act act;
};

// Blocks [b0, b1) of channels of one job, whose group is `group`; share `part` of `parts` of each phase's
// tiles.
void run_part(const Layout& layout, const Data& data, int64_t group, const float* image, float* out, int64_t part,
              int64_t parts, int64_t b0, int64_t b1) {
  const TapConv& t = layout.t;
  const int64_t plane = t.written_h * t.written_w, pitch = layout.image.pitch();
  const int64_t xstep = t.x.step(), ystep = t.y.step();
  for_each_phase(t, [&](const Phase& phase) {
    if (phase.gh == 0 || phase.gw == 0) return;
    const Parts tiles(phase.gw, ceil_div(phase.gw, layout.planes ? 2 * kL : kTilePixels));
    const PieceRange range = piece_range(phase.gh * tiles.count, parts, part);
    const int64_t* offsets = data.offsets + phase.first_tap;
    const float* weights = data.packed + (group * t.taps() + phase.first_tap) * layout.packed_c();
    for (int64_t b = b0; b < b1; ++b) {
      const auto [first, channels] = layout.block(b);
      const float* w = weights + first * phase.taps;
      const Finish finish{data.bias ? data.bias + group * t.written_c + first : nullptr, data.act, plane, t.x.ostep()};
      int64_t last_row = -1, skipped = 0;
      TapRuns runs{1, phase.taps, 0};
      for (int64_t at = range.begin; at < range.end; ++at) {
        const int64_t row = at / tiles.count, tile = at % tiles.count;
        const int64_t x0 = layout.planes ? tile * 2 * kL : tiles.begin(tile);
        const int64_t cols = layout.planes ? min_of(2 * kL, phase.gw - x0) : tiles.size(tile);
        const float* in = image + (row * ystep * pitch + x0 * xstep);
        float* to = out + first * plane + (phase.py + row * t.y.ostep()) * t.written_w + phase.px + x0 * t.x.ostep();
        if (layout.planes) {
          plane_tile_for(channels, cols, xstep)(phase.taps, in, offsets, xstep, w, cols, finish, to);
          continue;
        }
        if (row != last_row) {
          const auto [r0, r1] = rows_inside(t, phase, row);
          const int64_t window = phase.rows * phase.columns;
          skipped = r0 * phase.columns;
          runs = r1 - r0 == phase.rows
                     ? TapRuns{1, phase.taps, 0}
                     : TapRuns{t.read_c, (r1 - r0) * phase.columns, window - (r1 - r0) * phase.columns};
          last_row = row;
        }
        alignas(64) float lanes[kTilePixels * 2 * kL];
        const int64_t nv = channels > kL ? 2 : 1;
        const PixelTileFn fn = layout.edges ? edge_tile_for(t.x.backward, cols, x0 == 0, x0 + cols == phase.gw)
                               : nv == 2    ? pixel_tile_for<2>(cols, xstep)
                                            : pixel_tile_for<1>(cols, xstep);
        fn(runs, in, offsets + skipped, xstep, w + skipped * nv * kL, lanes);
        write_pixels(lanes, cols, nv, channels, finish, to);
      }
    }
  });
}

int64_t job_pieces(const Layout& layout) {
  return min_of(min_of(layout.jobs, kMaxJobPieces), pieces_for(layout.t.flop()));
}

// Scratch: offsets, packed weights, padded images (one per piece, or all of few jobs).
int64_t scratch_bytes(const Layout& layout) {
  const int64_t images = layout.jobs >= kManyJobs ? job_pieces(layout) : layout.jobs;
  return round_up(layout.t.taps() * 8, 64) + round_up(layout.packed_size() * 4, 64) + images * layout.image.size() * 4;
}

void run(const Layout& layout, const float* in, const float* w, const float* packed, const float* bias, Act act,
         float* out, void* scratch, const ParallelFor& parallel) {
  const TapConv& t = layout.t;
  const int64_t in_size = t.read_c * t.read_h * t.read_w, out_size = t.written_c * t.written_h * t.written_w;
  if (layout.jobs == 0 || out_size == 0) return;
  char* at = static_cast<char*>(scratch);
  int64_t* offsets = reinterpret_cast<int64_t*>(at);
  at += round_up(t.taps() * 8, 64);
  float* own_packed = reinterpret_cast<float*>(at);
  at += round_up(layout.packed_size() * 4, 64);
  float* images = reinterpret_cast<float*>(at);
  fill_offsets(layout, offsets);
  if (!packed) {
    pack(layout, w, own_packed, parallel);
    packed = own_packed;
  }
  const Data data{packed, offsets, bias, act};
  const int64_t image_size = layout.image.size();
  if (layout.jobs >= kManyJobs) {
    const int64_t pieces = job_pieces(layout);
    parallel(pieces, [&](int64_t piece) {
      float* buffer = images + piece * image_size;
      layout.image.clear(buffer);
      const PieceRange range = piece_range(layout.jobs, pieces, piece);
      for (int64_t job = range.begin; job < range.end; ++job) {
        const float* image = layout.image.fill(in + job * in_size, buffer);
        run_part(layout, data, job % t.groups, image, out + job * out_size, 0, 1, 0, layout.blocks);
      }
    });
    return;
  }
  if (image_size) {
    const int64_t parts = min_of(t.read_c, pieces_for(static_cast<double>(image_size) * 4));
    parallel(layout.jobs * parts, [&](int64_t piece) {
      const int64_t job = piece / parts;
      const PieceRange channels = piece_range(t.read_c, parts, piece % parts);
      layout.image.fill(in + job * in_size, images + job * image_size, channels.begin, channels.end, true);
    });
  }
  // Tiles first, then blocks of channels.
  const int64_t per_job = ceil_div(pieces_for(t.flop()), layout.jobs);
  const int64_t tiles = t.y.grid(0) * ceil_div(max_of(t.x.grid(0), 1), kTilePixels);
  const int64_t by_tile = max_of(min_of(tiles, per_job), 1);
  const int64_t by_block = min_of(layout.blocks, ceil_div(per_job, by_tile));
  parallel(layout.jobs * by_tile * by_block, [&](int64_t piece) {
    const int64_t job = piece / (by_tile * by_block);
    const PieceRange blocks = piece_range(layout.blocks, by_block, piece / by_tile % by_block);
    const float* image = image_size ? images + job * image_size : in + job * in_size;
    run_part(layout, data, job % t.groups, image, out + job * out_size, piece % by_tile, by_tile, blocks.begin,
             blocks.end);
  });
}

int64_t forward_scratch_bytes(const Conv2d& conv) {
  const TapConv t(conv, false);
  return scratch_bytes(Layout(t));
}

void forward(const Conv2d& conv, const float* x, const float* w, const float* packed, const float* bias, Act act,
             float* y, void* scratch, const ParallelFor& parallel) {
  const TapConv t(conv, false);
  run(Layout(t), x, w, packed, bias, act, y, scratch, parallel);
}

int64_t packed_weights_bytes(const Conv2d& conv) {
  const TapConv t(conv, false);
  return Layout(t).packed_size() * 4;
}

void pack_weights(const Conv2d& conv, const float* w, float* packed, const ParallelFor& parallel) {
  const TapConv t(conv, false);
  pack(Layout(t), w, packed, parallel);
}

int64_t input_grad_scratch_bytes(const Conv2d& conv) {
  const TapConv t(conv, true);
  return scratch_bytes(Layout(t));
}

void input_grad(const Conv2d& conv, const float* dy, const float* w, float* dx, void* scratch,
                const ParallelFor& parallel) {
  const TapConv t(conv, true);
  run(Layout(t), dy, w, nullptr, nullptr, Act::kNone, dx, scratch, parallel);
}

}  // namespace

constexpr ConvFns kFns = {forward_scratch_bytes,    forward,   packed_weights_bytes, pack_weights,
                          input_grad_scratch_bytes, input_grad};

}  // namespace percale::simd::HWY_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
const ConvFns kConvFns[kIsaCount] = PERCALE_SIMD_TABLE;
}  // namespace percale::simd
#endif
