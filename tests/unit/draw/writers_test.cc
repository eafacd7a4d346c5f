#include <charconv>
#include <functional>

#include "core/draw/draw.h"
#include "core/draw/layout/drawing.h"
#include "core/draw/layout/frame.h"
#include "core/draw/picture/picture_builder.h"
#include "tests/unit/draw/nets.h"

namespace percale {
namespace {

Picture picture(int layers, bool scopes = true) {
  const auto graph = residual_net(layers, scopes);
  return picture_of(*graph, graph->main());
}

int height_of(const std::string& svg) {
  const size_t at = svg.find(" height=\"") + 9;
  int out = 0;
  std::from_chars(svg.data() + at, svg.data() + svg.size(), out);
  return out;
}

size_t count_of(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// A chain of distinct nodes, so that nothing repeats.
Picture unlike_chain(int32_t count) {
  Picture out{"chain", {}, {}};
  for (int32_t i = 0; i < count; ++i) {
    Box box;
    box.name = str_cat("n", i);
    box.title = "Op";
    box.likeness = box.name;
    out.boxes.push_back(std::move(box));
    if (i > 0) out.links.push_back({i - 1, i, 0, LinkKind::kValue, "f32 [4]"});
    if (i > 99) out.links.push_back({i - 99, i, 0, LinkKind::kValue, "f32 [4]"});
  }
  return out;
}

}  // namespace

TEST_CASE("equal layers are drawn once, with their number") {
  const std::string svg = to_svg(picture(12));
  CHECK(svg.find("\xC3\x97 12") != std::string::npos);
  CHECK(count_of(svg, ">MatMul</text>") == 1);
  CHECK(svg.find("layer0/kernel f32 [4,4]") != std::string::npos);
  CHECK(svg.find("marker-end:url(#h)") != std::string::npos);
}

TEST_CASE("no drawing is higher than it can be read, and large graphs are drawn") {
  for (const int32_t count : {1, 50, 300, 10000}) {
    const std::string svg = to_svg(unlike_chain(count));
    CHECK(height_of(svg) <= kMaxHeight);
    CHECK(height_of(svg) >= std::min(count * 40, 1500));
  }
}

TEST_CASE("frames hold their cells, which do not overlap") {
  const Picture p = picture(3);
  const Drawing drawing = make_drawing(p);
  const Frames frames(drawing, 4000, kMaxHeight);
  size_t open = 0;
  for (size_t b = 0; b < drawing.blocks.size(); ++b) {
    const Frame* frame = frames.of(static_cast<int32_t>(b));
    if (frame == nullptr) continue;
    ++open;
    for (const std::vector<int32_t>& row : frame->level->order.rows) {
      for (const int32_t v : row) {
        CHECK(frame->x[static_cast<size_t>(v)] >= 0);
        CHECK(frame->x[static_cast<size_t>(v)] <= frame->width);
      }
    }
    for (const Cell& cell : frame->level->cells) {
      const Frame* inner = cell.kind == CellKind::kBlock ? frames.of(cell.index) : nullptr;
      if (inner == nullptr) continue;
      const auto at = static_cast<size_t>(&cell - frame->level->cells.data());
      CHECK(frame->x[at] - inner->width / 2 >= 0);
      CHECK(frame->x[at] - inner->width / 2 + inner->width <= frame->width);
      CHECK(frame->row_heights[static_cast<size_t>(cell.at.row)] >= inner->height);
    }
  }
  CHECK(open > 1);
}

TEST_CASE("names are text in both formats, whatever they hold") {
  Picture p = picture(1);
  p.boxes[1].name = "</script><b onload='x'>&\"\x1b\xff";
  p.boxes[1].title = "<T>";
  for (const std::string_view format : {"svg", "html"}) {
    const std::string text = get(draw(std::span<const Picture>(&p, 1), format));
    CHECK(text.find("<b onload") == std::string::npos);
    CHECK(text.find("<T>") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(count_of(text, "</script>") == (format == "html" ? 2 : 0));
  }
  CHECK(!draw(std::span<const Picture>(&p, 1), "pdf").ok());
}

TEST_CASE("times are printed, summed, and colour the boxes by their share") {
  Picture p = picture(2);
  for (Box& box : p.boxes) {
    if (box.kind == BoxKind::kNode) box.microseconds = box.title == "MatMul" ? 900 : 50;
  }
  const std::string svg = to_svg(p);
  CHECK(svg.find("900 \xC2\xB5s") != std::string::npos);
  CHECK(svg.find("in all 2.1 ms") != std::string::npos);
  CHECK(svg.find("fill:rgb(240,110,80)") != std::string::npos);
  CHECK(to_svg(picture(2)).find("\xC2\xB5s") == std::string::npos);
}

TEST_CASE("the page needs no network and holds every function") {
  const std::vector<Picture> pictures{picture(2), picture(1)};
  const std::string page = get(draw(pictures, "html"));
  CHECK(page.find("default-src 'none'") != std::string::npos);
  CHECK(page.find("http://") == std::string::npos);
  CHECK(page.find("https://") == std::string::npos);
  CHECK(count_of(page, "\"blocks\":") == 2);
}

}  // namespace percale
