// A layered layout (after Sugiyama, Tagawa and Toda): cells in rows such that every wire runs
// downwards, an order within each row with few crossings, and x coordinates that keep wires
// straight. Rows and order depend on the graph only; x depends on the sizes, which change when
// blocks open. Deterministic, and linear except for sorting.
#ifndef PERCALE_CORE_DRAW_LAYOUT_LAYERS_H_
#define PERCALE_CORE_DRAW_LAYOUT_LAYERS_H_

#include <cstdint>
#include <vector>

namespace percale {

enum class CellPlace : uint8_t { kAnywhere, kFirstRow, kLastRow };

struct LayerCell {
  CellPlace place = CellPlace::kAnywhere;
  int32_t row = -1;  // set by assign_rows()
};

struct LayerWire {
  int32_t from = 0, to = 0;    // cells; from < to
  int32_t value = 0;           // wires of one cell and value share their route
  std::vector<int32_t> bends;  // vertices in the rows between the two; set by order_rows()
};

// The part of a wire between two neighbouring rows. Wires that share it have one segment, which
// belongs to the first of them.
struct Segment {
  int32_t above = 0, below = 0;  // vertices
  int32_t wire = 0;
};

// Vertices are the cells, followed by the points where wires pass a row.
struct RowOrder {
  int32_t cells = 0, vertices = 0;
  std::vector<std::vector<int32_t>> rows;  // vertices from left to right
  std::vector<Segment> segments;
};

// The distances from a vertex's anchor to its left and right edges, in px.
struct Extent {
  int32_t left = 2, right = 2;
};

// The x offsets of a segment's ends from the anchors of its vertices, in px.
struct SegmentEnds {
  int32_t above = 0, below = 0;
};

inline constexpr int32_t kColumnGap = 18;

void assign_rows(std::vector<LayerCell>& cells, const std::vector<LayerWire>& wires);
// Orders the cells within their assigned rows. Precondition: every wire runs downwards.
RowOrder order_rows(const std::vector<LayerCell>& cells, std::vector<LayerWire>& wires);
// Returns the x of each vertex's anchor. page/frame.js does the same.
std::vector<int32_t> align_rows(const RowOrder& order, const std::vector<Extent>& extents,
                                const std::vector<SegmentEnds>& ends);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_LAYOUT_LAYERS_H_
