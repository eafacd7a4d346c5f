// The gradients of a convolution for its weights and bias.
#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/conv/conv_weight_simd.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>

#include <utility>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/conv.h"
#include "devices/cpu/simd/conv/conv_geometry.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_WEIGHT_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_CONV_WEIGHT_ONCE_
namespace percale::simd {
namespace {

// Sums restart for each band of about this many pixels, so that the band's transposed gradient
// stays in L1. Smaller images are joined to one band. Part of the numerics.
constexpr int64_t kBandPixels = 200;
// With at least this many channels read per group, the taps of a tile are one window tap in
// neighbouring channels. Pixels whose tap is outside the image are then skipped, and no image needs
// margins.
constexpr int64_t kManyChannels = 8;
// With fewer written channels than this per group, lanes run along pixels, otherwise along
// channels. Part of the numerics.
constexpr int64_t kFewChannels = 4;
constexpr int64_t kMaxImageSplits = 16;
// A split with fewer pixels would cost less than the addition of its sums.
constexpr int64_t kSplitPixels = 4 * kBandPixels - 16;
constexpr int64_t kPartialBytes = int64_t{8} << 20, kImageBytes = int64_t{32} << 20;

// The division of the work, determined by the sizes only. With many jobs (a split of the images
// times a share of the groups), each job is a piece with its own buffers. With few, all images are
// summed in one order, `chunk` images are prepared at a time, and pieces are tiles of taps.
struct Splits {
  int64_t images = 1, groups = 1;
  int64_t tiles = 1, chunk = 0;
  bool many() const { return chunk == 0; }
};

// `join` is the number of images per band.
Splits splits_of(const TapConv& t, const PaddedImage& image, int64_t tiles, int64_t join) {
  Splits s;
  const int64_t wanted = pieces_for(t.flop());
  const int64_t weight_bytes = t.groups * t.taps() * t.written_c * 4;
  const int64_t image_bytes = join * (image.size() + t.written_h * t.written_w * t.written_c) * 4;
  s.images = max_of(min_of(min_of(t.batch, kMaxImageSplits), wanted), 1);
  while (s.images > 1 && s.images * weight_bytes > kPartialBytes) s.images /= 2;
  while (s.images > 1 && t.batch / s.images * t.written_h * t.written_w < kSplitPixels) s.images /= 2;
  while (s.images > 4 && s.images * image_bytes > kImageBytes) s.images /= 2;
  s.groups = min_of(t.groups, ceil_div(wanted, s.images));
  if (s.images * s.groups >= min_of(8, wanted)) return s;
  s.images = s.groups = 1;
  s.tiles = min_of(tiles, wanted);
  s.chunk = max_of(min_of(t.batch, max_of(8 / min_of(t.groups, 8), join)), 1);
  return s;
}

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::HWY_NAMESPACE {
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
          for (int v = 0; v < NV; ++v) acc[i][v] = hn::MulAdd(pixel, gv[v], acc[i][v]);
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
              acc[i][part] = hn::MulAdd(gv, xv, acc[i][part]);
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

struct Plan {
  TapConv t;
  bool along_pixels, by_channel;
  int64_t channels;      // per group, padded to vectors unless along_pixels
  Parts groups_of_taps;  // by_channel: of the channels read, else of taps
  PaddedImage image;     // the image data that kernels read
  int64_t join;
  Splits splits;
  Parts bands;  // of rows

  explicit Plan(const Conv2d& conv)
      : t(conv, false),
        along_pixels(t.written_c < kFewChannels),
        by_channel(!along_pixels && t.read_c >= kManyChannels),
        channels(along_pixels ? t.written_c : round_up(t.written_c, kL)),
        groups_of_taps(cut(by_channel ? t.read_c : t.taps())),
        image{t.read_c, t.read_h, t.read_w, by_channel ? Margins{} : t.margins},
        join(along_pixels ? 1 : max_of(min_of(kBandPixels / max_of(pixels(), 1), t.batch), 1)),
        splits(splits_of(t, image, tiles(), join)),
        bands(cut_rows(t)) {}

  static Parts cut_rows(const TapConv& t) {
    const int64_t rows = max_of(min_of(kBandPixels / max_of(t.written_w, 1), t.written_h), 1);
    return Parts(t.written_h, ceil_div(t.written_h, rows));
  }
  static Parts cut(int64_t taps) { return Parts(taps, ceil_div(taps, kTileTaps)); }

  int64_t window() const { return t.y.kernel * t.x.kernel; }
  int64_t tiles() const { return groups_of_taps.count * (by_channel ? window() : 1); }
  Tile tile(int64_t i) const {
    if (!by_channel) return {groups_of_taps.begin(i), groups_of_taps.size(i), 1};
    const int64_t part = i / window();
    return {groups_of_taps.begin(part) * window() + i % window(), groups_of_taps.size(part), window()};
  }
  // Returns the pixels for which the tile's taps are inside the data read.
  Band inside(const Tile& tile) const {
    if (!by_channel) return {0, t.written_h, 0, t.written_w};
    const auto [y0, y1] = inside(t.y, tile.first % window() / t.x.kernel);
    const auto [x0, x1] = inside(t.x, tile.first % t.x.kernel);
    return {y0, y1, x0, x1};
  }
  static std::pair<int64_t, int64_t> inside(const Axis& axis, int64_t k) {
    int64_t offset = 0;
    axis.tap(0, k, &offset);
    return {offset < 0 ? ceil_div(-offset, axis.step()) : 0,
            axis.read > offset ? min_of(axis.written, (axis.read - 1 - offset) / axis.step() + 1) : 0};
  }

  // The written channels are divided into blocks. Each has its transposed gradient [pixel][channel
  // of the block] and its sums [tap][channel of the block], which start at first(block) * pixels
  // and first(block) * taps elements.
  int64_t blocks() const { return along_pixels ? 1 : ceil_div(channels, 2 * kL); }
  int64_t first(int64_t block) const { return block * 2 * kL; }
  int64_t width(int64_t block) const { return along_pixels ? channels : min_of(2 * kL, channels - first(block)); }

  int64_t buffers() const {
    return (splits.many() ? splits.images * splits.groups * joined() : splits.chunk * t.groups);
  }
  // Returns the number of images that a piece with its own buffers prepares at a time.
  int64_t joined() const { return min_of(join, ceil_div(t.batch, splits.images)); }
  int64_t pixels() const { return t.written_h * t.written_w; }
  int64_t group_sums() const { return t.taps() * channels; }
  int64_t split_sums() const { return round_up(t.groups * group_sums(), 16); }
  // The pixels of the transposed gradient in a buffer: one band of it if a piece works alone.
  int64_t dy_pixels() const { return splits.many() ? bands.size(0) * t.written_w : pixels(); }
  int64_t dy_size() const { return along_pixels ? 0 : round_up(dy_pixels() * channels, 16); }
  int64_t buffer_size() const { return image.size() + dy_size(); }
  int64_t offsets_bytes() const { return round_up(t.taps() * 8, 64); }
  int64_t scratch_bytes() const {
    return offsets_bytes() + (splits.images * split_sums() + buffers() * buffer_size()) * 4;
  }
};

// The location of the transposed gradient of the pixels from `first` on.
struct Gradient {
  const float* data;
  int64_t first, pixels;
};

// Adds images of one group: tiles [t0, t1) of taps, all channels. gradient_of(y0, y1) returns the
// gradient of these rows.
template <class F>
void add_images(const Plan& plan, const Source& s, int64_t t0, int64_t t1, F&& gradient_of, bool add, float* sums) {
  const std::make_integer_sequence<int, kTileTaps> all;
  const Parts &ys = plan.bands, xs(s.width, ceil_div(s.width, 2 * kBandPixels));
  for (int64_t y = 0; y < ys.count; ++y) {
    const Gradient dy = gradient_of(ys.begin(y), ys.begin(y) + ys.size(y));
    for (int64_t x = 0; x < xs.count; ++x) {
      const Band band{ys.begin(y), ys.begin(y) + ys.size(y), xs.begin(x), xs.begin(x) + xs.size(x)};
      for (int64_t b = 0; b < plan.blocks(); ++b) {
        const float* from = dy.data + (plan.first(b) * dy.pixels - dy.first * plan.width(b));
        float* to = sums + plan.first(b) * plan.t.taps();
        const bool wide = plan.width(b) > kL;
        for (int64_t t = t0; t < t1; ++t) {
          const Tile tile = plan.tile(t);
          const Band used = band.within(plan.inside(tile));
          if (add && used.empty()) continue;
          const TapTileFn fn = wide ? tap_tile_of<2>(tile.count, all) : tap_tile_of<1>(tile.count, all);
          fn(s, tile, used, from, add, to + tile.first * plan.width(b));
        }
      }
      add = true;
    }
  }
}

// Writes a job's transposed gradient for `pixels` to the location in `to`.
void transpose_gradient(const Plan& plan, const float* dy, int64_t job, const PieceRange& pixels, const Gradient& to,
                        float* data) {
  const TapConv& t = plan.t;
  for (int64_t b = 0; b < plan.blocks(); ++b) {
    const int64_t first = plan.first(b), width = plan.width(b);
    transpose_matrix(dy + (job * t.written_c + first) * plan.pixels() + pixels.begin, plan.pixels(),
                     min_of(t.written_c - first, width), pixels.end - pixels.begin,
                     data + first * to.pixels + (pixels.begin - to.first) * width, width, width);
  }
}

// Copies share `part` of `parts` of the image that a job reads if it needs margins; with
// `clearing`, zeroes the margins, too.
void copy_image(const Plan& plan, const float* x, int64_t job, float* buffer, int64_t part, int64_t parts,
                bool clearing) {
  const TapConv& t = plan.t;
  const PieceRange channels = piece_range(t.read_c, parts, part);
  plan.image.fill(x + job * t.read_c * t.read_h * t.read_w, buffer, channels.begin, channels.end, clearing);
}

int64_t scratch_bytes(const Conv2d& conv) { return Plan(conv).scratch_bytes(); }

void weight_grad(const Conv2d& conv, const float* x, const float* dy, float* dw, void* scratch,
                 const ParallelFor& parallel) {
  const Plan plan(conv);
  const TapConv& t = plan.t;
  if (t.taps() == 0 || t.written_c == 0) return;
  if (t.batch == 0 || plan.pixels() == 0) {
    std::memset(dw, 0, static_cast<size_t>(t.groups * t.written_c * t.taps()) * sizeof(float));
    return;
  }
  int64_t* offsets = static_cast<int64_t*>(scratch);
  float* sums = reinterpret_cast<float*>(static_cast<char*>(scratch) + plan.offsets_bytes());
  float* buffers = sums + plan.splits.images * plan.split_sums();
  int64_t index = 0;
  for (int64_t c = 0; c < t.read_c; ++c) {
    for (int64_t i = 0; i < t.y.kernel; ++i) {
      for (int64_t j = 0; j < t.x.kernel; ++j) {
        int64_t down = 0, right = 0;
        t.y.tap(0, i, &down);
        t.x.tap(0, j, &right);
        const Margins& margins = plan.image.margins;
        offsets[index++] = c * plan.image.plane() + (margins.top + down) * plan.image.pitch() + margins.left + right;
      }
    }
  }
  // Adds tiles [t0, t1) of `images` jobs, `apart` from each other, whose buffers are `step`
  // elements apart.
  const auto add_jobs = [&](int64_t job, int64_t images, int64_t apart, const float* buffer, int64_t step, int64_t t0,
                            int64_t t1, bool add, float* to, auto&& gradient_of) {
    const bool copied = plan.image.size() > 0;
    const int64_t image = t.read_c * t.read_h * t.read_w;
    Source s;
    s.image = copied ? buffer : x + job * image;
    s.xstep = t.x.step();
    s.ystep = t.y.step() * plan.image.pitch();
    s.offsets = offsets;
    s.width = t.written_w;
    s.images = images;
    s.image_step = copied ? step : apart * image;
    s.dy_step = step;
    if (plan.along_pixels) {
      const Tile last = plan.tile(t1 - 1);
      add_image_along_pixels(s, plan.tile(t0).first, last.first + last.count, t.written_h,
                             dy + job * t.written_c * plan.pixels(), t.written_c, add, to);
    } else {
      add_images(plan, s, t0, t1, gradient_of, add, to);
    }
  };
  if (plan.splits.many()) {
    const int64_t joined = plan.joined(), size = plan.buffer_size();
    parallel(plan.splits.images * plan.splits.groups, [&](int64_t piece) {
      const int64_t split = piece / plan.splits.groups;
      const PieceRange images = piece_range(t.batch, plan.splits.images, split);
      const PieceRange groups = piece_range(t.groups, plan.splits.groups, piece % plan.splits.groups);
      float* own = buffers + piece * joined * size;
      for (int64_t n = images.begin; n < images.end; n += joined) {
        const int64_t count = min_of(joined, images.end - n);
        for (int64_t g = groups.begin; g < groups.end; ++g) {
          const bool first = n == images.begin && g == groups.begin;
          for (int64_t i = 0; i < count; ++i) copy_image(plan, x, (n + i) * t.groups + g, own + i * size, 0, 1, first);
          add_jobs(n * t.groups + g, count, t.groups, own, size, 0, plan.tiles(), n > images.begin,
                   sums + split * plan.split_sums() + g * plan.group_sums(), [&](int64_t y0, int64_t y1) {
                     const PieceRange pixels{y0 * t.written_w, y1 * t.written_w};
                     const Gradient band{own + plan.image.size(), pixels.begin, pixels.end - pixels.begin};
                     for (int64_t i = 0; i < count; ++i) {
                       transpose_gradient(plan, dy, (n + i) * t.groups + g, pixels, band,
                                          own + i * size + plan.image.size());
                     }
                     return band;
                   });
        }
      }
    });
  } else {
    const int64_t size = plan.buffer_size();
    for (int64_t n0 = 0; n0 < t.batch; n0 += plan.splits.chunk) {
      const int64_t ready = min_of(plan.splits.chunk, t.batch - n0), jobs = ready * t.groups;
      const int64_t parts = pieces_for(8 * static_cast<double>(size));
      parallel(jobs * parts, [&](int64_t piece) {
        const int64_t job = piece / parts;
        float* to = buffers + job * size;
        copy_image(plan, x, n0 * t.groups + job, to, piece % parts, parts, true);
        if (plan.along_pixels) return;
        transpose_gradient(plan, dy, n0 * t.groups + job, piece_range(plan.pixels(), parts, piece % parts, kL),
                           {to, 0, plan.pixels()}, to + plan.image.size());
      });
      parallel(t.groups * plan.splits.tiles, [&](int64_t piece) {
        const int64_t g = piece / plan.splits.tiles;
        const PieceRange tiles = piece_range(plan.tiles(), plan.splits.tiles, piece % plan.splits.tiles);
        for (int64_t n = 0; n < ready; n += plan.join) {
          add_jobs((n0 + n) * t.groups + g, min_of(plan.join, ready - n), t.groups, buffers + (n * t.groups + g) * size,
                   t.groups * size, tiles.begin, tiles.end, n0 + n > 0, sums + g * plan.group_sums(),
                   [&](int64_t, int64_t) {
                     return Gradient{buffers + (n * t.groups + g) * size + plan.image.size(), 0, plan.pixels()};
                   });
        }
      });
    }
  }
  // Add the splits' sums by a binary tree, then transpose [tap][channel] -> [channel][tap].
  const int64_t total = plan.split_sums();
  const int64_t adders = min_of(ceil_div(total, 4096), 16);
  if (plan.splits.images > 1) {
    parallel(adders, [&](int64_t piece) {
      const PieceRange range = piece_range(total, adders, piece, 16);
      for (int64_t apart = 1; apart < plan.splits.images; apart *= 2) {
        for (int64_t i = 0; i + apart < plan.splits.images; i += 2 * apart) {
          float* to = sums + i * total;
          const float* from = sums + (i + apart) * total;
          for (int64_t at = range.begin; at < range.end; at += kL) {
            store<float>(hn::Add(load<float>(to + at), load<float>(from + at)), to + at);
          }
        }
      }
    });
  }
  const int64_t blocks = t.groups * plan.blocks(), turners = min_of(blocks, adders);
  parallel(turners, [&](int64_t piece) {
    const PieceRange range = piece_range(blocks, turners, piece);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t g = i / plan.blocks(), b = i % plan.blocks(), first = plan.first(b), width = plan.width(b);
      transpose_matrix(sums + g * plan.group_sums() + first * t.taps(), width, t.taps(),
                       min_of(t.written_c - first, width), dw + (g * t.written_c + first) * t.taps(), t.taps(),
                       t.taps());
    }
  });
}

void bias_grad(const Conv2d& conv, const float* dy, float* db, const ParallelFor& parallel) {
  const int64_t pixels = conv.out_h * conv.out_w;
  const int64_t pieces = min_of(conv.out_c, pieces_for(8.0 * static_cast<double>(conv.batch * conv.out_c * pixels)));
  if (conv.out_c == 0) return;
  parallel(pieces, [&](int64_t piece) {
    const PieceRange range = piece_range(conv.out_c, pieces, piece);
    for (int64_t o = range.begin; o < range.end; ++o) {
      float sum = 0;
      for (int64_t n = 0; n < conv.batch; ++n) {
        const float* row = dy + (n * conv.out_c + o) * pixels;
        Vec<float> acc[kParts<float>];
        for (Vec<float>& part : acc) part = zero<float>();
        for (int64_t p = 0; p < pixels; p += kVirtual<float>) {
          for (int part = 0; part < kParts<float>; ++part) {
            const int64_t at = p + part * kL;
            acc[part] = hn::Add(acc[part], load_n<float>(row + at, max_of(min_of(pixels - at, kL), 0)));
          }
        }
        sum += sum_lanes<float>(acc);
      }
      db[o] = sum;
    }
  });
}

}  // namespace

constexpr ConvWeightFns kFns = {scratch_bytes, weight_grad, bias_grad};

}  // namespace percale::simd::HWY_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
const ConvWeightFns kConvWeightFns[kIsaCount] = PERCALE_SIMD_TABLE;
}  // namespace percale::simd
#endif
