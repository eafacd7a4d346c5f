// What is kept of the instructions of a run while somebody watches: spans of a trace, times for the next plan.
#ifndef PERCALE_CORE_SESSION_CONTEXT_NODE_TIMES_H_
#define PERCALE_CORE_SESSION_CONTEXT_NODE_TIMES_H_

#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/placement/measured.h"

namespace percale {

class Trace;
struct PlacedProgram;

// Times of nodes, collected by concurrent runs. Thread-safe.
class NodeTimes {
 public:
  explicit NodeTimes(MeasuredTimes known) : times_(std::move(known)) {}
  void add(std::string_view device, std::span<const std::string> nodes, double seconds);
  MeasuredTimes copy() const;

 private:
  mutable std::mutex mutex_;
  MeasuredTimes times_;
};

// Writes an instruction down that began and ended then, on the monotonic clock. Either may be null; for want of memory nothing is
// written.
void record_instruction(const PlacedProgram& placed, int32_t instruction, int64_t begin_ns, int64_t end_ns,
                        Trace* trace, NodeTimes* times) noexcept;

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_NODE_TIMES_H_
