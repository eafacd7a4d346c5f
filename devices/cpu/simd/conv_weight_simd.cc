// The gradients of a convolution for its weights and bias.
#include "devices/cpu/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/conv_weight_simd.cc"
#include <hwy/foreach_target.h>

#include <utility>

#include "devices/cpu/simd/common-inl.h"
#include "devices/cpu/simd/conv.h"
#include "devices/cpu/simd/conv_geometry.h"
#include "devices/cpu/simd/sizes.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_WEIGHT_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_CONV_WEIGHT_ONCE_
namespace percale::simd {
namespace {

// Sums start anew for each band of about so many pixels, whose transposed gradient stays in L1. Part of the
// numerics.
constexpr int64_t kBandPixels = 200;
// With fewer channels than this per group, lanes run along pixels, otherwise along channels. Part of the
// numerics.
constexpr int64_t kFewChannels = 4;
constexpr int64_t kMaxImageSplits = 16;
constexpr int64_t kPartialBytes = int64_t{8} << 20, kImageBytes = int64_t{32} << 20;

// How the work is cut, by the sizes alone. With many jobs (a split of the images times a share of the groups)
// each is a piece with its own buffers. With few, all images are summed in one order, `chunk` of them
// prepared at a time, and pieces are tiles of taps.
struct Splits {
  int64_t images = 1, groups = 1;
  int64_t tiles = 1, chunk = 0;
  bool many() const { return chunk == 0; }
};

Splits splits_of(const TapConv& t, int64_t tiles) {
  Splits s;
  const int64_t wanted = pieces_for(t.flop());
  const int64_t weight_bytes = t.groups * t.taps() * t.written_c * 4;
  const int64_t image_bytes = (t.image(t.read_c).size() + t.written_h * t.written_w * t.written_c) * 4;
  s.images = max_of(min_of(min_of(t.batch, kMaxImageSplits), wanted), 1);
  while (s.images > 1 && s.images * weight_bytes > kPartialBytes) s.images /= 2;
  while (s.images > 4 && s.images * image_bytes > kImageBytes) s.images /= 2;
  s.groups = min_of(t.groups, ceil_div(wanted, s.images));
  if (s.images * s.groups >= min_of(8, wanted)) return s;
  s.images = s.groups = 1;
  s.tiles = min_of(tiles, wanted);
  s.chunk = max_of(min_of(t.batch, 8 / min_of(t.groups, 8)), 1);
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

// A band of pixels: rows [y0, y1), columns [x0, x1) of y.
struct Band {
  int64_t y0, y1, x0, x1;
};

struct Source {
  const float* image;
  int64_t xstep, ystep;  // elements of the image between neighbouring pixels of y
  const int64_t* offsets;
  int64_t width;  // of y
};

// sums[tap][channel] (+)= over the band of image[pixel + offset of tap] * dy[pixel][channel], MR taps x NV
// vectors.
template <int MR, int NV>
void tap_tile(const Source& s, const int64_t* HWY_RESTRICT offsets, const Band& band, const float* dy, int64_t ldy,
              bool add, float* sums) {
  using V = Vec<float>;
  V acc[MR][NV];
#pragma GCC unroll 10
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) acc[i][v] = zero<float>();
  }
  for (int64_t y = band.y0; y < band.y1; ++y) {
    const float* row = s.image + y * s.ystep + band.x0 * s.xstep;
    const float* from[MR];
#pragma GCC unroll 10
    for (int i = 0; i < MR; ++i) from[i] = row + offsets[i];
    const float* g = dy + (y * s.width + band.x0) * ldy;
    const int64_t end = (band.x1 - band.x0) * s.xstep;
    for (int64_t x = 0; x < end; x += s.xstep) {
      V gv[NV];
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) gv[v] = load<float>(g + v * kL);
      g += ldy;
#pragma GCC unroll 10
      for (int i = 0; i < MR; ++i) {
        const V pixel = set<float>(from[i][x]);
#pragma GCC unroll 2
        for (int v = 0; v < NV; ++v) acc[i][v] = hn::MulAdd(pixel, gv[v], acc[i][v]);
      }
    }
  }
#pragma GCC unroll 10
  for (int i = 0; i < MR; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) {
      float* to = sums + i * ldy + v * kL;
      store<float>(add ? hn::Add(load<float>(to), acc[i][v]) : acc[i][v], to);
    }
  }
}

