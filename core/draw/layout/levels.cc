#include "core/draw/layout/levels.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace percale {
namespace {

// A value, by its box and output. All order-only links to a box share one key.
using ValueKey = std::pair<int32_t, int32_t>;
ValueKey key_of(const Link& link) {
  return link.kind == LinkKind::kOrder ? ValueKey{-1, link.to} : ValueKey{link.from, link.output};
}

class LevelMaker {
 public:
  explicit LevelMaker(const Drawing& drawing)
      : drawing_(drawing),
        levels_(drawing.blocks.size()),
        block_of_box_(drawing.boxes.size(), 0),
        cell_of_box_(drawing.boxes.size(), 0),
        cell_of_block_(drawing.blocks.size(), 0),
        ports_(drawing.blocks.size()),
        known_(drawing.blocks.size()) {}

  std::vector<Level> run() {
    add_ports();
    for (size_t b = 0; b < drawing_.blocks.size(); ++b) add_cells(static_cast<int32_t>(b));
    add_wires();
    return std::move(levels_);
  }

 private:
  int32_t depth(int32_t block) const {
    int32_t out = 0;
    for (; block > 0; block = drawing_.blocks[static_cast<size_t>(block)].parent) ++out;
    return out;
  }

  int32_t parent(int32_t block) const { return drawing_.blocks[static_cast<size_t>(block)].parent; }

  // The blocks around the ends of a link, innermost first, up to the block that contains both.
  struct Path {
    std::vector<int32_t> leaving, entering;
    int32_t common = 0;
  };
  Path path_of(const Link& link) const {
    Path path;
    int32_t from = block_of_box_[static_cast<size_t>(link.from)], to = block_of_box_[static_cast<size_t>(link.to)];
    int32_t from_depth = depth(from), to_depth = depth(to);
    while (from != to) {
      const bool up_from = from_depth >= to_depth, up_to = to_depth >= from_depth;
      if (up_from) path.leaving.push_back(from), from = parent(from), --from_depth;
      if (up_to) path.entering.push_back(to), to = parent(to), --to_depth;
    }
    path.common = from;
    return path;
  }

  struct PortList {
    std::map<ValueKey, int32_t> numbers;
    std::vector<int32_t> boxes;  // boxes that the values come from, by port
    void add(const Link& link) {
      if (numbers.emplace(key_of(link), static_cast<int32_t>(boxes.size())).second) boxes.push_back(link.from);
    }
  };
  struct Ports {
    PortList entries, exits;
  };

  // Determines the ports where values enter and leave blocks.
  void add_ports() {
    for (size_t b = 0; b < drawing_.blocks.size(); ++b) {
      for (const Item& item : drawing_.blocks[b].items) {
        if (item.box >= 0) block_of_box_[static_cast<size_t>(item.box)] = static_cast<int32_t>(b);
      }
    }
    for (const Link& link : drawing_.picture->links) {
      const Path path = path_of(link);
      for (const int32_t b : path.leaving) ports_[static_cast<size_t>(b)].exits.add(link);
      for (const int32_t b : path.entering) ports_[static_cast<size_t>(b)].entries.add(link);
    }
  }

  // Entries first and exits last, so that every wire leads to a later cell.
  void add_cells(int32_t b) {
    Level& level = levels_[static_cast<size_t>(b)];
    const auto add_all = [&](const PortList& ports, CellKind kind, std::vector<int32_t>& cells) {
      for (const int32_t box : ports.boxes) {
        cells.push_back(static_cast<int32_t>(level.cells.size()));
        const CellPlace place = kind == CellKind::kEntry ? CellPlace::kFirstRow : CellPlace::kLastRow;
        level.cells.push_back({kind, box, {place}, {}, 0});
      }
    };
    add_all(ports_[static_cast<size_t>(b)].entries, CellKind::kEntry, level.entries);
    for (const Item& item : drawing_.blocks[static_cast<size_t>(b)].items) {
      const bool is_box = item.box >= 0;
      const int32_t index = is_box ? item.box : item.block;
      const Look& look =
          is_box ? drawing_.boxes[static_cast<size_t>(index)] : drawing_.folded[static_cast<size_t>(index)];
      (is_box ? cell_of_box_ : cell_of_block_)[static_cast<size_t>(index)] = static_cast<int32_t>(level.cells.size());
      const CellKind kind = is_box ? CellKind::kBox : CellKind::kBlock;
      level.cells.push_back({kind, index, {}, {look.left(), look.right()}, look.cell_height()});
    }
    add_all(ports_[static_cast<size_t>(b)].exits, CellKind::kExit, level.exits);
  }

  void add_wires() {
    for (const Link& link : drawing_.picture->links) {
      const Path path = path_of(link);
      const ValueKey value = key_of(link);
      int32_t from = cell_of_box_[static_cast<size_t>(link.from)], from_port = -1;
      for (const int32_t b : path.leaving) {
        const int32_t port = ports_[static_cast<size_t>(b)].exits.numbers[value];
        add_wire(b, link, {from, from_port}, {levels_[static_cast<size_t>(b)].exits[static_cast<size_t>(port)], -1});
        from = cell_of_block_[static_cast<size_t>(b)], from_port = port;
      }
      int32_t to = cell_of_box_[static_cast<size_t>(link.to)], to_port = -1;
      for (const int32_t b : path.entering) {
        const int32_t port = ports_[static_cast<size_t>(b)].entries.numbers[value];
        add_wire(b, link, {levels_[static_cast<size_t>(b)].entries[static_cast<size_t>(port)], -1}, {to, to_port});
        to = cell_of_block_[static_cast<size_t>(b)], to_port = port;
      }
      add_wire(path.common, link, {from, from_port}, {to, to_port});
    }
  }

  struct WireEnd {
    int32_t cell, port;
  };

  void add_wire(int32_t b, const Link& link, WireEnd from, WireEnd to) {
    Level& level = levels_[static_cast<size_t>(b)];
    const int32_t value = from.port >= 0 ? from.port : link.output;
    if (!known_[static_cast<size_t>(b)].emplace(from.cell, value, to.cell, to.port).second) return;
    Wire wire;
    wire.at.from = from.cell, wire.at.to = to.cell, wire.at.value = value;
    wire.from_port = from.port, wire.to_port = to.port;
    wire.kind = link.kind;
    wire.label = link.label;
    level.wires.push_back(std::move(wire));
  }

  const Drawing& drawing_;
  std::vector<Level> levels_;
  std::vector<int32_t> block_of_box_, cell_of_box_, cell_of_block_;
  std::vector<Ports> ports_;  // by block
  // By block: cells, value and port of its wires.
  std::vector<std::set<std::tuple<int32_t, int32_t, int32_t, int32_t>>> known_;
};

}  // namespace

std::vector<Level> make_levels(const Drawing& drawing) { return LevelMaker(drawing).run(); }

}  // namespace percale
