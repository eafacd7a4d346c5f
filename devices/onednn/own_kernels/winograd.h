// Convolutions of 3 x 3 weights with stride 1 by Winograd's minimal filtering F(m x m, 3 x 3). A
// tile of m x m results of a channel costs (m + 2)^2 products instead of 9 m^2. Tiles of (m + 2)^2
// pixels and the weights are transformed to as many points. At each point, the convolution is a
// matrix product. Its results are transformed back. S. Winograd, Arithmetic Complexity of
// Computations (1980); A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural Networks (2016).
// The points for m = 4 are 0, +-sqrt(1/2), +-sqrt(2) and infinity. With the usual points 0, +-1,
// +-2, errors are four times as large.
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

// The layout of an image in floats: the distance from a pixel to the next, and from one vector of
// channels to the next.
struct PixelSteps {
  int64_t pixel, vector;
};

// The epilogue of the convolution: + bias[channel], + addend, then clamping to `low` and `high`, or
// x sigmoid(alpha x) if `swish`. bias and addend may be null. The addend has the result's layout
// and may share its memory.
struct WinogradEnd {
  const float* bias;
  const float* addend;
  float low, high;
  bool swish;
  float alpha;
};

// Each call does one piece of work. Pieces of the same kind may run concurrently. Tiles are
// numbered image by image, row by row.
struct WinogradFns {
  int64_t lanes;       // channels in a vector
  int64_t most_tiles;  // in a piece
  // The number of blocks of output channels. A block has two vectors; the last one may have one.
  int64_t out_blocks(const WinogradShape& s) const { return (s.out_channels + 2 * lanes - 1) / (2 * lanes); }

  // weights [out_channels, channels, 3, 3] -> the block's part of [out_channels * channels *
  // points].
  void (*pack)(const WinogradShape& s, const float* weights, int64_t out_block, float* packed);
  // -> v [points * channels * tiles], for the tiles `first` to `last`.
  void (*scatter)(const WinogradShape& s, const float* x, PixelSteps steps, int64_t first, int64_t last, float* v);
  // Computes results from the output of scatter() for the same tiles.
  void (*multiply)(const WinogradShape& s, const float* v, const float* packed, int64_t out_block, int64_t first,
                   int64_t last, const WinogradEnd& end, float* y, PixelSteps steps);
};

// Returns null if the instruction set has no fused multiply-add.
const WinogradFns* winograd_fns(std::string_view isa);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_WINOGRAD_H_
