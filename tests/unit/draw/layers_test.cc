#include "core/draw/layout/layers.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace percale {
namespace {

struct Layout {
  std::vector<LayerCell> cells;
  std::vector<LayerWire> wires;
  RowOrder order;
  std::vector<int32_t> x;
};

Layout lay_out(size_t cells, const std::vector<std::pair<int32_t, int32_t>>& wires, int32_t half_width) {
  Layout out{std::vector<LayerCell>(cells), {}, {}, {}};
  for (const auto& [from, to] : wires) out.wires.push_back({from, to, 0, {}});
  assign_rows(out.cells, out.wires);
  out.order = order_rows(out.cells, out.wires);
  std::vector<Extent> extents(static_cast<size_t>(out.order.vertices));
  for (size_t i = 0; i < cells; ++i) extents[i] = {half_width, half_width};
  out.x = align_rows(out.order, extents, std::vector<SegmentEnds>(out.order.segments.size()));
  return out;
}

}  // namespace

TEST_CASE("a chain stands in one column, each cell in a row of its own") {
  const Layout layout = lay_out(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 40);
  for (size_t i = 0; i < 5; ++i) {
    CHECK(layout.cells[i].row == static_cast<int32_t>(i));
    CHECK(layout.x[i] == layout.x[0]);
  }
}

TEST_CASE("a wire that passes rows bends around their cells, and wires of one value share their bends") {
  const Layout layout = lay_out(5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 4}, {3, 4}}, 40);
  REQUIRE(layout.wires[3].bends.size() == 2);
  REQUIRE(layout.wires[4].bends.size() == 3);
  CHECK(layout.wires[3].bends[1] == layout.wires[4].bends[1]);
  const int32_t apart = layout.x[static_cast<size_t>(layout.wires[3].bends[0])] - layout.x[1];
  CHECK(std::abs(apart) >= 40);
}

TEST_CASE("sources stand right above their first user; first and last rows are kept") {
  std::vector<LayerCell> cells(5);
  cells[0].place = CellPlace::kFirstRow;
  cells[4].place = CellPlace::kLastRow;
  const std::vector<LayerWire> wires{{0, 1, 0, {}}, {1, 3, 0, {}}, {2, 3, 0, {}}, {1, 4, 0, {}}};
  assign_rows(cells, wires);
  CHECK(cells[0].row == 0);
  CHECK(cells[2].row == cells[3].row - 1);
  CHECK(cells[4].row == 3);
}

TEST_CASE("crossed wires are uncrossed by the order of the rows") {
  // 0 and 1 are above; 2 is connected to 1 and 3 to 0.
  const Layout layout = lay_out(4, {{0, 3}, {1, 2}}, 10);
  CHECK((layout.x[0] < layout.x[1]) == (layout.x[3] < layout.x[2]));
}

TEST_CASE("no cells of a row overlap in random graphs, every wire runs down, and the layout is the same each time") {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::vector<std::pair<int32_t, int32_t>> wires;
    uint32_t state = seed * 2654435761U + 1;
    const auto next = [&](int32_t below) {
      state = state * 1664525U + 1013904223U;
      return static_cast<int32_t>((state >> 8) % static_cast<uint32_t>(below));
    };
    for (int32_t i = 1; i < 60; ++i) {
      for (int32_t k = next(3); k >= 0; --k) wires.emplace_back(next(i), i);
    }
    const Layout layout = lay_out(60, wires, 30);
    for (const LayerWire& wire : layout.wires) {
      CHECK(layout.cells[static_cast<size_t>(wire.from)].row < layout.cells[static_cast<size_t>(wire.to)].row);
    }
    for (const std::vector<int32_t>& row : layout.order.rows) {
      for (size_t i = 1; i < row.size(); ++i) {
        const int32_t reach = (row[i] < 60 ? 30 : 2) + (row[i - 1] < 60 ? 30 : 2);
        CHECK(layout.x[static_cast<size_t>(row[i])] - layout.x[static_cast<size_t>(row[i - 1])] >=
              reach + kColumnGap - 1);
      }
    }
    CHECK(lay_out(60, wires, 30).x == layout.x);
  }
}

}  // namespace percale
