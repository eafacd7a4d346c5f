// A picture as SVG.
#include <algorithm>
#include <cmath>

#include "core/base/svg.h"
#include "core/draw/draw.h"
#include "core/draw/drawing.h"
#include "core/draw/frame.h"
#include "core/draw/looks.h"
#include "core/draw/text.h"

namespace percale {
namespace {

constexpr int32_t kMaxWidth = 4000, kHeader = 34;

constexpr std::string_view kStyle =
    "<style>text{font:10px Helvetica,Arial,sans-serif;fill:#1c2733}.t{font-size:12px;font-weight:bold}"
    ".d{fill:#5a6775}.h "
    ".d{fill:#1c2733}.l{paint-order:stroke;stroke:#fff;stroke-width:3px}.r{text-anchor:end}.m{text-anchor:middle}rect{"
    "stroke:#7c9cc9}.n{fill:#eef3fb}"
    ".p{fill:#fbeaf0;stroke:#c98ba6}.s{fill:#f4f4f1;stroke:#a9a99c}.q{fill:#d5e4fa;stroke:#4f7fc0}"
    ".i{fill:#e3f1dd;stroke:#7fae6c}.o{fill:#fbe9d7;stroke:#d79a5b}.b{fill:#e9e4f5;stroke:#8d7fb8}"
    ".f{fill:#8d7fb8;fill-opacity:.05;stroke:#8d7fb8}.v{fill:#f8efcf;stroke:#c8ae5c}.c{fill:#efefef;stroke:#aaa}"
    ".a{fill:#f6dcdc;stroke:#c77}path{fill:none;stroke:#77828e;marker-end:url(#h)}.e{marker-end:none}"
    ".x{stroke:#c0504d;stroke-width:2}.w{stroke-dasharray:4 3}</style>\n"
    "<defs><marker id=\"h\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
    "markerUnits=\"userSpaceOnUse\" "
    "orient=\"auto\">"
    "<path d=\"M0 0L8 4L0 8z\" style=\"fill:#77828e;stroke:none;marker-end:none\"/></marker></defs>\n";

constexpr std::string_view kDeviceColours[] = {"#2f7ed8", "#d8742f", "#3aa655", "#8e44ad",
                                               "#c0392b", "#16a085", "#7f8c8d", "#b8860b"};

class SvgWriter {
 public:
  explicit SvgWriter(const Drawing& drawing) : drawing_(drawing), frames_(drawing, kMaxWidth, kMaxHeight - kHeader) {}

  std::string run() {
    const Frame& root = *frames_.of(0);
    const int32_t width = std::max(root.width, header_width()), height = root.height + kHeader;
    const std::string size = str_cat("width=\"", width, "\" height=\"", height, "\"");
    out_ = str_cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" ", size, ">\n",
                   kStyle, "<rect width=\"100%\" height=\"100%\" style=\"fill:white;stroke:none\"/>\n");
    header();
    inside(root, 0, kHeader);
    return std::move(out_) + "</svg>\n";
  }

 private:
  void text(int32_t x, int32_t y, std::string_view css, std::string_view words) {
    out_ += str_cat("<text x=\"", x, "\" y=\"", y, "\" class=\"", css, "\">", svg_escaped(words), "</text>");
  }

  void rectangle(int32_t x, int32_t y, int32_t width, int32_t height, std::string_view css,
                 std::string_view style = {}) {
    out_ += str_cat("<rect x=\"", x, "\" y=\"", y, "\" width=\"", width, "\" height=\"", height, "\" rx=\"4\" class=\"",
                    css, style.empty() ? "\"/>" : str_cat("\" style=\"", style, "\"/>"));
  }

