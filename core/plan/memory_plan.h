// Assigns the values of a program to offsets in its arena.
#ifndef PERCALE_CORE_PLAN_MEMORY_PLAN_H_
#define PERCALE_CORE_PLAN_MEMORY_PLAN_H_

#include <cstdint>
#include <span>

namespace percale {

// A block that must exist from instruction `first` to instruction `last`, both included.
struct MemoryInterval {
  int64_t bytes = 0;
  int32_t first = 0, last = 0;
  int64_t offset = 0;  // the result
};

// Gives every interval an offset, a multiple of kAlignment, such that blocks that exist at the same
// time do not overlap. Works greedily by size and puts each block into the lowest gap that fits.
// Returns the size of the arena in bytes. Deterministic.
int64_t plan_memory(std::span<MemoryInterval> intervals);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_MEMORY_PLAN_H_
