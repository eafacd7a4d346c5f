// Simulates a run: when each device would finish which node.
#ifndef PERCALE_CORE_PLACEMENT_SIMULATED_RUN_H_
#define PERCALE_CORE_PLACEMENT_SIMULATED_RUN_H_

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/placement/constraints.h"
#include "core/placement/cost_model.h"

namespace percale {

// A simulated run. Devices execute nodes in the order of the function, one at a time. Devices in
// the host's memory share its threads.
class SimulatedRun {
 public:
  SimulatedRun(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs);

  // Returns when the node would end if the device ran it next. All makers of its inputs must have
  // run.
  double end_of(NodeId node, int32_t device) const;
  // Runs the node on the device.
  void run(NodeId node, int32_t device);
  // Returns when the last node has ended.
  double end() const { return end_; }
  // Returns the device that holds most bytes of the node's inputs; -1 if all of them are constants
  // or come from the host.
  int32_t nearest(NodeId node, std::span<const int32_t> candidates) const;

 private:
  double arrival(ValueId value, int32_t device) const;
  double begin_of(NodeId node, int32_t device) const;

  const Function& f_;
  const std::span<const PlacementDevice> devices_;
  const CostModel& costs_;
  std::vector<int32_t> device_of_;    // per node that has run
  std::vector<double> end_of_;        // per node
  std::vector<double> device_free_;   // when the device finishes its last node
  std::vector<double> threads_free_;  // ascending
  std::map<std::pair<ValueId, int32_t>, double> sent_;
  double end_ = 0;
};

// A device for each node, chosen from the candidates of its unit.
struct Assignment {
  std::vector<int32_t> device_of;
  double end = 0;
};
// Places each unit next to the largest inputs of its first node, or else on its first candidate.
Assignment assign_nearest(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs,
                          const PlacementUnits& units);
// Places each unit where it ends first. A node that costs less than a hop is placed together with
// its only user.
Assignment assign_earliest(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs,
                           const PlacementUnits& units);

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_SIMULATED_RUN_H_
