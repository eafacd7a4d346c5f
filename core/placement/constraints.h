// Finds the devices on which each node may run, before cost is considered.
#ifndef PERCALE_CORE_PLACEMENT_CONSTRAINTS_H_
#define PERCALE_CORE_PLACEMENT_CONSTRAINTS_H_

#include <string>
#include <vector>

#include "core/placement/place.h"

namespace percale {

// Nodes that are placed together; mostly a single node.
struct PlacementUnit {
  std::vector<NodeId> nodes;        // ascending
  std::vector<int32_t> candidates;  // devices, ascending; a single one if the placement is settled
  std::string reason;               // why it is settled; "" if it is not
  std::string note;                 // appended to the reason: hints that failed, refusals
};

struct PlacementUnits {
  std::vector<PlacementUnit> units;  // ordered by their first nodes
  std::vector<int32_t> unit_of;      // per node
};

// Carries out steps 1 to 5 of place() and returns its errors.
Result<PlacementUnits> find_units(const Function& function, const std::vector<PlacementDevice>& devices,
                                  const KernelProbe& probe, const PlaceOptions& options);

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_CONSTRAINTS_H_
