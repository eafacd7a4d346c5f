// The division of the work of a convolution's weight gradient, the same for every target.
#ifndef PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_SPLITS_H_
#define PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_SPLITS_H_

#include <cstdint>

#include "devices/cpu/simd/common/sizes.h"
#include "devices/cpu/simd/conv/conv_geometry.h"

namespace percale::simd {

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
// summed in one order, `chunk` images are copied at a time, and pieces are tiles of taps.
struct Splits {
  int64_t images = 1, groups = 1;
  int64_t tiles = 1, chunk = 0;
  bool many() const { return chunk == 0; }
};

// `join` is the number of images per band.
inline Splits splits_of(const TapConv& t, const PaddedImage& image, int64_t tiles, int64_t join) {
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

}  // namespace percale::simd

#endif  // PERCALE_DEVICES_CPU_SIMD_CONV_CONV_WEIGHT_SPLITS_H_