using TapTileFn = void (*)(const Source&, const int64_t*, const Band&, const float*, int64_t, bool, float*);
template <int NV, int... kI>
TapTileFn tap_tile_of(int64_t taps, std::integer_sequence<int, kI...>) {
  static constexpr TapTileFn kTiles[] = {tap_tile<kI + 1, NV>...};
  return kTiles[taps - 1];
}

// One image of one group: tiles [t0, t1) of taps, all channels. dy is [pixel][padded channel].
void add_image(const Source& s, const Parts& tiles, int64_t t0, int64_t t1, int64_t height, const float* dy,
               int64_t channels, bool add, float* sums) {
  const std::make_integer_sequence<int, kTileTaps> all;
  const int64_t rows = max_of(min_of(kBandPixels / s.width, height), 1);
  const Parts ys(height, ceil_div(height, rows)), xs(s.width, ceil_div(s.width, 2 * kBandPixels));
  for (int64_t y = 0; y < ys.count; ++y) {
    for (int64_t x = 0; x < xs.count; ++x) {
      const Band band{ys.begin(y), ys.begin(y) + ys.size(y), xs.begin(x), xs.begin(x) + xs.size(x)};
      for (int64_t o = 0; o < channels; o += 2 * kL) {
        for (int64_t t = t0; t < t1; ++t) {
          const int64_t tap = tiles.begin(t), count = tiles.size(t);
          const TapTileFn fn = channels - o > kL ? tap_tile_of<2>(count, all) : tap_tile_of<1>(count, all);
          fn(s, s.offsets + tap, band, dy + o, channels, add, sums + tap * channels + o);
        }
      }
      add = true;
    }
  }
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
  bool along_pixels;
  int64_t channels;  // per group, padded to vectors unless along_pixels
  Parts tiles;       // of taps
  Splits splits;
  PaddedImage image;

  explicit Plan(const Conv2d& conv)
      : t(conv, false),
        along_pixels(t.written_c < kFewChannels),
        channels(along_pixels ? t.written_c : round_up(t.written_c, kL)),
        tiles(t.taps(), ceil_div(t.taps(), kTileTaps)),
        splits(splits_of(t, tiles.count)),
        image(t.image(t.read_c)) {}

  int64_t buffers() const { return splits.many() ? splits.images * splits.groups : splits.chunk * t.groups; }
  int64_t pixels() const { return t.written_h * t.written_w; }
  int64_t group_sums() const { return t.taps() * channels; }
  int64_t split_sums() const { return round_up(t.groups * group_sums(), 16); }
  int64_t dy_size() const { return along_pixels ? 0 : round_up(pixels() * channels, 16); }
  int64_t buffer_size() const { return image.size() + dy_size(); }
  int64_t offsets_bytes() const { return round_up(t.taps() * 8, 64); }
  int64_t scratch_bytes() const {
    return offsets_bytes() + (splits.images * split_sums() + buffers() * buffer_size()) * 4;
  }
};

// One group of one image, ready for the tiles.
struct Job {
  const float* image;
  const float* dy;
};

Job prepared(const Plan& plan, const float* x, const float* dy, int64_t job, float* buffer) {
  const TapConv& t = plan.t;
  return {plan.image.size() ? buffer : x + job * t.read_c * t.read_h * t.read_w,
          plan.along_pixels ? dy + job * t.written_c * plan.pixels() : buffer + plan.image.size()};
}

