#include "core/draw/layout/drawing.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/status.h"
#include "core/draw/layout/levels.h"
#include "core/draw/layout/looks.h"
#include "core/draw/layout/text.h"

namespace percale {
namespace {

// A larger level is split, so that the inside of every block stays readable.
constexpr int64_t kMaxLevelHeight = 3600, kMaxLevelWidth = 6000;
// Limit on the rows that wires pass in a level, in addition to kBendsPerCell per cell. Longer wires
// become tags.
constexpr size_t kFreeBends = 200, kBendsPerCell = 3;
constexpr size_t kLeastBundle = 3;

class DrawingMaker {
 public:
  explicit DrawingMaker(const Picture& picture) { out_.picture = &picture; }

  Drawing run() {
    out_.blocks = make_blocks(*out_.picture);
    out_.boxes.resize(out_.picture->boxes.size());
    add_boxes(0, "");
    do {
      out_.folded.clear();
      for (const Block& block : out_.blocks) out_.folded.push_back(look_of(block, time_of(block)));
      out_.levels = make_levels(out_);
      for (Level& level : out_.levels) assign_rows_of(level);
    } while (split_large_levels());
    for (Level& level : out_.levels) finish(level);
    return std::move(out_);
  }

 private:
  // Sets titles. Names are shown without the prefix that they share with the title of the
  // surrounding block.
  void add_boxes(size_t number, const std::string& outer) {
    Block& block = out_.blocks[number];
    const std::string scope = block.scope.empty() ? outer : block.scope;
    if (!block.scope.empty()) block.title = within(outer, scope.substr(0, scope.size() - 1));
    for (const Item& item : block.items) {
      if (item.block >= 0) {
        add_boxes(static_cast<size_t>(item.block), scope);
      } else {
        add_box(static_cast<size_t>(item.box), scope);
      }
    }
    if (block.repeats > 0 && block.items.front().block >= 0) {
      block.title = out_.blocks[static_cast<size_t>(block.items.front().block)].title;
    }
  }

  static std::string within(const std::string& scope, const std::string& name) {
    return name.starts_with(scope) ? name.substr(scope.size()) : name;
  }

  void add_box(size_t index, const std::string& scope) {
    const Box& box = out_.picture->boxes[index];
    out_.boxes[index] = look_of(box, within(scope, box.name));
    const auto known = std::find(out_.devices.begin(), out_.devices.end(), box.device);
    if (!box.device.empty() && known == out_.devices.end()) out_.devices.push_back(box.device);
    if (box.microseconds < 0) return;
    out_.microseconds = std::max(out_.microseconds, 0.0) + box.microseconds;
    out_.longest = std::max(out_.longest, box.microseconds);
  }

  double time_of(const Block& block) const {
    double sum = -1;
    for (const Item& item : block.items) {
      const double time = item.box >= 0 ? out_.picture->boxes[static_cast<size_t>(item.box)].microseconds
                                        : time_of(out_.blocks[static_cast<size_t>(item.block)]);
      if (time >= 0) sum = std::max(sum, 0.0) + time;
    }
    return sum;
  }

  bool split_large_levels() {
    bool split = false;
    for (size_t i = 0; i < out_.levels.size(); ++i) {
      if (!is_too_large(out_.levels[i])) continue;
      split = split_block(*out_.picture, out_.blocks, static_cast<int32_t>(i)) || split;
    }
    return split;
  }

  static void assign_rows_of(Level& level) {
    std::vector<LayerCell> cells = layer_cells(level);
    assign_rows(cells, layer_wires(level));
    for (size_t i = 0; i < cells.size(); ++i) level.cells[i].at.row = cells[i].row;
  }

  static std::vector<LayerCell> layer_cells(const Level& level) {
    std::vector<LayerCell> out;
    for (const Cell& cell : level.cells) out.push_back(cell.at);
    return out;
  }

  static std::vector<LayerWire> layer_wires(const Level& level) {
    std::vector<LayerWire> out;
    for (const Wire& wire : level.wires) out.push_back(wire.at);
    return out;
  }

