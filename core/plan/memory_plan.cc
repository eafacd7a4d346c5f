#include "core/plan/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/checked.h"
#include "core/base/memory.h"

namespace percale {

int64_t plan_memory(std::span<MemoryInterval> intervals) {
  std::vector<size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return intervals[a].bytes > intervals[b].bytes; });
  std::vector<const MemoryInterval*> placed;  // by offset
  int64_t total = 0;
  for (size_t i : order) {
    MemoryInterval& block = intervals[i];
    const int64_t size = round_up(block.bytes, kAlignment);
    int64_t offset = 0;
    for (const MemoryInterval* other : placed) {
      if (other->last < block.first || block.last < other->first) continue;
      if (other->offset >= offset + size) break;
      offset = std::max(offset, other->offset + round_up(other->bytes, kAlignment));
    }
    block.offset = offset;
    total = std::max(total, offset + size);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), offset,
                                   [](int64_t o, const MemoryInterval* p) { return o < p->offset; }),
                  &block);
  }
  return total;
}

}  // namespace percale
