// Convolutions of 3 x 3 weights, one step at a time, by Winograd's minimal filtering F(m x m, 3 x 3): a tile of m x m results of a
// channel costs (m + 2)^2 products instead of 9 m^2. Tiles of (m + 2)^2 pixels and the weights are taken to as many points, where a
// convolution is a product of matrices per point, and the results are taken back.
// S. Winograd, Arithmetic Complexity of Computations (1980); A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks
// (2016). The points of m = 4 are 0, +-sqrt(1/2), +-sqrt(2) and infinity: with the usual 0, +-1, +-2 errors are four times as large.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_WINOGRAD_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_WINOGRAD_H_

#include <cstdint>
#include <string_view>

namespace percale::onednn {

struct WinogradShape {
  int64_t m = 4;  // 2 or 4
  int64_t images, height, width, channels;
  int64_t out_height, out_width, out_channels;
  int64_t top, left;  // padding

  int64_t points() const { return (m + 2) * (m + 2); }
  int64_t tile_rows() const { return (out_height + m - 1) / m; }
  int64_t tile_columns() const { return (out_width + m - 1) / m; }
  int64_t tiles() const { return images * tile_rows() * tile_columns(); }
};

// How an image lies: floats from a pixel to the next, and from as many channels as a vector has to the next of them.
struct PixelSteps {
  int64_t pixel, vector;
};

// What comes behind the convolution: + bias[channel] (or null), + addend, which lies as the result (or null; the result's own memory
// is good), then no less than `low` and no more than `high`, or x sigmoid(alpha x).
struct WinogradEnd {
  const float* bias;
  const float* addend;
  float low, high;
  bool swish;
  float alpha;
};

// One piece of work each; pieces of the same kind may run at once. Tiles are numbered image by image, row by row.
struct WinogradFns {
  int64_t lanes;       // channels come by so many
  int64_t most_tiles;  // in a piece
  // Results come by two vectors; the last block may have one.
  int64_t out_blocks(const WinogradShape& s) const { return (s.out_channels + 2 * lanes - 1) / (2 * lanes); }

  // weights [out_channels, channels, 3, 3] -> the block's part of [out_channels * channels * points].
  void (*pack)(const WinogradShape& s, const float* weights, int64_t out_block, float* packed);
  // -> v [points * channels * tiles], tiles `first` to `last` at its beginning.
  void (*scatter)(const WinogradShape& s, const float* x, PixelSteps steps, int64_t first, int64_t last, float* v);
  // From what scatter() made of the same tiles.
  void (*multiply)(const WinogradShape& s, const float* v, const float* packed, int64_t out_block, int64_t first,
                   int64_t last, const WinogradEnd& end, float* y, PixelSteps steps);
};

// Null where the instruction set has no fused products.
const WinogradFns* winograd_fns(std::string_view isa);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_WINOGRAD_H_
