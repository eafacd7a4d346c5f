// Decides which device runs which node, and says why.
#ifndef PERCALE_CORE_PLACEMENT_PLACE_H_
#define PERCALE_CORE_PLACEMENT_PLACE_H_

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/placement/measured.h"

namespace percale {

// A device as placement sees it.
struct PlacementDevice {
  std::string name, kind;                    // "cpu:0", "cpu"
  bool holds_variables = false;              // its memory is the host's
  bool takes_partitions = false;             // any node without state and random numbers, not those that kernels run
  double gflops = 0, gbytes_per_second = 0;  // 0: as the host's
  int32_t width = 0;                         // threads that compute for it, where it is in the host's memory; 0: all
  std::string bits = {};                     // equal texts: their kernels give the same bits; "": as the kind says
  bool is_home = false;  // it runs nothing but what needs the host's memory, unless it is the group's first

  const std::string& numerics() const { return bits.empty() ? kind : bits; }
};

// What was expected of a device that a node could have gone to, when that was decided.
struct Forecast {
  int32_t device = 0;
  double seconds = 0;  // that the node takes there
  double end = 0;      // when it would end, in seconds from the begin of the run
};

struct Placement {
  std::vector<int32_t> device_of;    // per node: index into the devices
  std::vector<std::string> reasons;  // per node
  // Per node: the candidates, where there were several and nothing but the cost decided; of many the first ones.
  std::vector<std::vector<Forecast>> forecasts;
  double seconds = 0;  // that the run is expected to take
  std::string summary;
};

// Says whether a device of that kind has a kernel that runs the node: success or the reason why not.
class KernelProbe {
 public:
  virtual ~KernelProbe() = default;
  virtual Status can_run(const Node& node, std::string_view kind) const = 0;
};

struct PlaceOptions {
  bool soft = false;
  // Indices of devices, the first one is the home. Empty: no group.
  std::span<const int32_t> group = {};
  int32_t threads = 1;                      // that the devices in the host's memory share
  const MeasuredTimes* measured = nullptr;  // may be null
};

// In order:
//   1. nodes with a device hint stand where it says;
//   2. variables, and nodes that the executor carries out, on the first device in the host's memory, or where another node asks for
//      the same variable;
//   3. with a group, what its home can run stands there, and no device but those of the group and of the host's memory is used;
//   4. nodes that are asked to stand with each other (core/graph/device_hint.h) are decided on as one;
//   5. nodes that only one device can run stand there;
//   6. the rest next to their largest inputs, or, where a run is expected to end at least a tenth and 50 us earlier, on the device
//      that ends them first when the run is acted out node by node in the order of the function (core/placement/cost_model.h).
//      That is done twice: among the kinds of bits, by what devices describe of themselves alone, and then among the devices
//      of the chosen bits, with the engine's threads and with what was measured.
// Strict: a hinted device that lacks the node, nodes that cannot stand together, or a node that no device can run, is an error that
// names op, dtypes and each device's reason; with `soft` a hint that fails is passed over and the reason says so. A hint that
// names a place in the group is as soft as the home is, but INVALID_ARGUMENT where the group has no such place.
Result<Placement> place(const Function& function, const std::vector<PlacementDevice>& devices, const KernelProbe& probe,
                        const PlaceOptions& options = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_PLACE_H_