  // Replaces the longest wires by tags directly above their ends.
  void replace_long_wires(Level& level) const {
    const auto span = [&](size_t i) {
      const LayerWire& wire = level.wires[i].at;
      return static_cast<size_t>(level.cells[static_cast<size_t>(wire.to)].at.row -
                                 level.cells[static_cast<size_t>(wire.from)].at.row);
    };
    std::vector<size_t> order(level.wires.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return span(a) < span(b); });
    const size_t most = kFreeBends + kBendsPerCell * level.cells.size();
    size_t bends = 0;
    for (const size_t i : order) {
      bends += span(i) - 1;
      if (bends > most && span(i) > 1) begin_at_tag(level, level.wires[i]);
    }
  }

  void begin_at_tag(Level& level, Wire& wire) const {
    const Cell& from = level.cells[static_cast<size_t>(wire.at.from)];
    int32_t box = from.index;
    if (from.kind == CellKind::kBlock) {
      const Level& inner = out_.levels[static_cast<size_t>(from.index)];
      box = inner.cells[static_cast<size_t>(inner.exits[static_cast<size_t>(wire.from_port)])].index;
    }
    const int32_t half = text_width(tag_text(out_.picture->boxes[static_cast<size_t>(box)]), kTextSize) / 2 + kPadding;
    Cell tag{CellKind::kTag, box, {}, {half, half}, kLineHeight};
    tag.at.row = level.cells[static_cast<size_t>(wire.at.to)].at.row - 1;
    wire.at.from = static_cast<int32_t>(level.cells.size());
    wire.from_port = -1;
    level.cells.push_back(std::move(tag));
  }

  static bool is_too_large(const Level& level) {
    std::map<int32_t, std::pair<int64_t, int64_t>> rows;  // width and height
    for (const Cell& cell : level.cells) {
      auto& [width, height] = rows[cell.at.row];
      width += cell.extent.left + cell.extent.right + kColumnGap;
      height = std::max<int64_t>(height, cell.height);
    }
    int64_t widest = 0, sum = 0;
    for (const auto& [row, size] : rows) {
      widest = std::max(widest, size.first);
      sum += size.second + kRowGap;
    }
    return sum > kMaxLevelHeight || widest > kMaxLevelWidth;
  }

  void finish(Level& level) const {
    replace_long_wires(level);
    bundle_wires(level);
    place_labels(level);
    std::vector<LayerWire> wires = layer_wires(level);
    level.order = order_rows(layer_cells(level), wires);
    for (size_t i = 0; i < wires.size(); ++i) level.wires[i].at = std::move(wires[i]);
  }

  // Values that go from one block to the same cell share one route.
  static void bundle_wires(Level& level) {
    std::map<std::pair<int32_t, int32_t>, std::vector<Wire*>> bundles;
    for (Wire& wire : level.wires) {
      if (wire.from_port >= 0) bundles[{wire.at.from, wire.at.to}].push_back(&wire);
    }
    for (auto& [cells, wires] : bundles) {
      if (wires.size() < kLeastBundle) continue;
      for (Wire* wire : wires) wire->at.value = wires.front()->at.value;
      if (wires.front()->kind != LinkKind::kOrder) wires.front()->label = str_cat(uint64_t{wires.size()}, " values");
    }
  }

  // Places one label per value at its source. If a cell has several values, the labels go to the
  // other ends of the wires.
  static void place_labels(Level& level) {
    std::vector<int32_t> value(level.cells.size(), -2);
    std::vector<bool> several(level.cells.size(), false);
    for (const Wire& wire : level.wires) {
      const auto from = static_cast<size_t>(wire.at.from);
      if (value[from] != -2 && value[from] != wire.at.value) several[from] = true;
      value[from] = wire.at.value;
    }
    std::vector<bool> labelled(level.cells.size(), false);
    for (Wire& wire : level.wires) {
      const auto from = static_cast<size_t>(wire.at.from);
      // The label of a value that enters is outside of the block.
      if (level.cells[from].kind == CellKind::kEntry) wire.label.clear();
      wire.label_at_end = several[from];
      if (!several[from] && labelled[from]) wire.label.clear();
      labelled[from] = true;
      int32_t& right = level.cells[wire.label_at_end ? static_cast<size_t>(wire.at.to) : from].extent.right;
      right = std::max(right, text_width(wire.label, kTextSize) + kPadding);
    }
  }

  Drawing out_;
};

}  // namespace

Drawing make_drawing(const Picture& picture) { return DrawingMaker(picture).run(); }

}  // namespace percale
