// The plan of a weight gradient, compiled once per target: which taps, channels and pixels are
// summed together, and the layout of the scratch memory.
#if defined(PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_PLAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_PLAN_INL_H_
#undef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_PLAN_INL_H_
#else
#define PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_PLAN_INL_H_
#endif

#include <utility>

#include "devices/cpu/simd/common/common-inl.h"
#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/conv_geometry.h"
#include "devices/cpu/simd/conv/conv_weight_splits.h"
#include "devices/cpu/simd/conv/conv_weight_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
#if PERCALE_SIMD_TARGET
namespace percale::simd::PERCALE_SIMD_NAMESPACE {
namespace {

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

}  // namespace
}  // namespace percale::simd::PERCALE_SIMD_NAMESPACE
#endif  // PERCALE_SIMD_TARGET
HWY_AFTER_NAMESPACE();

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_PLAN_INL_H_
