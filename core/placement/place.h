// Decides which device runs each node, and gives the reasons.
#ifndef PERCALE_CORE_PLACEMENT_PLACE_H_
#define PERCALE_CORE_PLACEMENT_PLACE_H_

#include <span>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/placement/measured.h"

namespace percale {

// The description of a device for placement.
struct PlacementDevice {
  std::string name, kind;        // "cpu:0", "cpu"
  bool holds_variables = false;  // its memory is the host's memory
  // Runs any node without state and random numbers, not only those with kernels.
  bool takes_partitions = false;
  bool places_nodes = false;                 // device hints are for it to follow
  double gflops = 0, gbytes_per_second = 0;  // 0: the host's rates
  int32_t width = 0;                         // its compute threads, if in the host's memory; 0: all
  // Devices with equal texts have kernels that give the same bits; "": `kind` is used.
  std::string bits = {};
  // Runs only nodes that need the host's memory, and random ones that no other device takes, unless
  // it is the group's first device.
  bool is_home = false;

  const std::string& numerics() const { return bits.empty() ? kind : bits; }
};

// The estimate for a device that was a candidate for a node, at the time of the decision.
struct Forecast {
  int32_t device = 0;
  double seconds = 0;  // time of the node on the device
  double end = 0;      // when the node would end, in seconds from the start of the run
};

struct Placement {
  std::vector<int32_t> device_of;    // per node: index into the devices
  std::vector<std::string> reasons;  // per node
  // Per node: the candidates, if there were several and only cost decided. Long lists are cut off.
  std::vector<std::vector<Forecast>> forecasts;
  double seconds = 0;  // estimated time of the run
  std::string summary;
};

// Returns success if a device of that kind has a kernel that runs the node, else the reason.
class KernelProbe {
 public:
  virtual ~KernelProbe() = default;
  virtual Status can_run(const Node& node, std::string_view kind) const = 0;
};

struct PlaceOptions {
  bool soft = false;
  // Indices of devices; the first one is the home. Empty: no group.
  std::span<const int32_t> group = {};
  // Per input of the function, or empty: the device that has it; -1: the host.
  std::span<const int32_t> input_homes = {};
  int32_t threads = 1;                      // shared by the devices in the host's memory
  const MeasuredTimes* measured = nullptr;  // may be null
};

// Places nodes by these rules, in order:
//   1. A node with a device hint runs on that device.
//   2. Variables, and nodes that the executor runs itself, are placed on the first device in the
//      host's memory, or on the device that another node requests for the same variable.
//   3. With a group, its home takes all nodes that it can run. Only devices of the group and
//      devices in the host's memory are used.
//   4. Nodes with a hint to be placed with each other (core/graph/device_hint.h) are placed as one.
//   5. A node that only one device can run is placed there.
//   6. Every other node is placed next to its largest inputs. If the run is then expected to end at
//      least a tenth and 50 us earlier, the node is placed on the device that ends it first
//      instead. For that, the run is simulated node by node in the order of the function
//      (core/placement/cost_model.h). The comparison is made twice. The first one chooses between
//      numerics, using only the descriptions of the devices. The second one chooses between devices
//      of these numerics, using the engine's threads and measured times.
// Without `soft`, errors are a hinted device that lacks the node, nodes that cannot be placed
// together, and a node that no device can run. The error names op, dtypes and each device's reason.
// With `soft`, a hint that fails is ignored and the reason says so. A hint that names a position in
// the group is always soft, but INVALID_ARGUMENT if the group has no such position.
Result<Placement> place(const Function& function, const std::vector<PlacementDevice>& devices, const KernelProbe& probe,
                        const PlaceOptions& options = {});

}  // namespace percale

#endif  // PERCALE_CORE_PLACEMENT_PLACE_H_
