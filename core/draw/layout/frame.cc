#include "core/draw/layout/frame.h"

#include <algorithm>
#include <cstdint>

namespace percale {
namespace {

// Space beside the title of a frame for the number of repeats and the time.
constexpr int32_t kTitleRoom = 40;

}  // namespace

int32_t Frame::port_x(const std::vector<int32_t>& cells, int32_t port) const {
  if (cells.empty()) return width / 2;
  const auto last = static_cast<int32_t>(cells.size()) - 1;
  return x[static_cast<size_t>(cells[static_cast<size_t>(std::clamp(port, 0, last))])];
}

Frames::Frames(const Drawing& drawing, int32_t width, int32_t height)
    : drawing_(drawing), open_(drawing.blocks.size(), false), frames_(drawing.blocks.size()) {
  open_[0] = true;
  lay_out(0);
  std::vector<int32_t> level{0};
  while (!level.empty()) {
    std::vector<int32_t> inner;
    for (const int32_t block : level) {
      for (const Cell& cell : frames_[static_cast<size_t>(block)].level->cells) {
        if (cell.kind == CellKind::kBlock) open(cell.index, width, height);
        if (cell.kind == CellKind::kBlock && open_[static_cast<size_t>(cell.index)]) inner.push_back(cell.index);
      }
    }
    level = std::move(inner);
  }
}

const Frame* Frames::of(int32_t block) const {
  return open_[static_cast<size_t>(block)] ? &frames_[static_cast<size_t>(block)] : nullptr;
}

void Frames::open(int32_t block, int32_t width, int32_t height) {
  const Block& self = drawing_.blocks[static_cast<size_t>(block)];
  // A block of equal boxes stays folded, because one box says as much.
  if (self.repeats > 0 && self.items.front().block < 0) return;
  open_[static_cast<size_t>(block)] = true;
  const auto lay_out_around = [&] {
    for (int32_t b = block; b >= 0; b = drawing_.blocks[static_cast<size_t>(b)].parent) {
      if (open_[static_cast<size_t>(b)]) lay_out(b);
    }
  };
  lay_out_around();
  if (frames_[0].height <= height && frames_[0].width <= width) return;
  open_[static_cast<size_t>(block)] = false;
  lay_out_around();
}

// Returns the frame of a cell that is an open block, else null.
const Frame* Frames::inner(const Cell& cell) const { return cell.kind == CellKind::kBlock ? of(cell.index) : nullptr; }

int32_t Frames::port_shift(const Cell& cell, int32_t port, bool below) const {
  const Frame* frame = inner(cell);
  if (frame == nullptr) return 0;
  return frame->port_x(below ? frame->level->exits : frame->level->entries, port) - frame->width / 2;
}

std::vector<SegmentEnds> Frames::ends_of(const Level& level) const {
  std::vector<SegmentEnds> out;
  for (const Segment& s : level.order.segments) {
    const Wire& wire = level.wires[static_cast<size_t>(s.wire)];
    SegmentEnds& ends = out.emplace_back();
    if (s.above == wire.at.from) {
      ends.above = port_shift(level.cells[static_cast<size_t>(s.above)], wire.from_port, true);
    }
    if (s.below == wire.at.to) ends.below = port_shift(level.cells[static_cast<size_t>(s.below)], wire.to_port, false);
  }
  return out;
}

void Frames::lay_out(int32_t block) {
  Frame frame;
  const Block& self = drawing_.blocks[static_cast<size_t>(block)];
  frame.inside = self.repeats > 0 && self.items.front().block >= 0 ? self.items.front().block : block;
  frame.level = &drawing_.levels[static_cast<size_t>(frame.inside)];
  const RowOrder& order = frame.level->order;
  std::vector<Extent> extents(static_cast<size_t>(order.vertices));
  frame.row_heights.assign(order.rows.size(), 0);
  for (size_t i = 0; i < frame.level->cells.size(); ++i) {
    const Cell& cell = frame.level->cells[i];
    const Frame* open = inner(cell);
    extents[i] = open == nullptr ? cell.extent : Extent{open->width / 2, open->width - open->width / 2};
    int32_t& height = frame.row_heights[static_cast<size_t>(cell.at.row)];
    height = std::max(height, open == nullptr ? cell.height : open->height);
  }
  frame.x = align_rows(order, extents, ends_of(*frame.level));
  int32_t left = INT32_MAX, right = INT32_MIN;
  for (size_t i = 0; i < extents.size(); ++i) {
    left = std::min(left, frame.x[i] - extents[i].left);
    right = std::max(right, frame.x[i] + extents[i].right);
  }
  if (extents.empty()) left = right = 0;
  for (int32_t& x : frame.x) x += kFramePadding - left;
  const int32_t title = drawing_.folded[static_cast<size_t>(block)].width + kTitleRoom;
  frame.width = std::max(right - left + 2 * kFramePadding, title);
  // The row of entries has no height, and half of the gap below it lies behind the title.
  int32_t y = block == 0 ? kFramePadding : kFrameTitle;
  if (!frame.level->entries.empty()) y -= kRowGap / 2;
  for (const int32_t height : frame.row_heights) {
    frame.row_tops.push_back(y);
    y += height + kRowGap;
  }
  frame.height = y - kRowGap + (frame.level->exits.empty() ? kFramePadding : 0);
  frames_[static_cast<size_t>(block)] = std::move(frame);
}

}  // namespace percale
