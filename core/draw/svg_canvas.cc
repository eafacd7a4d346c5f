#include "core/draw/svg_canvas.h"

#include <algorithm>

#include "core/base/status.h"
#include "core/text/svg.h"

namespace percale {
namespace {

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

}  // namespace

void SvgCanvas::text(int32_t x, int32_t y, std::string_view css, std::string_view words) {
  out_ += str_cat("<text x=\"", x, "\" y=\"", y, "\" class=\"", css, "\">", svg_escaped(words), "</text>");
}

void SvgCanvas::rectangle(int32_t x, int32_t y, int32_t width, int32_t height, std::string_view css,
                          std::string_view style) {
  out_ += str_cat("<rect x=\"", x, "\" y=\"", y, "\" width=\"", width, "\" height=\"", height, "\" rx=\"4\" class=\"",
                  css, style.empty() ? "\"/>" : str_cat("\" style=\"", style, "\"/>"));
}

// Draws a box with its chips: variables that it reads on the left, those that it assigns on the
// right.
void SvgCanvas::card(const Look& look, int32_t anchor, int32_t middle, std::string_view css, std::string_view style) {
  const int32_t left = anchor - look.width / 2, top = middle - look.height / 2;
  rectangle(left, top, look.width, look.height, css, style);
  for (size_t i = 0; i < look.lines.size(); ++i) {
    text(left + kPadding, top + 14 + static_cast<int32_t>(i) * kLineHeight, i == 0 ? "t" : "d", look.lines[i]);
  }
  if (!look.time.empty()) text(left + look.width - kPadding, top + 14, "r", look.time);
  for (const bool assigned : {false, true}) chips(look, anchor, middle, assigned);
  out_ += '\n';
}

void SvgCanvas::chips(const Look& look, int32_t anchor, int32_t middle, bool assigned) {
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
    path("", assigned ? str_cat("M", side, " ", inner, "L", x, " ", line)
                      : str_cat("M", side - kChipGap, " ", line, "L", side, " ", inner));
    y += pitch;
  }
}

void SvgCanvas::path(std::string_view css, std::string_view way) {
  out_ += str_cat("<path class=\"", css, "\" d=\"", way, "\"/>");
}

void SvgCanvas::begin_group(std::string_view css, std::string_view title) {
  out_ += str_cat("<g class=\"", css, "\"><title>", svg_escaped(title), "</title>");
}

void SvgCanvas::end_group() { out_ += "</g>\n"; }

std::string SvgCanvas::finish(int32_t width, int32_t height) const {
  return str_cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width,
                 "\" height=\"", height, "\">\n", kStyle,
                 "<rect width=\"100%\" height=\"100%\" style=\"fill:white;stroke:none\"/>\n", out_, "</svg>\n");
}

}  // namespace percale
