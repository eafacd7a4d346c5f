#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/draw/layout/layers.h"

namespace percale {
namespace {

constexpr int kAlignSweeps = 9;  // the last sweep goes down
// Keeping long wires straight has priority over short ones.
constexpr double kLongWeight = 8, kLonelyWeight = 0.01;

class Aligner {
 public:
  Aligner(const RowOrder& order, const std::vector<Extent>& extents, const std::vector<SegmentEnds>& ends)
      : order_(order), extents_(extents), x_(extents.size(), 0), up_(extents.size()), down_(extents.size()) {
    for (size_t i = 0; i < order.segments.size(); ++i) {
      const Segment& s = order.segments[i];
      const double weight = s.above >= order.cells && s.below >= order.cells ? kLongWeight : 1;
      const int32_t shift = ends[i].above - ends[i].below;
      down_[static_cast<size_t>(s.above)].push_back({static_cast<size_t>(s.below), -shift, weight});
      up_[static_cast<size_t>(s.below)].push_back({static_cast<size_t>(s.above), shift, weight});
    }
  }

  std::vector<int32_t> run() {
    for (const auto& row : order_.rows) {
      double x = 0;
      for (const int32_t v : row) {
        x += extent(v).left;
        x_[static_cast<size_t>(v)] = x;
        x += extent(v).right + kColumnGap;
      }
    }
    for (int sweep = 0; sweep < kAlignSweeps; ++sweep) {
      const bool up = sweep % 2 != 0;
      for (size_t i = 0; i < order_.rows.size(); ++i) {
        align(order_.rows[up ? order_.rows.size() - 1 - i : i], up ? down_ : up_);
      }
    }
    std::vector<int32_t> out;
    for (const double x : x_) out.push_back(static_cast<int32_t>(std::lround(x)));
    return out;
  }

 private:
  // The position that a neighbour prefers: for a straight segment, the vertex is at x + shift.
  struct Neighbour {
    size_t vertex = 0;
    int32_t shift = 0;
    double weight = 1;
  };

  const Extent& extent(int32_t v) const { return extents_[static_cast<size_t>(v)]; }

  // Moves the vertices of a row as close to their neighbours as their extents and order allow:
  // weighted least squares by pooling of adjacent violators.
  void align(const std::vector<int32_t>& row, const std::vector<std::vector<Neighbour>>& neighbours) {
    struct Pool {
      double sum = 0, weight = 0;
      size_t count = 0;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> offsets;
    double offset = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) offset += extent(row[i - 1]).right + kColumnGap + extent(row[i]).left;
      offsets.push_back(offset);
      const auto [wanted, weight] = wanted_x(static_cast<size_t>(row[i]), neighbours[static_cast<size_t>(row[i])]);
      pools.push_back({(wanted - offset) * weight, weight, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                        pools.back().count + last.count};
      }
    }
    size_t i = 0;
    for (const Pool& pool : pools) {
      for (size_t k = 0; k < pool.count; ++k, ++i) x_[static_cast<size_t>(row[i])] = pool.mean() + offsets[i];
    }
  }

  // Returns the weighted mean of the neighbours' preferred positions, and its weight.
  std::pair<double, double> wanted_x(size_t v, const std::vector<Neighbour>& neighbours) const {
    double sum = 0, weight = 0;
    for (const Neighbour& n : neighbours) {
      sum += (x_[n.vertex] + n.shift) * n.weight;
      weight += n.weight;
    }
    return weight > 0 ? std::pair(sum / weight, weight) : std::pair(x_[v], kLonelyWeight);
  }

  const RowOrder& order_;
  const std::vector<Extent>& extents_;
  std::vector<double> x_;
  std::vector<std::vector<Neighbour>> up_, down_;
};

}  // namespace

std::vector<int32_t> align_rows(const RowOrder& order, const std::vector<Extent>& extents,
                                const std::vector<SegmentEnds>& ends) {
  return Aligner(order, extents, ends).run();
}

}  // namespace percale
