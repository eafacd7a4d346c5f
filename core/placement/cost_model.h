// Estimates the time of nodes and transfers.
#ifndef PERCALE_CORE_PLACEMENT_COST_MODEL_H_
#define PERCALE_CORE_PLACEMENT_COST_MODEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/placement/measured.h"
#include "core/placement/place.h"

namespace percale {

// A node takes max(flops / rate, bytes / bandwidth) plus the cost of a launch. A transfer takes a
// latency plus bytes / link speed for each end that is not in the host's memory. Rates come from
// the descriptions of the devices, or else from a host with the given number of threads.
class CostModel {
 public:
  // Latency before a second device starts work, or takes it over from another one.
  static constexpr double kHopSeconds = 20e-6;

  // `threads` is the number of threads that the devices in the host's memory share. 0 stands for
  // those of a nominal machine, so that nothing depends on this one. With `measured`, measured
  // times replace the formula where they exist, and they scale it elsewhere. A device that was
  // never measured uses the scale of equal devices. Borrows its arguments.
  // `homes`: as PlaceOptions::input_homes.
  CostModel(const Function& function, std::span<const PlacementDevice> devices, std::span<const int32_t> homes,
            int32_t threads, const MeasuredTimes* measured = nullptr);

  // The device that has an input of the function; -1: the host.
  int32_t home_of(const Value& input) const;
  double seconds(NodeId node, int32_t device) const;
  // `from` is -1 for the host's memory.
  double transfer_seconds(int64_t bytes, int32_t from, int32_t to) const;
  // Returns how many of threads() the device computes with; 0 for a device that is not in the
  // host's memory.
  int32_t width(int32_t device) const;
  int32_t threads() const { return threads_; }

 private:
  double formula(NodeId node, int32_t device) const;
  void read_measured(const MeasuredTimes& measured);

  const Function& f_;
  const std::span<const PlacementDevice> devices_;
  const std::span<const int32_t> homes_;
  const bool nominal_;
  const int32_t threads_;
  std::vector<double> flops_, bytes_;  // per node
  std::vector<double> scale_;          // per device: measured over expected
  // Per device, then per node; < 0: not measured. Empty: no measurement of the device.
  std::vector<std::vector<double>> measured_;
};

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_COST_MODEL_H_
