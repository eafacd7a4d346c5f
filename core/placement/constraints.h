// Where nodes may stand, before anybody asks what is fast.
#ifndef PERCALE_CORE_PLACEMENT_CONSTRAINTS_H_
#define PERCALE_CORE_PLACEMENT_CONSTRAINTS_H_

#include <string>
#include <vector>

#include "core/placement/place.h"

namespace percale {

// Nodes that stand together, mostly one alone.
struct PlacementUnit {
  std::vector<NodeId> nodes;        // ascending
  std::vector<int32_t> candidates;  // devices, ascending; one where it is settled
  std::string reason;               // why it is settled; "" where it is not
  std::string note;                 // behind the reason: what was asked for in vain, who refused
};

struct PlacementUnits {
  std::vector<PlacementUnit> units;  // by their first nodes
  std::vector<int32_t> unit_of;      // per node
};

// Steps 1 to 5 of place(), and its errors.
Result<PlacementUnits> find_units(const Function& function, const std::vector<PlacementDevice>& devices,
                                  const KernelProbe& probe, const PlaceOptions& options);

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_CONSTRAINTS_H_
