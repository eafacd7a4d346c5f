// Forward convolution and its input gradient. Both are the same loop: an output element is a chain
// over taps, each at an offset from the pixel's position in the (padded) input. The input gradient
// of a strided convolution is one such loop per phase of the stride.
#include "devices/cpu/simd/common/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/simd/conv/conv_simd.cc"
#include <hwy/foreach_target.h>

#include <utility>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/conv.h"
#include "devices/cpu/simd/conv/conv_geometry.h"
#include "devices/cpu/simd/conv/conv_tiles-inl.h"

#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_ONCE_
#define PERCALE_DEVICES_CPU_SIMD_CONV_ONCE_
namespace percale::simd {
namespace {

// A job is one group of one image. With at least this many jobs, pieces are whole jobs; with fewer,
// jobs are divided as well.
constexpr int64_t kManyJobs = 8, kMaxJobPieces = 32;

}  // namespace
}  // namespace percale::simd
#endif

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

// The layout of the loop for this target.
struct Layout {
  const TapConv& t;
  int64_t jobs;
  bool planes;
  int64_t blocks;  // of written channels
  bool edges;      // edge tiles read the image without a padded copy
  PaddedImage image;

  explicit Layout(const TapConv& conv) : t(conv), jobs(conv.batch * conv.groups), image(conv.image(conv.read_c)) {
    // The useful share of the arithmetic. Tiles of pixels waste lanes without a channel and the
    // time of the transposition; tiles of planes waste lanes without a pixel.
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

  // The number of channel blocks; planes come in powers of two. block() returns a block's first
  // channel and channel count.
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
  // Returns the number of packed channels of a block; its weights are [tap][packed channel].
  int64_t packed_width(int64_t channels) const { return planes ? channels : round_up(channels, kL); }
};

// One phase of the stride. Its taps are determined by the axes; the positions of its weights and
// offsets are counted.
struct Phase {
  int64_t py, px, gh, gw, taps, first_tap;
  int64_t rows, columns;  // of the kernel window
};

// Returns the consecutive window rows that overlap the image for row `row` of the phase.
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

// Calls f(index within the phase, channel read, kernel row, kernel column, offsets).
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

// Packs weights as [group][phase][block][tap][channel of the block].
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
        if (t.weight_read == window) {  // a channel's taps are in loop order
          transpose_matrix(from, t.weight_written, channels, t.taps(), to, width, width);
        } else if (t.weight_written == 1) {  // channels are adjacent
          for (int64_t c = 0; c < t.read_c; ++c) {
            std::memcpy(to + c * width, from + c * t.weight_read, static_cast<size_t>(channels) * sizeof(float));
            std::fill_n(to + c * width + channels, width - channels, 0.0f);
          }
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

// If the packed weights are at most this large, they stay in L2 and are traversed for each row of
// an image instead of once per image.
constexpr int64_t kRowWeights = 320 * 1024;

// A piece of work: blocks [b0, b1) of channels of one job in group `group`, and share `part` of
// `parts` of each phase's tiles.
struct PartOfJob {
  const Layout& layout;
  const Data& data;
  int64_t group;
  const float* image;
  float* out;
  int64_t part, parts, b0, b1;

  const TapConv& t = layout.t;
  const int64_t plane = t.written_h * t.written_w;

  void run() const {
    const bool pairs = !layout.planes && t.x.phases() == 2 && t.x.grid(0) > 0;
    Phase even{};
    for_each_phase(t, [&](const Phase& phase) {
      if (pairs && phase.px == 0) {
        even = phase;
      } else if (pairs) {
        rows_of_pairs(even, phase);
      } else if (phase.gh > 0 && phase.gw > 0) {
        rows_of_phase(phase);
      }
    });
  }

 private:
  // Calls f(row, first tile, end tile, block) in the order that rereads the least data.
  template <class F>
  void for_rows(const Phase& phase, int64_t taps, int64_t tiles, F&& f) const {
    const PieceRange range = piece_range(phase.gh * tiles, parts, part);
    const bool row_by_row = (b1 - b0) * layout.packed_width(layout.block(b0).second) * taps * 4 <= kRowWeights;
    const int64_t stretch = row_by_row ? tiles : max_of(range.end - range.begin, 1);
    for (int64_t begin = range.begin; begin < range.end;) {
      const int64_t end = min_of(range.end, row_by_row ? begin / stretch * stretch + stretch : begin + stretch);
      for (int64_t b = b0; b < b1; ++b) {
        for (int64_t at = begin; at < end;) {
          const int64_t row = at / tiles, next = min_of(end, (row + 1) * tiles);
          f(row, at - row * tiles, next - row * tiles, b);
          at = next;
        }
      }
      begin = end;
    }
  }

  // The taps that overlap the image in a row; the `first` taps before them are skipped.
  struct RowTaps {
    TapRuns runs;
    int64_t first;
  };
  RowTaps taps_of_row(const Phase& phase, int64_t row) const {
    const auto [r0, r1] = rows_inside(t, phase, row);
    const int64_t window = phase.rows * phase.columns, run = (r1 - r0) * phase.columns;
    if (run == window) return {{1, phase.taps, 0}, 0};
    return {{t.read_c, run, window - run}, r0 * phase.columns};
  }

  const float* weights(const Phase& phase, int64_t first) const {
    return data.packed + (group * t.taps() + phase.first_tap) * layout.packed_c() + first * phase.taps;
  }
  const float* pixel(int64_t row, int64_t x) const {
    return image + (row * t.y.step() * layout.image.pitch() + x * t.x.step());
  }

  void sum_pixels(const Phase& phase, const RowTaps& taps, int64_t row, int64_t x, int64_t cols, int64_t first,
                  int64_t nv, float* lanes) const {
    const int64_t step = t.x.step();
    const PixelTileFn fn = layout.edges ? edge_tile_for(t.x.backward, cols, x == 0, x + cols == phase.gw)
                           : nv == 2    ? pixel_tile_for<2>(cols, step)
                                        : pixel_tile_for<1>(cols, step);
    fn(taps.runs, pixel(row, x), data.offsets + phase.first_tap + taps.first, step,
       weights(phase, first) + taps.first * nv * kL, lanes);
  }

  void rows_of_phase(const Phase& phase) const {
    const Parts tiles(phase.gw, ceil_div(phase.gw, layout.planes ? 2 * kL : kTilePixels));
    for_rows(phase, phase.taps, tiles.count, [&](int64_t row, int64_t t0, int64_t t1, int64_t b) {
      const auto [first, channels] = layout.block(b);
      const Finish finish{data.bias ? data.bias + group * t.written_c + first : nullptr, data.act, plane, t.x.ostep()};
      float* to = out + first * plane + (phase.py + row * t.y.ostep()) * t.written_w + phase.px;
      if (layout.planes) {
        for (int64_t tile = t0; tile < t1; ++tile) {
          const int64_t x = tile * 2 * kL, cols = min_of(2 * kL, phase.gw - x);
          plane_tile_for(channels, cols, t.x.step())(phase.taps, pixel(row, x), data.offsets + phase.first_tap,
                                                     t.x.step(), weights(phase, first), cols, finish,
                                                     to + x * t.x.ostep());
        }
        return;
      }
      const RowTaps taps = taps_of_row(phase, row);
      const int64_t nv = channels > kL ? 2 : 1;
      for (int64_t tile = t0; tile < t1; ++tile) {
        alignas(64) float lanes[kTilePixels * 2 * kL];
        const int64_t x = tiles.begin(tile), cols = tiles.size(tile);
        sum_pixels(phase, taps, row, x, cols, first, nv, lanes);
        write_pixels(lanes, cols, nv, channels, finish, to + x * t.x.ostep());
      }
    });
  }

  // Computes two phases of stride 2 whose pixels are adjacent.
  void rows_of_pairs(const Phase& even, const Phase& odd) const {
    if (even.gh == 0) return;
    const Parts tiles(even.gw, ceil_div(even.gw, kTilePixels));
    for_rows(even, even.taps + odd.taps, tiles.count, [&](int64_t row, int64_t t0, int64_t t1, int64_t b) {
      const auto [first, channels] = layout.block(b);
      const int64_t nv = channels > kL ? 2 : 1, x0 = 2 * tiles.begin(t0);
      float* to = out + first * plane + (even.py + row * t.y.ostep()) * t.written_w;
      const RowTaps even_taps = taps_of_row(even, row), odd_taps = taps_of_row(odd, row);
      if (even_taps.runs.runs * even_taps.runs.run + odd_taps.runs.runs * odd_taps.runs.run == 0) {
        const int64_t end = t1 < tiles.count ? 2 * tiles.begin(t1) : t.written_w;
        for (int64_t c = 0; c < channels; ++c) std::fill_n(to + c * plane + x0, end - x0, 0.0f);
        return;
      }
      for (int64_t tile = t0; tile < t1; ++tile) {
        alignas(64) float even_lanes[kTilePixels * 2 * kL], odd_lanes[kTilePixels * 2 * kL];
        const int64_t x = tiles.begin(tile), cols = tiles.size(tile), odds = min_of(cols, odd.gw - x);
        sum_pixels(even, even_taps, row, x, cols, first, nv, even_lanes);
        if (odds > 0) sum_pixels(odd, odd_taps, row, x, odds, first, nv, odd_lanes);
        write_pairs(even_lanes, odd_lanes, cols + odds, nv, channels, plane, to + 2 * x);
      }
    });
  }
};

int64_t job_pieces(const Layout& layout) {
  return min_of(min_of(layout.jobs, kMaxJobPieces), pieces_for(layout.t.flop()));
}

// Scratch contains offsets, packed weights and padded images (one per piece, or all images if there
// are few jobs).
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
        PartOfJob{layout, data, job % t.groups, image, out + job * out_size, 0, 1, 0, layout.blocks}.run();
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
  // Divide tiles first, then blocks of channels.
  const int64_t per_job = ceil_div(pieces_for(t.flop()), layout.jobs);
  const int64_t tiles = t.y.grid(0) * ceil_div(max_of(t.x.grid(0), 1), kTilePixels);
  const int64_t by_tile = max_of(min_of(tiles, per_job), 1);
  const int64_t by_block = min_of(layout.blocks, ceil_div(per_job, by_tile));
  parallel(layout.jobs * by_tile * by_block, [&](int64_t piece) {
    const int64_t job = piece / (by_tile * by_block);
    const PieceRange blocks = piece_range(layout.blocks, by_block, piece / by_tile % by_block);
    const float* image = image_size ? images + job * image_size : in + job * in_size;
    PartOfJob{layout,          data,    job % t.groups, image,     out + job * out_size,
              piece % by_tile, by_tile, blocks.begin,   blocks.end}
        .run();
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

}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace percale::simd {
PERCALE_DEFINE_TABLE(ConvFns);
}  // namespace percale::simd
#endif
