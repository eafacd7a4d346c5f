// A run acted out on paper: which device would be done with what, when.
#ifndef PERCALE_CORE_PLACEMENT_SCHEDULE_H_
#define PERCALE_CORE_PLACEMENT_SCHEDULE_H_

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/placement/constraints.h"
#include "core/placement/cost_model.h"

namespace percale {

// Devices take nodes in the order of the function, each one after the other; those in the host's memory share its threads.
class Schedule {
 public:
  Schedule(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs);

  // When the node would end if it ran on the device next. All that gives its inputs has run.
  double end_of(NodeId node, int32_t device) const;
  // Runs it there.
  void run(NodeId node, int32_t device);
  // When the last node has ended.
  double end() const { return end_; }
  // The device where most bytes of the node's inputs are; -1: none of them was computed by a node.
  int32_t nearest(NodeId node, std::span<const int32_t> candidates) const;

 private:
  double arrival(ValueId value, int32_t device) const;
  double begin_of(NodeId node, int32_t device) const;

  const Function& f_;
  const std::span<const PlacementDevice> devices_;
  const CostModel& costs_;
  std::vector<int32_t> device_of_;    // per node that has run
  std::vector<double> end_of_;        // per node
  std::vector<double> device_free_;   // when the device is done with what it was given
  std::vector<double> threads_free_;  // ascending
  std::map<std::pair<ValueId, int32_t>, double> sent_;
  double end_ = 0;
};

// A device for each node, from the candidates of its unit.
struct Assignment {
  std::vector<int32_t> device_of;
  double end = 0;
};
// Each unit next to the largest inputs of its first node, else on its first candidate.
Assignment assign_nearest(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs,
                          const PlacementUnits& units);
// Each unit where it ends first. Nodes that cost less than a hop are decided on together with what alone uses them.
Assignment assign_earliest(const Function& function, std::span<const PlacementDevice> devices, const CostModel& costs,
                           const PlacementUnits& units);

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_SCHEDULE_H_
