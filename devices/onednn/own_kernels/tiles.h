// Products of rows by weights in bf16 with the CPU's tiles (AMX), for few rows and weights that do
// not fit into the private cache of a core. The weights are stored in the order in which they are
// read, and are prefetched.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_TILES_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_TILES_H_

#include <cstddef>
#include <cstdint>

#include "devices/onednn/primitives/post_ops.h"

namespace percale::onednn {

// Weights are packed in panels of kPanelColumns columns. A panel consists of blocks of
// kBlockChannels channels of one tap: all taps of the first channels, then those of the next ones.
constexpr int64_t kPanelColumns = 32, kBlockChannels = 32;
constexpr int64_t kBlockBytes = kPanelColumns * kBlockChannels * 2;

// A row of the result is the sum, over all blocks, of kBlockChannels channels times the block's
// weights.
struct TileShape {
  int64_t rows, blocks, columns;

  int64_t panels() const { return (columns + kPanelColumns - 1) / kPanelColumns; }
  int64_t panel_bytes() const { return blocks * kBlockBytes; }
};

struct TileRows {
  const std::byte* first;
  int64_t pitch;           // bytes from a row to the next
  const int64_t* offsets;  // for each block: offset in bytes from a row to its channels
  const int64_t* results;  // for each row: the row of the result, -1: none
};

// Applied to the sums: + row[column], + addend, then the function of `epilogue`. `row` and `addend`
// may be null. The addend has the result's layout and may share its memory. `wide_row` and `wide`
// stand for f32; otherwise the type is bf16.
struct TileEnd {
  const void* row;
  bool wide_row;
  const void* addend;
  bool wide;  // the addend and the result
  const Epilogue& epilogue;
};

// The layout of weights before packing: the number of taps, and the strides of column, channel and
// tap in elements.
struct WeightSteps {
  int64_t taps, column, channel, tap;
};

// The functions may run concurrently for different panels.
struct TileFns {
  void (*pack)(const TileShape& s, const void* weights, WeightSteps steps, int64_t panel, std::byte* packed);
  void (*multiply)(const TileShape& s, const TileRows& rows, const std::byte* packed, int64_t panel, const TileEnd& end,
                   void* y);
};

// Use only if has_amx(). Returns null on other architectures.
const TileFns* tile_fns();

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_TILES_H_
