// When a segment is captured: at addresses that come back, and not at ever new ones.
#include "core/session/bound/captured_segment.h"

#include <doctest/doctest.h>

#include <array>

namespace percale {
namespace {

using Addresses = std::array<void*, 2>;

struct Memory {
  std::array<int, 16> bytes;
  Addresses at(size_t i) { return {&bytes[i], &bytes[i + 1]}; }
};

TEST_CASE("a segment is captured when its addresses come back") {
  Memory memory;
  CapturedSegment segment(2, 7);
  CHECK(segment.begin() == 2);
  CHECK(segment.end() == 7);
  CHECK(segment.find(memory.at(0)) == nullptr);
  const CapturedSegment::Capture* const capture = segment.find(memory.at(0));
  REQUIRE(capture != nullptr);
  CHECK(capture->work.get() == nullptr);
  CHECK(segment.find(memory.at(0)) == capture);
}

TEST_CASE("versions that take turns have a capture each") {
  Memory memory;
  CapturedSegment segment(0, 4);
  CHECK(segment.find(memory.at(0)) == nullptr);
  CHECK(segment.find(memory.at(3)) == nullptr);
  CHECK(segment.find(memory.at(0)) != nullptr);
  CHECK(segment.find(memory.at(3)) != nullptr);
  CHECK(segment.find(memory.at(0))->operands[0] == memory.at(0)[0]);
  CHECK(segment.find(memory.at(3))->operands[0] == memory.at(3)[0]);
}

TEST_CASE("a segment whose addresses keep changing gives up") {
  Memory memory;
  CapturedSegment segment(0, 4);
  for (size_t i = 0; i < 4; ++i) CHECK(segment.find(memory.at(i)) == nullptr);
  CHECK(segment.find(memory.at(0)) != nullptr);
  CHECK(segment.find(memory.at(4)) == nullptr);  // the fifth set of addresses
  CHECK(segment.find(memory.at(0)) == nullptr);
  CHECK(segment.find(memory.at(0)) == nullptr);
}

TEST_CASE("a segment that the device cannot capture is never looked up again") {
  Memory memory;
  CapturedSegment segment(0, 4);
  CHECK(segment.find(memory.at(0)) == nullptr);
  segment.refuse();
  CHECK(segment.find(memory.at(0)) == nullptr);
  CHECK(segment.find(memory.at(0)) == nullptr);
}

}  // namespace
}  // namespace percale
