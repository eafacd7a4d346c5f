#include "core/base/parallel.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using percale::ParallelFor;
using percale::piece_range;

TEST_CASE("pieces cover every item once, in order, and start on the alignment") {
  for (const int64_t total : {0, 1, 7, 64, 1000}) {
    for (const int64_t pieces : {1, 2, 3, 8}) {
      for (const int64_t align : {1, 4, 16}) {
        CAPTURE(total);
        CAPTURE(pieces);
        CAPTURE(align);
        int64_t next = 0;
        for (int64_t piece = 0; piece < pieces; ++piece) {
          const auto range = piece_range(total, pieces, piece, align);
          CHECK(range.begin == next);
          CHECK(range.end >= range.begin);
          if (range.begin < total) CHECK(range.begin % align == 0);
          next = range.end;
        }
        CHECK(next == total);
      }
    }
  }
}

TEST_CASE("without a pool every piece runs once on the calling thread") {
  std::vector<int> runs(5, 0);
  const ParallelFor parallel_for;
  parallel_for(5, [&](int64_t piece) { ++runs[static_cast<size_t>(piece)]; });
  CHECK(runs == std::vector<int>(5, 1));
}
