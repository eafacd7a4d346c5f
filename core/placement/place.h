// Decides which device runs which node, and says why.
#ifndef PERCALE_CORE_PLACEMENT_PLACE_H_
#define PERCALE_CORE_PLACEMENT_PLACE_H_

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace percale {

// A device as placement sees it.
struct PlacementDevice {
  std::string name, kind;         // "cpu:0", "cpu"
  bool holds_variables = false;   // its memory is the host's
  bool takes_partitions = false;  // any node without state and random numbers, not those that kernels run
  double gflops = 0, gbytes_per_second = 0;
};

struct Placement {
  std::vector<int32_t> device_of;    // per node: index into the devices
  std::vector<std::string> reasons;  // per node
};

// Says whether a device of that kind has a kernel that runs the node: success or the reason why not.
class KernelProbe {
 public:
  virtual ~KernelProbe() = default;
  virtual Status can_run(const Node& node, std::string_view kind) const = 0;
};

// In order: nodes with a device hint stand where it says; variables, and nodes that the executor carries out, on the first device
// that holds them; with a `group` (indices of devices, the first one is the home) what it can run stands at home, variables too
// where it holds them, and no device but those of the group and of the host's memory is used; views and nodes with one candidate where they must; the rest on the device of the input that costs most
// to move, else on the first that can run them. Strict: a hinted device that lacks the node, or a node that no device can
// run, is an error that names op, dtypes and each device's reason; with `soft` a hint that fails is passed over and the
// reason says so. A hint that names a place in the group (core/graph/device_hint.h) is as soft as the home is, but
// INVALID_ARGUMENT where the group has no such place.
Result<Placement> place(const Function& function, const std::vector<PlacementDevice>& devices, const KernelProbe& probe,
                        bool soft, std::span<const int32_t> group = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_PLACE_H_
