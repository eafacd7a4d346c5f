#include "core/plan/memory_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/base/memory.h"

namespace percale {
namespace {

TEST_CASE("blocks that live at the same time never overlap, and the arena holds them all") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<MemoryInterval> blocks(1 + random() % 60);
    for (MemoryInterval& b : blocks) {
      b.bytes = static_cast<int64_t>(random() % 5000);
      b.first = static_cast<int32_t>(random() % 40);
      b.last = b.first + static_cast<int32_t>(random() % 10);
    }
    const int64_t total = plan_memory(blocks);
    for (size_t i = 0; i < blocks.size(); ++i) {
      CHECK(blocks[i].offset % kAlignment == 0);
      CHECK(blocks[i].offset + blocks[i].bytes <= total);
      for (size_t j = i + 1; j < blocks.size(); ++j) {
        const bool together = blocks[i].first <= blocks[j].last && blocks[j].first <= blocks[i].last;
        const bool apart = blocks[i].offset + blocks[i].bytes <= blocks[j].offset ||
                           blocks[j].offset + blocks[j].bytes <= blocks[i].offset;
        CHECK((!together || apart));
      }
    }
  }
}

TEST_CASE("a chain needs room for two of its values, not for all") {
  std::vector<MemoryInterval> blocks;
  for (int32_t i = 0; i < 100; ++i) blocks.push_back({1024, i, i + 1, 0});
  CHECK(plan_memory(blocks) == 2048);
}

TEST_CASE("no block is smaller than what lives at once at the worst moment") {
  std::vector<MemoryInterval> blocks{{640, 0, 2, 0}, {128, 1, 1, 0}, {64, 2, 3, 0}};
  CHECK(plan_memory(blocks) == 768);
}

}  // namespace
}  // namespace percale
