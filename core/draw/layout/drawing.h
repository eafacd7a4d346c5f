// A picture with everything that a writer needs: blocks, the text and size of each box, and the
// rows inside each block. A writer chooses the open blocks and aligns the rows for the resulting
// sizes (frame.h, page/frame.js).
#ifndef PERCALE_CORE_DRAW_LAYOUT_DRAWING_H_
#define PERCALE_CORE_DRAW_LAYOUT_DRAWING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/draw/layout/layers.h"
#include "core/draw/picture/blocks.h"
#include "core/draw/picture/picture.h"

namespace percale {

inline constexpr int32_t kRowGap = 40, kLineHeight = 15, kChipGap = 14, kPadding = 6;
// A higher drawing would not be readable, so blocks are folded.
inline constexpr int32_t kMaxHeight = 4000;

struct ChipLook {
  ChipKind kind;
  std::string text;
  std::string name;
  int32_t width = 0;
};

// The shortened text and the size of a box or of a folded block.
struct Look {
  std::vector<std::string> lines;  // the first one is the title
  std::string time;
  int32_t width = 0, height = 0;
  std::vector<ChipLook> chips;
  int32_t left() const { return width / 2 + chip_extent(false); }
  int32_t right() const { return width / 2 + chip_extent(true); }
  int32_t chip_extent(bool assigned) const;
  int32_t cell_height() const;
};

enum class CellKind : uint8_t { kBox, kBlock, kEntry, kExit, kTag };

// A cell in the level of a block: a box, an inner block, the port where a value enters or leaves
// the block, or a tag that replaces a distant box whose wire would be too long.
struct Cell {
  CellKind kind = CellKind::kBox;
  int32_t index = 0;  // box or block; for a tag, entry or exit: the box that the value comes from
  LayerCell at;
  Extent extent;  // of a folded block
  int32_t height = 0;
};

struct Wire {
  LayerWire at;
  // Exit port of the block `from`, entry port of the block `to`; -1 for boxes.
  int32_t from_port = -1, to_port = -1;
  LinkKind kind = LinkKind::kValue;
  std::string label;  // shown at `from`, or at `to` if `label_at_end`
  bool label_at_end = false;
};

struct Level {
  std::vector<Cell> cells;
  std::vector<Wire> wires;
  std::vector<int32_t> entries, exits;  // cells, by port
  RowOrder order;
};

struct Drawing {
  const Picture* picture = nullptr;
  std::vector<Block> blocks;
  std::vector<Level> levels;         // by block
  std::vector<Look> boxes;           // by box
  std::vector<Look> folded;          // by block
  std::vector<std::string> devices;  // in order of first appearance
  double microseconds = -1;          // total of all boxes; negative: unknown
  double longest = 0;                // longest time of a box
};

// Returns text such as "12.3 µs" or "4.56 ms".
std::string time_text(double microseconds);

// The picture must outlive the drawing.
Drawing make_drawing(const Picture& picture);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_DRAWING_H_
