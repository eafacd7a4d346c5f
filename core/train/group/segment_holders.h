// Which ranks of a group hold the optimizer's state of which segment.
#ifndef PERCALE_CORE_TRAIN_GROUP_SEGMENT_HOLDERS_H_
#define PERCALE_CORE_TRAIN_GROUP_SEGMENT_HOLDERS_H_

#include <cstddef>
#include <vector>

#include "core/base/status.h"

namespace percale {

// There are as many segments as the group had ranks when it was formed. The first holder of a
// segment sends its values to all ranks. A second one, the next rank, commits the same, so that the
// state survives the loss of either. Ranks are numbered as at the beginning.
class SegmentHolders {
 public:
  // `twice`: with second holders.
  SegmentHolders(size_t ranks, bool twice);

  size_t segments() const { return holders_.size(); }
  size_t first(size_t segment) const { return holders_[segment].front(); }
  bool holds(size_t rank, size_t segment) const;
  // The segments that a rank holds, and those of which it is the first holder, in ascending order.
  std::vector<size_t> held_by(size_t rank) const;
  std::vector<size_t> led_by(size_t rank) const;

  // A segment that a rank must receive from its first holder.
  struct Transfer {
    size_t segment = 0, to = 0;
  };
  // The ranks that are left hold all segments from now on: have[rank][segment] tells who has the
  // state. Returns the segments that ranks lack. DATA_LOSS if no rank has the state of a segment,
  // and there is any (`stateful`).
  Result<std::vector<Transfer>> keep(const std::vector<size_t>& left, const std::vector<std::vector<bool>>& have,
                                     bool stateful);

 private:
  bool twice_;
  std::vector<std::vector<size_t>> holders_;  // by segment: one rank, or two
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_SEGMENT_HOLDERS_H_
