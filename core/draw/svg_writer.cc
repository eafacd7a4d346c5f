// Writes a picture as SVG.
#include <algorithm>
#include <cmath>

#include "core/base/status.h"
#include "core/draw/draw.h"
#include "core/draw/layout/drawing.h"
#include "core/draw/layout/frame.h"
#include "core/draw/layout/looks.h"
#include "core/draw/layout/text.h"
#include "core/draw/svg_canvas.h"

namespace percale {
namespace {

constexpr int32_t kMaxWidth = 4000, kHeader = 34;

constexpr std::string_view kDeviceColours[] = {"#2f7ed8", "#d8742f", "#3aa655", "#8e44ad",
                                               "#c0392b", "#16a085", "#7f8c8d", "#b8860b"};

class SvgWriter {
 public:
  explicit SvgWriter(const Drawing& drawing) : drawing_(drawing), frames_(drawing, kMaxWidth, kMaxHeight - kHeader) {}

  std::string run() {
    const Frame& root = *frames_.of(0);
    header();
    inside(root, 0, kHeader);
    return canvas_.finish(std::max(root.width, header_width()), root.height + kHeader);
  }

 private:
  // Draws the title, the colours of the devices, and the total time.
  void header() {
    int32_t x = kFramePadding;
    const auto add = [&](std::string_view words, std::string_view css, int32_t size) {
      canvas_.text(x, 20, css, words);
      x += text_width(words, size) + 24;
    };
    add(drawing_.picture->title, "t", kTitleSize);
    for (size_t i = 0; i < drawing_.devices.size(); ++i) {
      canvas_.rectangle(x - 10, 10, 6, 12, "", str_cat("stroke:none;fill:", colour_of(drawing_.devices[i])));
      add(drawing_.devices[i], "", kTextSize);
    }
    if (drawing_.devices.size() > 1) add("red: between devices", "", kTextSize);
    if (drawing_.microseconds >= 0) add(str_cat("in all ", time_text(drawing_.microseconds)), "", kTextSize);
  }

  int32_t header_width() const {
    int32_t width = text_width(drawing_.picture->title, kTitleSize) + 320;
    for (const std::string& device : drawing_.devices) width += text_width(device, kTextSize) + 24;
    return width;
  }

  std::string_view colour_of(std::string_view device) const {
    const auto found = std::find(drawing_.devices.begin(), drawing_.devices.end(), device);
    return kDeviceColours[static_cast<size_t>(found - drawing_.devices.begin()) % std::size(kDeviceColours)];
  }

  // Returns a fill colour from nearly white to red, by the share of the longest time.
  std::string heat(double microseconds) const {
    if (microseconds < 0 || drawing_.longest <= 0) return {};
    const double share = std::min(microseconds / drawing_.longest, 1.0);
    const auto mix = [&](int32_t cold, int32_t hot) { return cold + static_cast<int32_t>(share * (hot - cold)); };
    return str_cat("fill:rgb(", mix(255, 240), ",", mix(250, 110), ",", mix(240, 80), ")");
  }

  void inside(const Frame& frame, int32_t x, int32_t y) {
    const std::vector<Cell>& cells = frame.level->cells;
    for (size_t i = 0; i < frame.level->wires.size(); ++i) wire(frame, i, x, y);
    for (const Wire& wire : frame.level->wires) label(frame, wire, x, y);
    for (size_t i = 0; i < cells.size(); ++i) {
      const int32_t anchor = x + frame.x[i], middle = y + middle_of(frame, cells[i]);
      const auto index = static_cast<size_t>(cells[i].index);
      if (cells[i].kind == CellKind::kBox) {
        const Box& box = drawing_.picture->boxes[index];
        const std::string style = heat(box.microseconds);
        canvas_.begin_group(style.empty() ? "" : "h", box.name);
        canvas_.card(drawing_.boxes[index], anchor, middle, css_of(box), style);
        if (!box.device.empty()) {
          const Look& look = drawing_.boxes[index];
          canvas_.rectangle(anchor - look.width / 2, middle - look.height / 2, 4, look.height, "",
                            str_cat("stroke:none;fill:", colour_of(box.device)));
        }
        canvas_.end_group();
      } else if (cells[i].kind == CellKind::kBlock) {
        block(cells[i], anchor, middle);
      } else if (cells[i].kind == CellKind::kTag) {
        tag(cells[i], anchor, middle);
      }
    }
  }

  void block(const Cell& cell, int32_t anchor, int32_t middle) {
    const Block& self = drawing_.blocks[static_cast<size_t>(cell.index)];
    const Look& look = drawing_.folded[static_cast<size_t>(cell.index)];
    const Frame* inner = frames_.of(cell.index);
    if (inner == nullptr) {
      if (self.repeats > 0) {
        canvas_.rectangle(anchor - look.width / 2 + 4, middle - look.height / 2 + 4, look.width, look.height, "b");
      }
      canvas_.card(look, anchor, middle, "b", {});
      return;
    }
    const int32_t x = anchor - inner->width / 2, y = middle - inner->height / 2;
    canvas_.rectangle(x, y, inner->width, inner->height, "f");
    std::string title = look.lines[0];
    if (self.repeats > 0) title += str_cat(" \xC3\x97 ", self.repeats);
    canvas_.text(x + kPadding, y + 15, "t", title);
    if (!look.time.empty()) canvas_.text(x + inner->width - kPadding, y + 15, "d r", look.time);
    inside(*inner, x, y);
  }

