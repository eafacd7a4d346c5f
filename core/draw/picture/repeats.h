// Finds equal consecutive ranges, such as the layers of a transformer.
#ifndef PERCALE_CORE_DRAW_PICTURE_REPEATS_H_
#define PERCALE_CORE_DRAW_PICTURE_REPEATS_H_

#include <cstdint>
#include <vector>

namespace percale {

struct Step {
  int32_t likeness = 0;  // equal for equal steps; negative: equal to nothing
  int32_t weight = 1;    // in nodes
  // Earlier steps whose results it uses, in the order of its inputs; -1: from outside.
  std::vector<int32_t> sources;
};

// The steps [begin, begin + period * count) are `count` equal ranges.
struct Repeat {
  int32_t begin = 0, period = 0, count = 0;
};

// Returns non-overlapping repeats in ascending order; of overlapping ones, the largest is kept. Two
// ranges are equal if their steps are equal and use each other's results in the same way. Takes
// near-linear time, because periods are at most kMaxPeriod.
inline constexpr int32_t kMaxPeriod = 512;
std::vector<Repeat> find_repeats(const std::vector<Step>& steps);

}  // namespace percale

#endif  // PERCALE_CORE_DRAW_PICTURE_REPEATS_H_
