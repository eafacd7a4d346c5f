// Products in bf16 of rows by weights, in the CPU's tiles (AMX): for few rows and weights that don't fit into the cache next to a core.
// The weights lie in the order in which they are read, and are asked for before they are needed.
#ifndef PERCALE_DEVICES_ONEDNN_OWN_KERNELS_TILES_H_
#define PERCALE_DEVICES_ONEDNN_OWN_KERNELS_TILES_H_

#include <cstddef>
#include <cstdint>

#include "devices/onednn/primitives/post_ops.h"

namespace percale::onednn {

// Weights come by panels of so many columns, within one by blocks of so many channels of a tap: the taps of the first channels, then
// those of the next.
constexpr int64_t kPanelColumns = 32, kBlockChannels = 32;
constexpr int64_t kBlockBytes = kPanelColumns * kBlockChannels * 2;

// A row of the result is the sum over the blocks of so many channels by the block's weights.
struct TileShape {
  int64_t rows, blocks, columns;

  int64_t panels() const { return (columns + kPanelColumns - 1) / kPanelColumns; }
  int64_t panel_bytes() const { return blocks * kBlockBytes; }
};

struct TileRows {
  const std::byte* first;
  int64_t pitch;           // bytes from a row to the next
  const int64_t* offsets;  // per block: bytes from a row to the channels that it has
  const int64_t* results;  // per row: which row of the result it gives, -1: none
};

// What comes behind the sums: + row[column], + addend, which lies as the result (null: nothing; the result's own memory is good), then
// the tail's function. Wide: f32, else bf16.
struct TileEnd {
  const void* row;
  bool wide_row;
  const void* addend;
  bool wide;  // the addend and the result
  const Tail& tail;
};

// How weights lie before they are packed: numbers from a column, a channel and a tap to the next.
struct WeightSteps {
  int64_t taps, column, channel, tap;
};

// Any of these may run at once for different panels.
struct TileFns {
  void (*pack)(const TileShape& s, const void* weights, WeightSteps steps, int64_t panel, std::byte* packed);
  void (*multiply)(const TileShape& s, const TileRows& rows, const std::byte* packed, int64_t panel, const TileEnd& end,
                   void* y);
};

// To be used where has_amx(). Null for other architectures.
const TileFns* tile_fns();

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_OWN_KERNELS_TILES_H_
