// Instructions of a stream program that a device captures once and replays as one piece.
#ifndef PERCALE_CORE_SESSION_BOUND_CAPTURED_SEGMENT_H_
#define PERCALE_CORE_SESSION_BOUND_CAPTURED_SEGMENT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/engine/device_handle.h"

namespace percale {

// The instructions [begin, end) of a program, between which nothing comes from outside and nothing
// leaves. Captures hold for the addresses that the operands had at the time. Not thread-safe.
class CapturedSegment {
 public:
  CapturedSegment(int32_t begin, int32_t end) : begin_(begin), end_(end) {}

  int32_t begin() const { return begin_; }
  int32_t end() const { return end_; }

  // The capture for one set of addresses; `work` is null until the device has captured it.
  struct Capture {
    std::vector<void*> operands;
    DeviceCapture work;
  };
  // Returns the capture for these addresses if an earlier call had the same ones. Otherwise notes
  // the addresses and returns null: the instructions are to be launched one by one. After four
  // different sets of addresses the segment gives up, frees its captures and always returns null.
  Capture* find(std::span<void* const> operands);

  // Stops capturing for good, because the device cannot capture these instructions.
  void refuse();

 private:
  const int32_t begin_, end_;
  bool refused_ = false;
  std::vector<Capture> captures_;
};

struct BoundProgram;

// Finds the segments of a program. Returns none if its device cannot replay. `has_variables`: the
// program does not wait for variables (Wait::kept), so they do not end a segment.
std::vector<CapturedSegment> find_segments(const BoundProgram& program, bool has_variables);

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_BOUND_CAPTURED_SEGMENT_H_
