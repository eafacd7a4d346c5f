#include "core/draw/layout/layers.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace percale {
namespace {

constexpr int kOrderSweeps = 8;

class RowOrderer {
 public:
  RowOrderer(const std::vector<LayerCell>& cells, std::vector<LayerWire>& wires) : cells_(cells), wires_(wires) {
    for (const LayerCell& cell : cells) add_vertex(cell.row);
    for (size_t w = 0; w < wires.size(); ++w) add_wire(static_cast<int32_t>(w));
  }

  RowOrder run() {
    place_.resize(up_.size());
    for (size_t row = 0; row < out_.rows.size(); ++row) note_places(row);
    std::vector<std::vector<int32_t>> best = out_.rows;
    int64_t fewest = crossings();
    for (int sweep = 0; sweep < kOrderSweeps && fewest > 0; ++sweep) {
      const bool up = sweep % 2 != 0;
      for (size_t i = 0; i < out_.rows.size(); ++i) order_row(up ? out_.rows.size() - 1 - i : i, up);
      const int64_t now = crossings();
      if (now >= fewest) continue;
      fewest = now;
      best = out_.rows;
    }
    out_.rows = std::move(best);
    out_.cells = static_cast<int32_t>(cells_.size());
    out_.vertices = static_cast<int32_t>(up_.size());
    return std::move(out_);
  }

 private:
  int32_t add_vertex(int32_t row) {
    const auto vertex = static_cast<int32_t>(up_.size());
    up_.emplace_back();
    down_.emplace_back();
    if (out_.rows.size() <= static_cast<size_t>(row)) out_.rows.resize(static_cast<size_t>(row) + 1);
    out_.rows[static_cast<size_t>(row)].push_back(vertex);
    return vertex;
  }

  void add_segment(int32_t above, int32_t below, int32_t wire) {
    down_[static_cast<size_t>(above)].push_back(below);
    up_[static_cast<size_t>(below)].push_back(above);
    out_.segments.push_back({above, below, wire});
  }

  void add_wire(int32_t number) {
    LayerWire& wire = wires_[static_cast<size_t>(number)];
    std::vector<int32_t>& shared = ways_[{wire.from, wire.value}];
    const int32_t first = cells_[static_cast<size_t>(wire.from)].row + 1;
    const int32_t between = cells_[static_cast<size_t>(wire.to)].row - first;
    for (auto row = static_cast<int32_t>(shared.size()); row < between; ++row) {
      const int32_t above = shared.empty() ? wire.from : shared.back();
      shared.push_back(add_vertex(first + row));
      add_segment(above, shared.back(), number);
    }
    wire.bends.assign(shared.begin(), shared.begin() + between);
    add_segment(between == 0 ? wire.from : wire.bends.back(), wire.to, number);
  }

  void note_places(size_t row) {
    const std::vector<int32_t>& vertices = out_.rows[row];
    for (size_t i = 0; i < vertices.size(); ++i) place_[static_cast<size_t>(vertices[i])] = i;
  }

  // Sorts a row by the mean position of the neighbours. A vertex without neighbours keeps its
  // position.
  void order_row(size_t row, bool up) {
    std::vector<std::pair<double, int32_t>> keys;
    for (const int32_t v : out_.rows[row]) {
      const std::vector<int32_t>& neighbours = (up ? down_ : up_)[static_cast<size_t>(v)];
      double sum = 0;
      for (const int32_t n : neighbours) sum += static_cast<double>(place_[static_cast<size_t>(n)]);
      const auto own = static_cast<double>(place_[static_cast<size_t>(v)]);
      keys.emplace_back(neighbours.empty() ? own : sum / static_cast<double>(neighbours.size()), v);
    }
    std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < keys.size(); ++i) out_.rows[row][i] = keys[i].second;
    note_places(row);
  }

  // Counts the pairs of crossing segments with a binary indexed tree over the positions in the
  // lower row.
  int64_t crossings() const {
    int64_t total = 0;
    std::vector<int64_t> tree;
    for (size_t row = 0; row + 1 < out_.rows.size(); ++row) {
      tree.assign(out_.rows[row + 1].size() + 1, 0);
      int64_t seen = 0;
      for (const int32_t v : out_.rows[row]) {
        const std::vector<int32_t>& below = down_[static_cast<size_t>(v)];
        for (const int32_t n : below) {
          total += seen;
          for (size_t i = place_[static_cast<size_t>(n)] + 1; i > 0; i &= i - 1) total -= tree[i];
        }
        for (const int32_t n : below) {
          for (size_t i = place_[static_cast<size_t>(n)] + 1; i < tree.size(); i += i & (~i + 1)) ++tree[i];
          ++seen;
        }
      }
    }
    return total;
  }

  const std::vector<LayerCell>& cells_;
  std::vector<LayerWire>& wires_;
  RowOrder out_;
  std::map<std::pair<int32_t, int32_t>, std::vector<int32_t>> ways_;  // bends by cell and value
  std::vector<std::vector<int32_t>> up_, down_;                       // neighbours by vertex
  std::vector<size_t> place_;                                         // per vertex, within its row
};

}  // namespace

void assign_rows(std::vector<LayerCell>& cells, const std::vector<LayerWire>& wires) {
  const auto row = [&](int32_t cell) -> int32_t& { return cells[static_cast<size_t>(cell)].row; };
  std::vector<std::vector<int32_t>> targets(cells.size());
  std::vector<bool> has_source(cells.size(), false);
  for (const LayerWire& wire : wires) {
    targets[static_cast<size_t>(wire.from)].push_back(wire.to);
    has_source[static_cast<size_t>(wire.to)] = true;
  }
  const bool entries =
      std::any_of(cells.begin(), cells.end(), [](const LayerCell& c) { return c.place == CellPlace::kFirstRow; });
  for (LayerCell& cell : cells) cell.row = entries && cell.place != CellPlace::kFirstRow ? 1 : 0;
  int32_t last = 0;
  for (size_t c = 0; c < cells.size(); ++c) {
    for (const int32_t to : targets[c]) row(to) = std::max(row(to), cells[c].row + 1);
    if (cells[c].place != CellPlace::kLastRow) last = std::max(last, cells[c].row);
  }
  // A cell without sources goes directly above its first user.
  for (size_t c = 0; c < cells.size(); ++c) {
    if (has_source[c] || targets[c].empty() || cells[c].place != CellPlace::kAnywhere) continue;
    const auto first =
        std::min_element(targets[c].begin(), targets[c].end(), [&](int32_t a, int32_t b) { return row(a) < row(b); });
    if (cells[static_cast<size_t>(*first)].place == CellPlace::kAnywhere) cells[c].row = row(*first) - 1;
  }
  for (LayerCell& cell : cells) {
    if (cell.place == CellPlace::kLastRow) cell.row = last + 1;
  }
}

RowOrder order_rows(const std::vector<LayerCell>& cells, std::vector<LayerWire>& wires) {
  return RowOrderer(cells, wires).run();
}

}  // namespace percale
