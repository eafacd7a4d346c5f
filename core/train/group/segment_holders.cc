#include "core/train/group/segment_holders.h"

#include <algorithm>
#include <utility>

namespace percale {

SegmentHolders::SegmentHolders(size_t ranks, bool twice) : twice_(twice && ranks > 1) {
  for (size_t segment = 0; segment < ranks; ++segment) {
    std::vector<size_t>& holders = holders_.emplace_back(1, segment);
    if (twice_) holders.push_back((segment + 1) % ranks);
  }
}

bool SegmentHolders::holds(size_t rank, size_t segment) const {
  return std::ranges::find(holders_[segment], rank) != holders_[segment].end();
}

std::vector<size_t> SegmentHolders::held_by(size_t rank) const {
  std::vector<size_t> out;
  for (size_t segment = 0; segment < segments(); ++segment) {
    if (holds(rank, segment)) out.push_back(segment);
  }
  return out;
}

std::vector<size_t> SegmentHolders::led_by(size_t rank) const {
  std::vector<size_t> out;
  for (size_t segment = 0; segment < segments(); ++segment) {
    if (first(segment) == rank) out.push_back(segment);
  }
  return out;
}

// Ranks that have a segment stay its holders, those first that follow its number in a circle.
Result<std::vector<SegmentHolders::Transfer>> SegmentHolders::keep(const std::vector<size_t>& left,
                                                                   const std::vector<std::vector<bool>>& have,
                                                                   bool stateful) {
  std::vector<std::vector<size_t>> holders(segments());
  std::vector<Transfer> out;
  const size_t wanted = std::min<size_t>(twice_ ? 2 : 1, left.size());
  for (size_t segment = 0; segment < segments(); ++segment) {
    std::vector<size_t> by_distance = left;
    std::ranges::sort(by_distance, {}, [&](size_t rank) { return (rank + segments() - segment) % segments(); });
    for (const bool has : {true, false}) {
      for (const size_t rank : by_distance) {
        if (have[rank][segment] == has && holders[segment].size() < wanted) holders[segment].push_back(rank);
      }
    }
    if (stateful && !have[holders[segment].front()][segment]) {
      return data_loss("all ranks that had part ", segment,
                       " of the optimizer's state are lost; resume from a checkpoint, or train with "
                       "'collective_redundancy' 1");
    }
    for (const size_t rank : holders[segment]) {
      if (!have[rank][segment]) out.push_back({segment, rank});
    }
  }
  holders_ = std::move(holders);
  return out;
}

}  // namespace percale