  // The title, the colours of the devices, and the sum of the times.
  void header() {
    int32_t x = kFramePadding;
    const auto add = [&](std::string_view words, std::string_view css, int32_t size) {
      text(x, 20, css, words);
      x += text_width(words, size) + 24;
    };
    add(drawing_.picture->title, "t", kTitleSize);
    for (size_t i = 0; i < drawing_.devices.size(); ++i) {
      rectangle(x - 10, 10, 6, 12, "", str_cat("stroke:none;fill:", colour_of(drawing_.devices[i])));
      add(drawing_.devices[i], "", kTextSize);
    }
    if (drawing_.devices.size() > 1) add("red: between devices", "", kTextSize);
    if (drawing_.microseconds >= 0) add(str_cat("in all ", time_text(drawing_.microseconds)), "", kTextSize);
    out_ += '\n';
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

  // From nearly white to red by the share of the longest time.
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
        out_ += str_cat(style.empty() ? "<g>" : "<g class=\"h\">", "<title>", svg_escaped(box.name), "</title>");
        card(drawing_.boxes[index], anchor, middle, css_of(box), style);
        if (!box.device.empty()) {
          const Look& look = drawing_.boxes[index];
          rectangle(anchor - look.width / 2, middle - look.height / 2, 4, look.height, "",
                    str_cat("stroke:none;fill:", colour_of(box.device)));
        }
        out_ += "</g>\n";
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
        rectangle(anchor - look.width / 2 + 4, middle - look.height / 2 + 4, look.width, look.height, "b");
      }
      card(look, anchor, middle, "b", {});
      return;
    }
    const int32_t x = anchor - inner->width / 2, y = middle - inner->height / 2;
    rectangle(x, y, inner->width, inner->height, "f");
    std::string title = look.lines[0];
    if (self.repeats > 0) title += str_cat(" \xC3\x97 ", self.repeats);
    text(x + kPadding, y + 15, "t", title);
    if (!look.time.empty()) text(x + inner->width - kPadding, y + 15, "d r", look.time);
    out_ += '\n';
    inside(*inner, x, y);
  }

  void tag(const Cell& cell, int32_t anchor, int32_t middle) {
    rectangle(anchor - cell.extent.left, middle - kLineHeight / 2, 2 * cell.extent.left, kLineHeight, "c");
    text(anchor, middle + 4, "m", tag_text(drawing_.picture->boxes[static_cast<size_t>(cell.index)]));
    out_ += '\n';
  }

  // A box with its chips: what it reads on the left, what it assigns on the right.
  void card(const Look& look, int32_t anchor, int32_t middle, std::string_view css, std::string_view style) {
    const int32_t left = anchor - look.width / 2, top = middle - look.height / 2;
    rectangle(left, top, look.width, look.height, css, style);
    for (size_t i = 0; i < look.lines.size(); ++i) {
      text(left + kPadding, top + 14 + static_cast<int32_t>(i) * kLineHeight, i == 0 ? "t" : "d", look.lines[i]);
    }
    if (!look.time.empty()) text(left + look.width - kPadding, top + 14, "r", look.time);
    for (const bool assigned : {false, true}) chips(look, anchor, middle, assigned);
    out_ += '\n';
  }

  void chips(const Look& look, int32_t anchor, int32_t middle, bool assigned) {
    constexpr std::string_view kCss[] = {"v", "c", "a", "b"};
    std::vector<const ChipLook*> shown;
    for (const ChipLook& chip : look.chips) {
      if ((chip.kind == ChipKind::kAssigned) == assigned) shown.push_back(&chip);
    }
    const int32_t pitch = kLineHeight + 2;
    int32_t y = middle - static_cast<int32_t>(shown.size()) * pitch / 2;
    for (const ChipLook* chip : shown) {
      const int32_t side = anchor + (assigned ? 1 : -1) * look.width / 2;
      const int32_t x = assigned ? side + kChipGap : side - kChipGap - chip->width, line = y + pitch / 2;
      rectangle(x, y + 1, chip->width, kLineHeight, kCss[static_cast<size_t>(chip->kind)]);
      text(x + kPadding, line + 4, "", chip->text);
      const int32_t inner = std::clamp(line, middle - look.height / 2 + 3, middle + look.height / 2 - 3);
      out_ += assigned ? str_cat("<path d=\"M", side, " ", inner, "L", x, " ", line, "\"/>")
                       : str_cat("<path d=\"M", side - kChipGap, " ", line, "L", side, " ", inner, "\"/>");
      y += pitch;
    }
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

  // Where a wire leaves (`below`) or reaches a cell.
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
    // Straight down through the row of the source, then from row to row.
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
    // Wires that go on within a block have their arrows there.
    const bool goes_on = to.kind == CellKind::kExit || (to.kind == CellKind::kBlock && frames_.of(to.index) != nullptr);
    out_ +=
        str_cat("<path class=\"", kCss[static_cast<size_t>(wire.kind)], goes_on ? " e" : "", "\" d=\"", path, "\"/>\n");
  }

  void label(const Frame& frame, const Wire& wire, int32_t x, int32_t y) {
    const Cell& from = frame.level->cells[static_cast<size_t>(wire.at.from)];
    const bool open = from.kind == CellKind::kBlock && frames_.of(from.index) != nullptr;
    if (wire.label.empty() || open) return;  // an open block shows the label inside
    const End end = wire.label_at_end ? end_of(frame, wire.at.to, wire.to_port, false)
                                      : end_of(frame, wire.at.from, wire.from_port, true);
    text(x + end.x + 5, y + end.y + (wire.label_at_end ? -8 : 12), "d l", wire.label);
    out_ += '\n';
  }

  const Drawing& drawing_;
  const Frames frames_;
  std::string out_;
};

}  // namespace

std::string to_svg(const Picture& picture) {
  const Drawing drawing = make_drawing(picture);
  return SvgWriter(drawing).run();
}

}  // namespace percale
