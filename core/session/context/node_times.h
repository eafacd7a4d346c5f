// Records the times of instructions while a run is watched: spans of a trace, times for the next
// plan.
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

// Times of nodes, collected from concurrent runs. Thread-safe.
class NodeTimes {
 public:
  explicit NodeTimes(MeasuredTimes known) : times_(std::move(known)) {}
  void add(std::string_view device, std::span<const std::string> nodes, double seconds);
  MeasuredTimes copy() const;

 private:
  mutable std::mutex mutex_;
  MeasuredTimes times_;
};

// Records an instruction. Times are in ns on the monotonic clock. `trace` and `times` may be null.
// Records nothing if memory is short.
void record_instruction(const PlacedProgram& placed, int32_t instruction, int64_t begin_ns, int64_t end_ns,
                        Trace* trace, NodeTimes* times) noexcept;

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_NODE_TIMES_H_
