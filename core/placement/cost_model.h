// How long nodes and transfers are expected to take.
#ifndef PERCALE_CORE_PLACEMENT_COST_MODEL_H_
#define PERCALE_CORE_PLACEMENT_COST_MODEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/placement/measured.h"
#include "core/placement/place.h"

namespace percale {

// A node takes max(flops / rate, bytes / bandwidth) and what a launch costs; a transfer takes a latency and bytes / speed of the link,
// twice where neither end is in the host's memory, and nothing but the latency where both are. Rates are those that the devices
// describe, else those of a host of so many threads.
class CostModel {
 public:
  // Work that a second device begins, or takes over from another, waits so long.
  static constexpr double kHopSeconds = 20e-6;

  // `threads`: what the devices in the host's memory share; 0: those of a nominal machine, so that nothing depends on this one. With
  // `measured`, times that were seen stand for the formula where there are any, and the formula is scaled by what they say of the
  // devices; of a device that was never measured by what they say of its equals. Borrows its arguments.
  CostModel(const Function& function, std::span<const PlacementDevice> devices, int32_t threads,
            const MeasuredTimes* measured = nullptr);

  double seconds(NodeId node, int32_t device) const;
  // From the host's memory where `from` is -1.
  double transfer_seconds(int64_t bytes, int32_t from, int32_t to) const;
  // Threads that the device computes with, of threads(); 0: it is none of those in the host's memory.
  int32_t width(int32_t device) const;
  int32_t threads() const { return threads_; }

 private:
  double formula(NodeId node, int32_t device) const;
  void read_measured(const MeasuredTimes& measured);

  const Function& f_;
  const std::span<const PlacementDevice> devices_;
  const bool nominal_;
  const int32_t threads_;
  std::vector<double> flops_, bytes_;          // per node
  std::vector<double> scale_;                  // per device: measured over expected
  std::vector<std::vector<double>> measured_;  // per device, then per node; < 0: not seen. Empty: nothing seen there
};

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_COST_MODEL_H_