  void tag(const Cell& cell, int32_t anchor, int32_t middle) {
    canvas_.rectangle(anchor - cell.extent.left, middle - kLineHeight / 2, 2 * cell.extent.left, kLineHeight, "c");
    canvas_.text(anchor, middle + 4, "m", tag_text(drawing_.picture->boxes[static_cast<size_t>(cell.index)]));
  }

  static std::string_view css_of(const Box& box) {
    constexpr std::string_view kTints[] = {"n", "n p", "n s", "n q"};
    if (box.kind == BoxKind::kNode) return kTints[static_cast<size_t>(box.tint)];
    return box.kind == BoxKind::kInput ? "i" : "o";
  }

  static int32_t middle_of(const Frame& frame, const Cell& cell) {
    const auto row = static_cast<size_t>(cell.at.row);
    return frame.row_tops[row] + frame.row_heights[row] / 2;
  }

  struct End {
    int32_t x = 0, y = 0;
  };

  // Returns the point where a wire leaves (`below`) or enters a cell.
  End end_of(const Frame& frame, int32_t index, int32_t port, bool below) const {
    const auto i = static_cast<size_t>(index);
    const Cell& cell = frame.level->cells[i];
    const int32_t middle = middle_of(frame, cell);
    const auto end = [&](int32_t height) { return End{frame.x[i], middle + (below ? height : -height) / 2}; };
    if (cell.kind == CellKind::kEntry) return {frame.x[i], 0};
    if (cell.kind == CellKind::kExit) return {frame.x[i], frame.height};
    if (cell.kind == CellKind::kTag) return end(kLineHeight);
    if (cell.kind == CellKind::kBox) return end(drawing_.boxes[static_cast<size_t>(cell.index)].height);
    const Frame* inner = frames_.of(cell.index);
    if (inner == nullptr) return end(drawing_.folded[static_cast<size_t>(cell.index)].height);
    const int32_t x = inner->port_x(below ? inner->level->exits : inner->level->entries, port);
    return {frame.x[i] - inner->width / 2 + x, middle - inner->height / 2 + (below ? inner->height : 0)};
  }

  void wire(const Frame& frame, size_t index, int32_t x, int32_t y) {
    const Wire& wire = frame.level->wires[index];
    const Cell& from = frame.level->cells[static_cast<size_t>(wire.at.from)];
    const Cell& to = frame.level->cells[static_cast<size_t>(wire.at.to)];
    const End begin = end_of(frame, wire.at.from, wire.from_port, true);
    const End end = end_of(frame, wire.at.to, wire.to_port, false);
    int32_t at = begin.x;
    std::string path = str_cat("M", x + begin.x, " ", y + begin.y);
    // The wire goes straight down through the row of its source, then from row to row.
    const auto cross = [&](int32_t row, int32_t next_x) {
      const int32_t top = y + frame.row_tops[static_cast<size_t>(row)];
      const int32_t above = top - kRowGap;
      path += str_cat("V", above, "C", x + at, " ", above + kRowGap / 2, " ", x + next_x, " ", above + kRowGap / 2, " ",
                      x + next_x, " ", top);
      at = next_x;
    };
    int32_t row = from.at.row;
    for (const int32_t bend : wire.at.bends) cross(++row, frame.x[static_cast<size_t>(bend)]);
    cross(to.at.row, end.x);
    if (end.y != frame.row_tops[static_cast<size_t>(to.at.row)]) path += str_cat("V", y + end.y);
    constexpr std::string_view kCss[] = {"", "x", "w"};
    // A wire that continues inside a block has its arrow there.
    const bool goes_on = to.kind == CellKind::kExit || (to.kind == CellKind::kBlock && frames_.of(to.index) != nullptr);
    canvas_.path(str_cat(kCss[static_cast<size_t>(wire.kind)], goes_on ? " e" : ""), path);
  }

  void label(const Frame& frame, const Wire& wire, int32_t x, int32_t y) {
    const Cell& from = frame.level->cells[static_cast<size_t>(wire.at.from)];
    const bool open = from.kind == CellKind::kBlock && frames_.of(from.index) != nullptr;
    if (wire.label.empty() || open) return;  // an open block shows the label inside
    const End end = wire.label_at_end ? end_of(frame, wire.at.to, wire.to_port, false)
                                      : end_of(frame, wire.at.from, wire.from_port, true);
    canvas_.text(x + end.x + 5, y + end.y + (wire.label_at_end ? -8 : 12), "d l", wire.label);
  }

  const Drawing& drawing_;
  const Frames frames_;
  SvgCanvas canvas_;
};

}  // namespace

std::string to_svg(const Picture& picture) {
  const Drawing drawing = make_drawing(picture);
  return SvgWriter(drawing).run();
}

}  // namespace percale
