// Positions of everything for a given set of open blocks. page/frame.js does the same for the page.
#ifndef PERCALE_CORE_DRAW_LAYOUT_FRAME_H_
#define PERCALE_CORE_DRAW_LAYOUT_FRAME_H_

#include <cstdint>
#include <vector>

#include "core/draw/layout/drawing.h"

namespace percale {

inline constexpr int32_t kFrameTitle = 22, kFramePadding = 12;

// The inside of an open block. Coordinates are in px from its upper left corner. The surrounding
// level aligns its middle.
struct Frame {
  int32_t inside = 0;  // the block whose level is shown
  int32_t width = 0, height = 0;
  std::vector<int32_t> x;  // of the anchors, by vertex
  std::vector<int32_t> row_tops, row_heights;
  const Level* level = nullptr;

  // Returns the x of an entry or exit port.
  int32_t port_x(const std::vector<int32_t>& cells, int32_t port) const;
};

// The open blocks and their frames. An open block of equal blocks shows only the first of them.
class Frames {
 public:
  // Opens blocks from the outside in while the drawing stays within `width` and `height`.
  Frames(const Drawing& drawing, int32_t width, int32_t height);
  // Returns null for a folded block. Block 0 is always open.
  const Frame* of(int32_t block) const;

 private:
  const Frame* inner(const Cell& cell) const;
  int32_t port_shift(const Cell& cell, int32_t port, bool below) const;
  std::vector<SegmentEnds> ends_of(const Level& level) const;
  void lay_out(int32_t block);
  void open(int32_t block, int32_t width, int32_t height);

  const Drawing& drawing_;
  std::vector<bool> open_;
  std::vector<Frame> frames_;  // by block
};

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_FRAME_H_