// Share `part` of `parts` of the copying. `clearing` zeroes the margins as well.
Job prepare(const Plan& plan, const float* x, const float* dy, int64_t job, float* buffer, int64_t part, int64_t parts,
            bool clearing) {
  const TapConv& t = plan.t;
  const PieceRange channels = piece_range(t.read_c, parts, part);
  plan.image.fill(x + job * t.read_c * t.read_h * t.read_w, buffer, channels.begin, channels.end, clearing);
  if (!plan.along_pixels) {
    const PieceRange pixels = piece_range(plan.pixels(), parts, part, kL);
    transpose_matrix(dy + job * t.written_c * plan.pixels() + pixels.begin, plan.pixels(), t.written_c,
                     pixels.end - pixels.begin, buffer + plan.image.size() + pixels.begin * plan.channels,
                     plan.channels, plan.channels);
  }
  return prepared(plan, x, dy, job, buffer);
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
        offsets[index++] =
            c * plan.image.plane() + (t.margins.top + down) * plan.image.pitch() + t.margins.left + right;
      }
    }
  }
  const auto add_job = [&](const Job& job, int64_t t0, int64_t t1, bool add, float* to) {
    Source s;
    s.image = job.image;
    s.xstep = t.x.step();
    s.ystep = t.y.step() * plan.image.pitch();
    s.offsets = offsets;
    s.width = t.written_w;
    if (plan.along_pixels) {
      const int64_t end = t1 < plan.tiles.count ? plan.tiles.begin(t1) : t.taps();
      add_image_along_pixels(s, plan.tiles.begin(t0), end, t.written_h, job.dy, t.written_c, add, to);
    } else {
      add_image(s, plan.tiles, t0, t1, t.written_h, job.dy, plan.channels, add, to);
    }
  };
  if (plan.splits.many()) {
    parallel(plan.buffers(), [&](int64_t piece) {
      const int64_t split = piece / plan.splits.groups;
      const PieceRange images = piece_range(t.batch, plan.splits.images, split);
      const PieceRange groups = piece_range(t.groups, plan.splits.groups, piece % plan.splits.groups);
      for (int64_t n = images.begin; n < images.end; ++n) {
        for (int64_t g = groups.begin; g < groups.end; ++g) {
          const bool first = n == images.begin && g == groups.begin;
          const Job job = prepare(plan, x, dy, n * t.groups + g, buffers + piece * plan.buffer_size(), 0, 1, first);
          add_job(job, 0, plan.tiles.count, n > images.begin, sums + split * plan.split_sums() + g * plan.group_sums());
        }
      }
    });
  } else {
    for (int64_t n0 = 0; n0 < t.batch; n0 += plan.splits.chunk) {
      const int64_t jobs = min_of(plan.splits.chunk, t.batch - n0) * t.groups;
      const int64_t parts = pieces_for(8 * static_cast<double>(plan.buffer_size()));
      parallel(jobs * parts, [&](int64_t piece) {
        const int64_t job = piece / parts;
        prepare(plan, x, dy, n0 * t.groups + job, buffers + job * plan.buffer_size(), piece % parts, parts, true);
      });
      parallel(t.groups * plan.splits.tiles, [&](int64_t piece) {
        const int64_t g = piece / plan.splits.tiles;
        const PieceRange tiles = piece_range(plan.tiles.count, plan.splits.tiles, piece % plan.splits.tiles);
        for (int64_t job = g; job < jobs; job += t.groups) {
          add_job(prepared(plan, x, dy, n0 * t.groups + job, buffers + job * plan.buffer_size()), tiles.begin,
                  tiles.end, n0 > 0 || job >= t.groups, sums + g * plan.group_sums());
        }
      });
    }
  }
  // The splits' sums by a binary tree, then [tap][channel] -> [channel][tap].
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
  const int64_t turners = min_of(t.groups, adders);
  parallel(turners, [&](int64_t piece) {
    const PieceRange range = piece_range(t.groups, turners, piece);
    for (int64_t g = range.begin; g < range.end; ++g) {
      transpose_matrix(sums + g * plan.group_sums(), plan.channels, t.taps(), t.written_c,
                       dw + g * t.written_c * t.taps(), t.taps(), t.taps());
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
